#include "document/writers/pdf.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/log.h"
#include "document/pdf/font.h"
#include "document/pdf/layer.h"
#include "document/pdf/losses.h"
#include "document/pdf/source.h"
#include "document/pdf/srgb_profile.h"
#include "document/words.h"
#include "document/writers/deflate.h"
#include "image/decode.h"

namespace munja::document {
namespace pdf {
namespace {

constexpr double kPoints = 72;  // To the inch.
// A page of unknown resolution is as long as A4 paper, unless its image is
// small.
constexpr double kA4 = 842, kLeastDpi = 72;
constexpr double kLeastPoints = 3, kMostPoints = 14400;  // By the standard.
// Objects with fixed numbers; the pages' follow.
enum Object {
  kCatalog = 1,
  kPages,
  kFont,
  kDescendant,
  kDescriptor,
  kFontFile,
  kGlyphMap,
  kToUnicode,
  kInfo,
  kFirstOfPages,
  // Objects of archives; their pages follow.
  kMetadata = kFirstOfPages,
  kOutputIntent,
  kProfile,
  kFirstOfArchive
};

// XMP metadata of archives (PDF/A-2b).
constexpr std::string_view kXmp =
    "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
    "<rdf:Description rdf:about=\"\" "
    "xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" "
    "xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\">\n"
    "<pdfaid:part>2</pdfaid:part>\n"
    "<pdfaid:conformance>B</pdfaid:conformance>\n"
    "<pdf:Producer>munja</pdf:Producer>\n"
    "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>";

std::string Reference(size_t object) { return std::to_string(object) + " 0 R"; }

double DpiOf(const WriterPage& page) {
  const double longer =
      std::max({page.document.width, page.document.height, 1});
  const double guess = std::max(longer * kPoints / kA4, kLeastDpi);
  const double shorter =
      std::max(std::min(page.document.width, page.document.height), 1);
  const double dpi = std::min(page.picture.dpi > 0 ? page.picture.dpi : guess,
                              shorter * kPoints / kLeastPoints);
  return std::max(dpi, longer * kPoints / kMostPoints);
}

// The matrix that brings an image with this EXIF orientation upright into w x
// h.
std::string Upright(int orientation, double w, double h) {
  std::string out;
  switch (orientation) {
    case 2:
      AppendNumbers({-w, 0, 0, h, w, 0}, out);
      break;
    case 3:
      AppendNumbers({-w, 0, 0, -h, w, h}, out);
      break;
    case 4:
      AppendNumbers({w, 0, 0, -h, 0, h}, out);
      break;
    case 5:
      AppendNumbers({0, -h, -w, 0, w, h}, out);
      break;
    case 6:
      AppendNumbers({0, -h, w, 0, 0, h}, out);
      break;
    case 7:
      AppendNumbers({0, h, w, 0, 0, 0}, out);
      break;
    case 8:
      AppendNumbers({0, h, -w, 0, w, 0}, out);
      break;
    default:
      AppendNumbers({w, 0, 0, h, 0, 0}, out);
  }
  return out;
}

class PdfWriter : public PageWriter {
 public:
  explicit PdfWriter(PdfContents contents)
      : font_(contents == PdfContents::kTextAlone
                  ? PdfFont::Codes::kUtf16
                  : PdfFont::Codes::kAsTheyCome),
        shows_pictures_(contents != PdfContents::kTextAlone),
        is_archive_(contents == PdfContents::kArchive) {}

