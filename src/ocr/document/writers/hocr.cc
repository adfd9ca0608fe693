// hOCR 1.2. Its readers take whole pixels only: some lose all text over a
// decimal.
#include <algorithm>
#include <cmath>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "document/writers/xml.h"

namespace munja::document {
namespace hocr {
namespace {

class HocrWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    const Document& document = page.document;
    Begin(document.model, out);
    const std::string number = std::to_string(++pages_);
    out +=
        "  <div class=\"ocr_page\" id=\"page_" + number + "\" title=\"image ";
    // Names stand in quotes, which have no escape.
    std::string name = '"' + document.source + '"';
    std::replace(name.begin() + 1, name.end() - 1, '"', '\'');
    AppendXml(name, out);
    out += "; bbox 0 0 " + std::to_string(std::max(document.width, 1)) + ' ' +
           std::to_string(std::max(document.height, 1)) + "; ppageno " +
           std::to_string(pages_ - 1) + "\">\n";
    blocks_ = lines_ = words_ = 0;
    for (const Block& block : BlocksOf(document)) {
      const std::string id = number + '_' + std::to_string(++blocks_);
      const auto open = [&](const char* tag, const char* cls,
                            const char* what) {
        out += std::string("   <") + tag + " class=\"" + cls + "\" id=\"" +
               what + '_' + id + '"';
      };
      open("div", "ocr_carea", "block");
      out += " title=\"bbox ";
      AppendEdges(block.box, out);
      out += "\">\n ";
      open("p", "ocr_par", "par");
      if (DirectionOf(document.lines[block.lines[0]]) ==
          Direction::kRightToLeft)
        out += " dir=\"rtl\"";
      out += " title=\"bbox ";
      AppendEdges(block.box, out);
      out += "\">\n";
      for (const TextRow& row : TextRowsOf(document, block))
        AppendRow(document, row, number, out);
      out += "    </p>\n   </div>\n";
    }
    out += "  </div>\n";
    return Status();
  }

  Status Finish(std::string& out) override {
    Begin("", out);
    out += " </body>\n</html>\n";
    return Status();
  }

 private:
  void Begin(const std::string& model, std::string& out) {
    if (has_begun_) return;
    has_begun_ = true;
    out +=
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" "
        "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n"
        "<html xmlns=\"http://www.w3.org/1999/xhtml\">\n <head>\n"
        "  <title></title>\n"
        "  <meta http-equiv=\"Content-Type\" content=\"text/html; "
        "charset=utf-8\"/>\n"
        "  <meta name=\"ocr-system\" content=\"munja";
    if (!model.empty()) AppendXml(' ' + model, out);
    out +=
        "\"/>\n  <meta name=\"ocr-capabilities\" content=\"ocr_page ocr_carea "
        "ocr_par ocr_line ocrx_word ocrp_wconf\"/>\n </head>\n <body>\n";
  }

  // A row is one line: readers take the words of a line for those that follow
  // each other.
  void AppendRow(const Document& document, const TextRow& row,
                 const std::string& page, std::string& out) {
    const PixelBox& box = row.box;
    const Line& line = document.lines[row.lines[0]];
    out += "     <span class=\"ocr_line\" id=\"line_" + page + '_' +
           std::to_string(++lines_) + "\" title=\"bbox ";
    AppendEdges(box, out);
    const Direction direction = DirectionOf(line);
    if (direction == Direction::kUpwards ||
        direction == Direction::kDownwards) {
      out += direction == Direction::kUpwards ? "; textangle 90"
                                              : "; textangle 270";
    } else {
      const geometry::Point from = BaselineOf(line)[0];
      const geometry::Point to =
          BaselineOf(document.lines[row.lines.back()])[1];
      const float across = to.x - from.x;
      const float slope =
          std::abs(across) > 0 ? (to.y - from.y) / across : 0.0f;
      const float at_left =
          from.y + slope * (static_cast<float>(box.left) - from.x);
      const float offset = at_left - static_cast<float>(box.bottom);
      out += "; baseline ";
      AppendDecimal(slope, 3, out);
      const float most = static_cast<float>(box.height());
      out += ' ' + std::to_string(std::lround(
                       std::isfinite(offset) ? std::clamp(offset, -most, most)
                                             : 0.0f));
    }
    long height = 0;
    for (const size_t i : row.lines)
      height = std::max(height, LineHeight(document.lines[i]));
    out += "; x_size " + std::to_string(height) + "\">";
    bool is_first = true;
    for (const size_t i : row.lines)
      for (const Word& word : WordsOf(document.lines[i])) {
        if (!is_first) out += ' ';
        is_first = false;
        AppendWord(document, word, page, out);
      }
    out += "</span>\n";
  }

  void AppendWord(const Document& document, const Word& word,
                  const std::string& page, std::string& out) {
    out += "<span class=\"ocrx_word\" id=\"word_" + page + '_' +
           std::to_string(++words_) + "\" title=\"bbox ";
    AppendEdges(BoxOf(word.polygon, document.width, document.height), out);
    out += "; x_wconf " +
           std::to_string(
               std::lround(std::clamp(100 * word.confidence, 0.0f, 100.0f))) +
           "\">";
    AppendXml(word.text, out);
    out += "</span>";
  }

  static long LineHeight(const Line& line) {
    const float height = geometry::Length(line.polygon[3] - line.polygon[0]);
    return std::isfinite(height) && height > 1 ? std::lround(height) : 1;
  }

  bool has_begun_ = false;
  int pages_ = 0, blocks_ = 0, lines_ = 0, words_ = 0;
};

}  // namespace
}  // namespace hocr

std::unique_ptr<PageWriter> MakeHocrWriter() {
  return std::make_unique<hocr::HocrWriter>();
}

}  // namespace munja::document
