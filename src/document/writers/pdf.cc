#include "document/writers/pdf.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/deflate.h"
#include "document/writers/pdf_font.h"
#include "text/utf8.h"

namespace munja::document {
namespace pdf {
namespace {

using geometry::Point;

constexpr double kPoints = 72;  // To the inch.
// A page whose resolution nobody says is as long as A4 paper, unless its
// picture is small.
constexpr double kA4 = 842, kLeastDpi = 72;
constexpr double kMostPoints = 14400;  // Of a side, by the standard.
// Words of lines askew by less lie level (the sine of their angle), all at one
// height where the line drifts by no more than this part of its own.
constexpr float kLevel = 0.25f;
constexpr double kLevelDrift = 0.5;
// White space between words is at least this part of the text's size, which
// some readers need to see one; for it words lose up to a part of their width.
constexpr double kLeastSpace = 0.2, kLeastWidth = 0.7;

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
  kFirstOfPages
};

void AppendNumbers(std::initializer_list<double> values, std::string& out) {
  for (const double value : values) {
    AppendDecimal(value, 4, out);
    out += ' ';
  }
}

std::string Reference(size_t object) { return std::to_string(object) + " 0 R"; }

double DpiOf(const WriterPage& page) {
  const double longer =
      std::max({page.document.width, page.document.height, 1});
  const double guess = std::max(longer * kPoints / kA4, kLeastDpi);
  const double dpi = page.picture.dpi > 0 ? page.picture.dpi : guess;
  return std::max(dpi, longer * kPoints / kMostPoints);
}

// What brings a picture with this EXIF orientation upright into w x h.
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

// The middle of a line's height above this place of the page's width.
float MiddleOf(const Line& line, float x) {
  const geometry::Quad& q = line.polygon;
  const Point from = (q[0] + q[3]) * 0.5f, to = (q[1] + q[2]) * 0.5f;
  const float share = to.x > from.x ? (x - from.x) / (to.x - from.x) : 0.5f;
  return from.y + (to.y - from.y) * share;
}

// How text lies on the page. Some readers break words that are a little askew,
// and lose the order of lines whose words are not level.
struct Lie {
  Point along = {1, 0};
  bool is_level = false;  // Each word is.
  // Of level lines whose words all stand at one height: their middle.
  bool is_level_line = false;
  float middle = 0;
  double height = 1;
};

Lie LieOf(const Line& line) {
  const geometry::Quad& q = line.polygon;
  Lie lie;
  const Point across = q[1] - q[0];
  const float length = geometry::Length(across);
  lie.height = std::max((static_cast<double>(geometry::Length(q[3] - q[0])) +
                         static_cast<double>(geometry::Length(q[2] - q[1]))) /
                            2,
                        1.0);
  lie.along = across * (1 / length);
  lie.is_level = std::abs(lie.along.y) < kLevel && lie.along.x > 0;
  lie.is_level_line = lie.is_level && static_cast<double>(std::abs(across.y)) <=
                                          kLevelDrift * lie.height;
  lie.middle = (q[0].y + q[1].y + q[2].y + q[3].y) / 4;
  if (lie.is_level) lie.along = {1, 0};
  return lie;
}

// Where a word's text begins, at its upper edge, and how wide it is.
struct Place {
  Point begin;
  double width = 0;
};

Place PlaceOf(const Word& word, const Line& line, const Lie& lie) {
  const geometry::Quad& q = word.polygon;
  const auto half = static_cast<float>(lie.height / 2);
  if (lie.is_level) {
    const Point left = (q[0] + q[3]) * 0.5f, right = (q[1] + q[2]) * 0.5f;
    const float middle =
        lie.is_level_line ? lie.middle : MiddleOf(line, (left.x + right.x) / 2);
    return {{left.x, middle - half}, right.x - left.x};
  }
  const Point origin = line.polygon[0];
  float begin = 0, end = 0;
  for (size_t i = 0; i < 4; ++i) {
    const Point p = q[i] - origin;
    const float at = p.x * lie.along.x + p.y * lie.along.y;
    begin = i == 0 ? at : std::min(begin, at);
    end = i == 0 ? at : std::max(end, at);
  }
  return {origin + lie.along * begin, end - begin};
}

// The text of a line from page pixels to points, `scale` each, y upwards.
void AppendLine(const Line& line, double scale, double page_height,
                PdfFont* font, std::string& out) {
  for (const Point p : line.polygon)
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return;
  if (!(geometry::Length(line.polygon[1] - line.polygon[0]) > 0)) return;
  const Lie lie = LieOf(line);
  const double size = lie.height * scale;
  const Point down = {-lie.along.y, lie.along.x};
  const auto base = static_cast<float>(PdfFont::kAscent * lie.height);
  const std::vector<Word> words = WordsOf(line);
  out += "BT 3 Tr /F1 ";
  AppendNumbers({size}, out);
  out += "Tf\n";
  const auto stretch = [&](double width, size_t codes) {
    const double usual = PdfFont::kWidth * lie.height *
                         static_cast<double>(std::max(codes, size_t{1}));
    constexpr int kDigits = 2;
    AppendDecimal(std::max(100 * width / usual, 0.01), kDigits, out);
    out += " Tz ";
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const Place place = PlaceOf(words[i], line, lie);
    const Point at = place.begin + down * base;
    double width = std::max(place.width, 1.0), gap = 0;
    if (i + 1 < words.size()) {
      const Point next = PlaceOf(words[i + 1], line, lie).begin - place.begin;
      const auto advance =
          static_cast<double>(next.x * lie.along.x + next.y * lie.along.y);
      const double least = kLeastSpace * lie.height;
      width = std::clamp(advance - least, kLeastWidth * width, width);
      gap = std::max(advance - width, least);
    }
    size_t codes = 0;
    const std::string text =
        font->Encode(text::DecodeUtf8(words[i].text), &codes);
    stretch(width, codes);
    AppendNumbers({lie.along.x, -lie.along.y, lie.along.y, lie.along.x,
                   at.x * scale, page_height - at.y * scale},
                  out);
    out += "Tm " + text + " Tj\n";
    if (i + 1 == words.size()) continue;
    // A space as wide as what is between the words.
    const std::string space = font->Encode(U" ", &codes);
    stretch(gap, codes);
    out += space + " Tj\n";
  }
  out += "ET\n";
}

class PdfWriter : public PageWriter {
 public:
  explicit PdfWriter(PdfContents contents)
      : font_(contents == PdfContents::kTextAlone
                  ? PdfFont::Codes::kUtf16
                  : PdfFont::Codes::kAsTheyCome),
        shows_pictures_(contents == PdfContents::kAll) {}

