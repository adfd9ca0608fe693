// TSV with the columns of Tesseract: a row for each page, block, paragraph,
// line and word. A table's row is one line, as it is there.
#include <algorithm>
#include <array>

#include "document/decimal.h"
#include "document/words.h"
#include "document/writers/writer.h"
#include "text/utf8.h"

namespace munja::document {
namespace tsv {
namespace {

enum Level { kPage = 1, kBlock, kParagraph, kLine, kWord };

class TsvWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    AppendHeader(out);
    const Document& document = page.document;
    // Page, block, paragraph, line, word: from 1 on, 0 above their level.
    std::array<int, 5> numbers = {++pages_, 0, 0, 0, 0};
    AppendRow(kPage, numbers,
              {0, 0, std::max(document.width, 1), std::max(document.height, 1)},
              out);
    for (const Block& block : BlocksOf(document)) {
      numbers = {pages_, numbers[1] + 1, 0, 0, 0};
      AppendRow(kBlock, numbers, block.box, out);
      numbers[2] = 1;
      AppendRow(kParagraph, numbers, block.box, out);
      for (const TextRow& row : TextRowsOf(document, block)) {
        numbers[3] += 1;
        numbers[4] = 0;
        AppendRow(kLine, numbers, row.box, out);
        for (const size_t i : row.lines) {
          for (const Word& word : WordsOf(document.lines[i])) {
            numbers[4] += 1;
            AppendWord(numbers, word,
                       BoxOf(word.polygon, document.width, document.height),
                       out);
          }
        }
      }
    }
    return Status();
  }

  Status Finish(std::string& out) override {
    AppendHeader(out);
    return Status();
  }

 private:
  void AppendHeader(std::string& out) {
    if (has_header_) return;
    has_header_ = true;
    out +=
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\t"
        "width\theight\tconf\ttext\n";
  }

  static void AppendNumbers(Level level, const std::array<int, 5>& numbers,
                            const PixelBox& box, std::string& out) {
    out += std::to_string(level);
    for (const int number : numbers) out += '\t' + std::to_string(number);
    for (const int value : {box.left, box.top, box.width(), box.height()})
      out += '\t' + std::to_string(value);
  }

  static void AppendRow(Level level, const std::array<int, 5>& numbers,
                        const PixelBox& box, std::string& out) {
    AppendNumbers(level, numbers, box, out);
    out += "\t-1\t\n";
  }

  static void AppendWord(const std::array<int, 5>& numbers, const Word& word,
                         const PixelBox& box, std::string& out) {
    AppendNumbers(kWord, numbers, box, out);
    out += '\t';
    constexpr int kDigits = 6;
    AppendDecimal(100 * static_cast<double>(word.confidence), kDigits, out);
    out += '\t';
    for (const char32_t c : text::DecodeUtf8(word.text)) {
      const bool is_break = c == U'\t' || c == U'\n' || c == U'\r';
      text::AppendUtf8(is_break ? U' ' : c, out);
    }
    out += '\n';
  }

  int pages_ = 0;
  bool has_header_ = false;
};

}  // namespace
}  // namespace tsv

std::unique_ptr<PageWriter> MakeTsvWriter() {
  return std::make_unique<tsv::TsvWriter>();
}

}  // namespace munja::document