  Status Add(const WriterPage& page, std::string& out) override {
    const Counted counted(this, out);
    if (TakesFile(page, out)) return AddLayer(page, out);
    Begin(out);
    const Document& document = page.document;
    const bool has_paper =
        page.picture.paper_width > 0 && page.picture.paper_height > 0;
    const double pixels = std::max(document.width, 1);
    const double scale =
        has_paper ? page.picture.paper_width / pixels : kPoints / DpiOf(page);
    const double width = pixels * scale;
    const double height = has_paper ? page.picture.paper_height
                                    : std::max(document.height, 1) * scale;
    const bool is_shown = shows_pictures_ &&
                          (IsJpeg(page.picture) || page.picture.rgb != nullptr);
    std::string content;
    if (is_shown) {
      content += "q " +
                 Upright(IsJpeg(page.picture) ? page.picture.orientation : 1,
                         width, height) +
                 "cm /Im Do Q\n";
    }
    AppendText(document, {scale, height}, &font_, "F1", content);
    const size_t number = next_object_;
    next_object_ += is_shown ? 3 : 2;
    pages_.push_back(number);
    std::string box = "[0 0 ";
    AppendNumbers({width, height}, box);
    box += ']';
    std::string dictionary =
        "<< /Type /Page /Parent " + pages_root_ + " /MediaBox " + box +
        " /Contents " + Reference(number + 1) + " /Resources << /Font << /F1 " +
        Reference(At(kFont)) + " >>";
    if (is_shown)
      dictionary += " /XObject << /Im " + Reference(number + 2) + " >>";
    dictionary += " >>";
    // Nothing comes from the file's other pages.
    if (source_) dictionary += " /Rotate 0 /UserUnit 1 /CropBox " + box;
    AppendObject(number, dictionary + " >>", out);
    MUNJA_RETURN_IF_ERROR(AppendCompressed(number + 1, "", content, out));
    if (is_shown) return AppendPicture(page, number + 2, out);
    return Status();
  }

  Status Finish(std::string& out) override {
    const Counted counted(this, out);
    if (source_) return FinishUpdate(out);
    Begin(out);
    std::string kids;
    for (const size_t page : pages_) kids += Reference(page) + ' ';
    AppendObject(kPages,
                 "<< /Type /Pages /Count " + std::to_string(pages_.size()) +
                     " /Kids [" + kids + "] >>",
                 out);
    std::string catalog = "<< /Type /Catalog /Pages " + Reference(kPages);
    if (is_archive_)
      catalog += " /Metadata " + Reference(kMetadata) + " /OutputIntents [" +
                 Reference(kOutputIntent) + "]";
    AppendObject(kCatalog, catalog + " >>", out);
    if (is_archive_) MUNJA_RETURN_IF_ERROR(AppendArchive(out));
    AppendObject(kInfo, "<< /Producer (munja) >>", out);
    MUNJA_RETURN_IF_ERROR(AppendFont(out));
    AppendTrailer(out);
    return Status();
  }

 private:
  // Knows how many bytes of the file there are, whatever the caller has already
  // taken out of `out`.
  class Counted {
   public:
    Counted(PdfWriter* writer, std::string& out) : writer_(writer), out_(out) {
      writer_->taken_ = writer_->written_ - out.size();
    }
    ~Counted() { writer_->written_ = writer_->taken_ + out_.size(); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    PdfWriter* writer_;
    std::string& out_;
  };

  void Begin(std::string& out) {
    if (has_begun_) return;
    has_begun_ = true;
    // Earlier contents of `out` are not part of the file.
    taken_ = size_t{0} - out.size();
    out += "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
    next_object_ = is_archive_ ? kFirstOfArchive : kFirstOfPages;
  }

  // Whether the page is one of a PDF file that stays as it is and gets text
  // alone: the first that is added. Says what is lost where it cannot.
  bool TakesFile(const WriterPage& page, std::string& out) {
    const std::string_view pdf = page.picture.pdf;
    if (pdf.empty() || !shows_pictures_) return false;
    std::string reason = "files for archives are made anew";
    if (source_ && source_->IsOf(pdf)) {
      source_->SetBytes(pdf);
      if (static_cast<size_t>(page.picture.pdf_page) < source_->pages() &&
          with_text_.insert(page.picture.pdf_page).second)
        return true;
      reason = "this page has been added before";
    } else if (has_begun_) {
      reason = "pages of another file come before it";
    } else if (!is_archive_) {
      Result<SourceFile> opened = SourceFile::Open(pdf);
      if (opened.ok()) {
        source_ = std::move(opened).value();
        BeginUpdate(pdf, out);
        with_text_.insert(page.picture.pdf_page);
        return true;
      }
      reason = opened.status().message();
    }
    if (std::exchange(noted_bytes_, pdf.size()) != pdf.size())
      LogLosses(pdf, page.document.source, reason);
    return false;
  }