  Status Add(const WriterPage& page, std::string& out) override {
    const Counted counted(this, out);
    Begin(out);
    const Document& document = page.document;
    const double scale = kPoints / DpiOf(page);
    const double width = std::max(document.width, 1) * scale;
    const double height = std::max(document.height, 1) * scale;
    const bool is_shown = shows_pictures_ && (!page.picture.jpeg.empty() ||
                                              page.picture.rgb != nullptr);
    std::string content;
    if (is_shown) {
      content +=
          "q " +
          Upright(page.picture.jpeg.empty() ? 1 : page.picture.orientation,
                  width, height) +
          "cm /Im Do Q\n";
    }
    for (const Line& line : document.lines)
      if (!line.text.empty()) AppendLine(line, scale, height, &font_, content);
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
    AppendObject(kCatalog,
                 "<< /Type /Catalog /Pages " + Reference(kPages) + " >>", out);
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
    // What was in `out` before is no part of the file.
    taken_ = size_t{0} - out.size();
    out += "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
    offsets_.resize(kFirstOfPages);
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

  Status AppendPicture(const WriterPage& page, size_t number,
                       std::string& out) {
    const Picture& picture = page.picture;
    std::string entries = "/Type /XObject /Subtype /Image ";
    const auto append_size = [&](int width, int height) {
      entries += "/Width " + std::to_string(width) + " /Height " +
                 std::to_string(height) + " /BitsPerComponent 8 ";
    };
    if (!picture.jpeg.empty()) {
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
  size_t taken_ = 0;             // Those of them that are not in `out`.
  PdfFont font_;
  bool shows_pictures_;
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
