#include "document/writers/pdf.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "document/pdf/font.h"
#include "document/pdf/layer.h"
#include "document/pdf/srgb_profile.h"
#include "document/writers/deflate.h"

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
    AppendText(document, {scale, height}, &font_, content);
    const size_t number = offsets_.size();
    offsets_.resize(number + (is_shown ? 3 : 2));
    pages_.push_back(number);
    std::string box = "[0 0 ";
    AppendNumbers({width, height}, box);
    box += ']';
    std::string dictionary =
        "<< /Type /Page /Parent " + Reference(kPages) + " /MediaBox " + box +
        " /Contents " + Reference(number + 1) + " /Resources << /Font << /F1 " +
        Reference(kFont) + " >>";
    if (is_shown)
      dictionary += " /XObject << /Im " + Reference(number + 2) + " >>";
    AppendObject(number, dictionary + " >> >>", out);
    MUNJA_RETURN_IF_ERROR(AppendCompressed(number + 1, "", content, out));
    if (is_shown) return AppendPicture(page, number + 2, out);
    return Status();
  }

  Status Finish(std::string& out) override {
    const Counted counted(this, out);
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
    const std::string system =
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >>";
    AppendObject(kFont,
                 "<< /Type /Font /Subtype /Type0 /BaseFont /MunjaGlyphless "
                 "/Encoding /Identity-H /DescendantFonts [" +
                     Reference(kDescendant) + "] /ToUnicode " +
                     Reference(kToUnicode) + " >>",
                 out);
    AppendObject(kDescendant,
                 "<< /Type /Font /Subtype /CIDFontType2 /BaseFont "
                 "/MunjaGlyphless " +
                     system + " /FontDescriptor " + Reference(kDescriptor) +
                     " /DW 500 /CIDToGIDMap " + Reference(kGlyphMap) + " >>",
                 out);
    AppendObject(kDescriptor,
                 "<< /Type /FontDescriptor /FontName /MunjaGlyphless /Flags 4 "
                 "/FontBBox [0 -200 500 800] /ItalicAngle 0 /Ascent 800 "
                 "/Descent -200 /CapHeight 800 /StemV 80 /FontFile2 " +
                     Reference(kFontFile) + " >>",
                 out);
    const std::string file = PdfFont::File();
    MUNJA_RETURN_IF_ERROR(AppendCompressed(
        kFontFile, "/Length1 " + std::to_string(file.size()) + ' ', file, out));
    MUNJA_RETURN_IF_ERROR(
        AppendCompressed(kGlyphMap, "", font_.GlyphMap(), out));
    MUNJA_RETURN_IF_ERROR(
        AppendCompressed(kToUnicode, "", font_.ToUnicode(), out));
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
    if (!offsets_.empty()) return;
    // Earlier contents of `out` are not part of the file.
    taken_ = size_t{0} - out.size();
    out += "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
    offsets_.resize(is_archive_ ? kFirstOfArchive : kFirstOfPages);
  }

  void BeginObject(size_t number, std::string& out) {
    offsets_[number] = taken_ + out.size();
    out += std::to_string(number) + " 0 obj\n";
  }

  void AppendObject(size_t number, std::string_view body, std::string& out) {
    BeginObject(number, out);
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
    out += "xref\n0 " + std::to_string(offsets_.size()) +
           "\n0000000000 65535 f \n";
    // The same pages give the same file, and others another identifier.
    uint64_t identifier = 0xCBF29CE484222325;
    for (size_t i = 1; i < offsets_.size(); ++i) {
      std::string offset = std::to_string(offsets_[i]);
      offset.insert(0, 10 - std::min<size_t>(offset.size(), 10), '0');
      out += offset + " 00000 n \n";
      for (const char c : offset)
        identifier = (identifier ^ static_cast<uint8_t>(c)) * 0x100000001B3;
    }
    std::string id = std::to_string(identifier);
    id.insert(0, 20 - std::min<size_t>(id.size(), 20), '0');
    out += "trailer\n<< /Size " + std::to_string(offsets_.size()) + " /Root " +
           Reference(kCatalog) + " /Info " + Reference(kInfo) + " /ID [(" + id +
           ") (" + id + ")] >>\nstartxref\n" + std::to_string(start) +
           "\n%%EOF\n";
  }

  std::vector<size_t> offsets_;  // By object.
  std::vector<size_t> pages_;    // Objects.
  size_t written_ = 0;           // Bytes of the file so far.
  size_t taken_ = 0;             // Bytes that are no longer in `out`.
  PdfFont font_;
  bool shows_pictures_, is_archive_;
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