  void BeginUpdate(std::string_view pdf, std::string& out) {
    has_begun_ = true;
    taken_ = size_t{0} - out.size();
    out += pdf;
    if (!pdf.ends_with('\n')) out += '\n';
    constexpr size_t kFonts = kToUnicode - kFont + 1;
    base_ = source_->next_object() - kFont;
    pages_root_ = source_->pages_root();
    next_object_ = source_->next_object() + kFonts;
  }

  // Lines that stand where the page has no text of its own.
  Document Missing(const WriterPage& page, double scale) {
    Document document = page.document;
    const std::string_view pdf = page.picture.pdf;
    const auto words = image::FindPdfWords(
        {reinterpret_cast<const uint8_t*>(pdf.data()), pdf.size()},
        page.picture.pdf_page);
    if (!words.ok()) {
      Log(Severity::kWarning, page.document.source +
                                  ": the text that the page has is not known "
                                  "(" +
                                  std::string(words.status().message()) +
                                  "): it may be there twice now");
      return document;
    }
    lines_ += document.lines.size();
    std::erase_if(document.lines, [&](const Line& line) {
      return IsCovered(line, *words, scale);
    });
    lines_there_ += page.document.lines.size() - document.lines.size();
    return document;
  }

  static bool IsCovered(const Line& line,
                        std::span<const image::WordPlace> words, double scale) {
    // Between words, and above small letters, nothing is covered.
    constexpr double kLeastPart = 0.4;
    const PixelBox box = document::BoxOf(line.polygon, 0, 0);
    const double left = box.left * scale, right = box.right * scale;
    const double top = box.top * scale, bottom = box.bottom * scale;
    double covered = 0;
    for (const image::WordPlace& word : words)
      covered +=
          std::max(std::min(right, word.right) - std::max(left, word.left),
                   0.0) *
          std::max(std::min(bottom, word.bottom) - std::max(top, word.top),
                   0.0);
    return covered > kLeastPart * (right - left) * (bottom - top);
  }

  // Appends a new version of the page, whose contents begin with its text:
  // invisible, and before anything that the page does with the coordinates.
  Status AddLayer(const WriterPage& page, std::string& out) {
    MUNJA_ASSIGN_OR_RETURN(
        SourcePage old,
        source_->Page(static_cast<size_t>(page.picture.pdf_page)));
    const double scale = old.view.width() / std::max(page.document.width, 1);
    const double height = std::max(page.document.height, 1) * scale;
    // Sizes in pixels are rounded.
    constexpr double kRounded = 0.01;
    if (std::abs(height - old.view.height()) > kRounded * height + 2 * scale) {
      Log(Severity::kWarning,
          page.document.source +
              ": no text is added: the page has other sides than its image");
      return Status();
    }
    std::string name = "MunjaText";
    while (!old.fonts[name].empty()) name += 'X';
    std::string text;
    AppendText(Missing(page, scale), {scale, old.view.height()}, &font_, name,
               text);
    if (text.empty()) return Status();
    std::string content = "q ";
    for (const double value : old.view.FromShown())
      AppendNumbers({value}, content);
    content += "cm\n" + text + "Q\n";
    const size_t number = next_object_++;
    MUNJA_RETURN_IF_ERROR(AppendCompressed(number, "", content, out));
    old.fonts.Set(name, Reference(At(kFont)));
    old.resources.Set("Font", old.fonts.Text());
    old.dictionary.Set("Resources", old.resources.Text());
    old.dictionary.Set("Contents",
                       '[' + Reference(number) + old.contents + ']');
    AppendObject(old.object.number, old.dictionary.Text(), out,
                 old.object.generation);
    return Status();
  }

  Status FinishUpdate(std::string& out) {
    if (lines_there_ > 0)
      Log(Severity::kInfo, "pdf: " + std::to_string(lines_there_) + " of " +
                               std::to_string(lines_) +
                               " lines are not added: the file has them as "
                               "text");
    if (offsets_.empty()) return Status();  // There is nothing new in it.
    if (!pages_.empty()) {
      MUNJA_ASSIGN_OR_RETURN(SourceFile::Root root, source_->PagesRoot());
      for (const size_t page : pages_) root.kids += Reference(page) + ' ';
      root.dictionary.Set("Kids", '[' + root.kids + ']');
      root.dictionary.Set(
          "Count",
          std::to_string(root.count + static_cast<int64_t>(pages_.size())));
      AppendObject(root.object.number, root.dictionary.Text(), out,
                   root.object.generation);
    }
    MUNJA_RETURN_IF_ERROR(AppendFont(out));
    return AppendUpdateTable(out);
  }

  // Calls use(first, end) for each run of objects with consecutive numbers.
  template <class Use>
  void ForRuns(const Use& use) const {
    for (auto i = offsets_.begin(); i != offsets_.end();) {
      auto end = i;
      for (size_t number = i->first;
           end != offsets_.end() && end->first == number; ++number)
        ++end;
      use(i, end);
      i = end;
    }
  }

  // A table or a stream, as the file's newest is.
  Status AppendUpdateTable(std::string& out) {
    const bool is_stream = source_->has_table_stream();
    const size_t start = taken_ + out.size();
    const size_t number = next_object_;
    if (is_stream) offsets_[next_object_++] = {start, 0};
    const Dictionary& old = source_->trailer();
    std::string entries = "/Size " + std::to_string(next_object_) + " /Prev " +
                          std::to_string(source_->table()) + " /Root " +
                          std::string(old["Root"]) + ' ';
    if (!old["Info"].empty())
      entries += "/Info " + std::string(old["Info"]) + ' ';
    // The first part names the file in all its versions.
    if (const auto id = ElementsOf(old["ID"]); id && id->size() == 2)
      entries +=
          "/ID [" + std::string(id->front()) + " (" + Identifier() + ")] ";
    if (is_stream) {
      constexpr int kOffset = 5, kGeneration = 2;
      std::string index, rows;
      ForRuns([&](auto begin, auto end) {
        index += std::to_string(begin->first) + ' ' +
                 std::to_string(std::distance(begin, end)) + ' ';
        for (auto i = begin; i != end; ++i) {
          rows += '\1';
          for (int byte = kOffset - 1; byte >= 0; --byte)
            rows += static_cast<char>(i->second.offset >> 8 * byte & 0xFF);
          for (int byte = kGeneration - 1; byte >= 0; --byte)
            rows += static_cast<char>(i->second.generation >> 8 * byte & 0xFF);
        }
      });
      MUNJA_RETURN_IF_ERROR(AppendCompressed(
          number, "/Type /XRef /W [1 5 2] /Index [" + index + "] " + entries,
          rows, out));
    } else {
      out += "xref\n";
      ForRuns([&](auto begin, auto end) {
        out += std::to_string(begin->first) + ' ' +
               std::to_string(std::distance(begin, end)) + '\n';
        for (auto i = begin; i != end; ++i)
          out += Padded(i->second.offset, 10) + ' ' +
                 Padded(static_cast<size_t>(i->second.generation), 5) + " n \n";
      });
      out += "trailer\n<< " + entries + ">>\n";
    }
    out += "startxref\n" + std::to_string(start) + "\n%%EOF\n";
    return Status();
  }

  static std::string Padded(size_t value, size_t digits) {
    std::string text = std::to_string(value);
    text.insert(0, digits - std::min(text.size(), digits), '0');
    return text;
  }

  // The same pages give the same file, and others another identifier.
  std::string Identifier() const {
    uint64_t identifier = 0xCBF29CE484222325;
    for (const auto& [number, place] : offsets_)
      for (const char c : Padded(place.offset, 10))
        identifier = (identifier ^ static_cast<uint8_t>(c)) * 0x100000001B3;
    return Padded(identifier, 20);
  }

  // The number of one of the fixed objects.
  size_t At(Object object) const { return base_ + object; }

  void BeginObject(size_t number, std::string& out, int generation = 0) {
    offsets_[number] = {taken_ + out.size(), generation};
    out += std::to_string(number) + ' ' + std::to_string(generation) + " obj\n";
  }

  Status AppendFont(std::string& out) {
    const std::string system =
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >>";
    AppendObject(At(kFont),
                 "<< /Type /Font /Subtype /Type0 /BaseFont /MunjaGlyphless "
                 "/Encoding /Identity-H /DescendantFonts [" +
                     Reference(At(kDescendant)) + "] /ToUnicode " +
                     Reference(At(kToUnicode)) + " >>",
                 out);
    AppendObject(At(kDescendant),
                 "<< /Type /Font /Subtype /CIDFontType2 /BaseFont "
                 "/MunjaGlyphless " +
                     system + " /FontDescriptor " + Reference(At(kDescriptor)) +
                     " /DW 500 /CIDToGIDMap " + Reference(At(kGlyphMap)) +
                     " >>",
                 out);
    AppendObject(At(kDescriptor),
                 "<< /Type /FontDescriptor /FontName /MunjaGlyphless /Flags 4 "
                 "/FontBBox [0 -200 500 800] /ItalicAngle 0 /Ascent 800 "
                 "/Descent -200 /CapHeight 800 /StemV 80 /FontFile2 " +
                     Reference(At(kFontFile)) + " >>",
                 out);
    const std::string file = PdfFont::File();
    MUNJA_RETURN_IF_ERROR(AppendCompressed(
        At(kFontFile), "/Length1 " + std::to_string(file.size()) + ' ', file,
        out));
    MUNJA_RETURN_IF_ERROR(
        AppendCompressed(At(kGlyphMap), "", font_.GlyphMap(), out));
    return AppendCompressed(At(kToUnicode), "", font_.ToUnicode(), out);
  }

  void AppendObject(size_t number, std::string_view body, std::string& out,
                    int generation = 0) {
    BeginObject(number, out, generation);
    out += body;
    out += "\nendobj\n";
  }

  void AppendStream(size_t number, const std::string& entries,
                    std::string_view bytes, std::string& out) {
    BeginObject(number, out);
    out += "<< " + entries + "/Length " + std::to_string(bytes.size()) +
           " >>\nstream\n";
    out += bytes;
    out += "\nendstream\nendobj\n";
  }

  Status AppendCompressed(size_t number, const std::string& entries,
                          std::string_view bytes, std::string& out) {
    MUNJA_ASSIGN_OR_RETURN(const std::string packed, Deflate(bytes));
    AppendStream(number, entries + "/Filter /FlateDecode ", packed, out);
    return Status();
  }

  // Declares the file an archive, and its colors.
  Status AppendArchive(std::string& out) {
    AppendStream(kMetadata, "/Type /Metadata /Subtype /XML ", kXmp, out);
    AppendObject(kOutputIntent,
                 "<< /Type /OutputIntent /S /GTS_PDFA1 "
                 "/OutputConditionIdentifier (sRGB) /Info (sRGB) "
                 "/DestOutputProfile " +
                     Reference(kProfile) + " >>",
                 out);
    return AppendCompressed(kProfile, "/N 3 ", SrgbProfile(), out);
  }

  // Whether the image goes into the file as it is. Archives have no colors of
  // printing inks, whose profile is unknown.
  bool IsJpeg(const Picture& picture) const {
    return !picture.jpeg.empty() &&
           !(is_archive_ && picture.jpeg_components == 4 &&
             picture.rgb != nullptr);
  }

  Status AppendPicture(const WriterPage& page, size_t number,
                       std::string& out) {
    const Picture& picture = page.picture;
    std::string entries = "/Type /XObject /Subtype /Image ";
    const auto append_size = [&](int width, int height) {
      entries += "/Width " + std::to_string(width) + " /Height " +
                 std::to_string(height) + " /BitsPerComponent 8 ";
    };
    if (IsJpeg(picture)) {
      append_size(picture.jpeg_width, picture.jpeg_height);
      entries += picture.jpeg_components == 1   ? "/ColorSpace /DeviceGray "
                 : picture.jpeg_components == 4 ? "/ColorSpace /DeviceCMYK "
                                                : "/ColorSpace /DeviceRGB ";
      if (picture.is_inverted) entries += "/Decode [1 0 1 0 1 0 1 0] ";
      AppendStream(number, entries + "/Filter /DCTDecode ", picture.jpeg, out);
      return Status();
    }
    const int width = page.document.width, height = page.document.height;
    append_size(width, height);
    const bool is_gray = IsGray(picture, width, height);
    const int channels = is_gray ? 1 : 3;
    entries += is_gray ? "/ColorSpace /DeviceGray " : "/ColorSpace /DeviceRGB ";
    entries += "/DecodeParms << /Predictor 15 /Colors " +
               std::to_string(channels) + " /Columns " + std::to_string(width) +
               " >> /Filter /FlateDecode ";
    Deflater deflater;
    MUNJA_RETURN_IF_ERROR(deflater.Begin());
    std::string row, before;
    const size_t bytes =
        static_cast<size_t>(width) * static_cast<size_t>(channels);
    before.assign(bytes, '\0');
    std::string samples(bytes, '\0');
    for (int y = 0; y < height; ++y) {
      const uint8_t* const rgb =
          picture.rgb + static_cast<size_t>(y) * picture.stride;
      for (size_t i = 0; i < bytes; ++i)
        samples[i] = static_cast<char>(rgb[is_gray ? 3 * i : i]);
      // Differences to the row above.
      row.assign(1, '\x02');
      for (size_t i = 0; i < bytes; ++i)
        row += static_cast<char>(samples[i] - before[i]);
      MUNJA_RETURN_IF_ERROR(deflater.Add(row));
      before.swap(samples);
    }
    MUNJA_ASSIGN_OR_RETURN(const std::string packed, deflater.Finish());
    AppendStream(number, entries, packed, out);
    return Status();
  }

  static bool IsGray(const Picture& picture, int width, int height) {
    for (int y = 0; y < height; ++y) {
      const uint8_t* p = picture.rgb + static_cast<size_t>(y) * picture.stride;
      for (int x = 0; x < width; ++x, p += 3)
        if (p[0] != p[1] || p[1] != p[2]) return false;
    }
    return true;
  }

  void AppendTrailer(std::string& out) {
    const size_t start = taken_ + out.size();
    out +=
        "xref\n0 " + std::to_string(next_object_) + "\n0000000000 65535 f \n";
    for (const auto& [number, place] : offsets_)
      out += Padded(place.offset, 10) + " 00000 n \n";
    const std::string id = Identifier();
    out += "trailer\n<< /Size " + std::to_string(next_object_) + " /Root " +
           Reference(kCatalog) + " /Info " + Reference(kInfo) + " /ID [(" + id +
           ") (" + id + ")] >>\nstartxref\n" + std::to_string(start) +
           "\n%%EOF\n";
  }

  struct Place {
    size_t offset = 0;
    int generation = 0;
  };
  std::map<size_t, Place> offsets_;  // By object.
  size_t next_object_ = 0;
  std::vector<size_t> pages_;  // Objects of the pages that are images.
  std::string pages_root_ = Reference(kPages);
  size_t written_ = 0;  // Bytes of the file so far.
  size_t taken_ = 0;    // Bytes that are no longer in `out`.
  bool has_begun_ = false;
  PdfFont font_;
  bool shows_pictures_, is_archive_;
  // The file that gets text, the pages of it that have, and the number that
  // its objects' are counted from; none: a new one is made.
  std::optional<SourceFile> source_;
  std::set<int> with_text_;
  size_t base_ = 0;
  size_t lines_ = 0, lines_there_ = 0;
  size_t noted_bytes_ = 0;  // Size of the file whose losses were said.
};

}  // namespace
}  // namespace pdf

std::unique_ptr<PageWriter> MakePdf(PdfContents contents) {
  return std::make_unique<pdf::PdfWriter>(contents);
}

std::unique_ptr<PageWriter> MakePdfWriter() {
  return MakePdf(PdfContents::kAll);
}

}  // namespace munja::document
