// Spaces that the picture shows and the network did not print: "taxinvoice"
// where the ink of "tax" and "invoice" lies far apart.
#ifndef MUNJA_OCR_WORD_GAPS_H_
#define MUNJA_OCR_WORD_GAPS_H_

#include <cstdint>
#include <vector>

#include "image/image.h"
#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::ocr {

// Finds the gaps of a line and puts spaces into its output steps. Keeps its
// memory from line to line; one caller at a time.
class WordGaps {
 public:
  // The class of the space in this dictionary; without one nothing is parted.
  explicit WordGaps(const text::Dictionary& dictionary);

  // `line`: an upright RGB or BGR line of one height, as the network read it;
  // step i lies on the columns [i, i + 1) * columns_per_step. Where two
  // characters of an alphabet, digits or signs stand further apart than those
  // of a word do, a blank step between them becomes a space, as sure as the
  // two are. Characters of Chinese, Japanese and Korean writing are let be, and
  // so are spaces that are there.
  void Part(const image::ImageView& line, int columns_per_step,
            const text::Dictionary& dictionary,
            std::vector<text::CtcStep>& steps);

 private:
  // What stands on one side of a gap.
  enum Kind : uint8_t { kLetter, kDigit, kSign, kApostrophe, kOther };
  struct Character {
    size_t begin, end;  // The steps that read it.
    Kind kind;
    bool is_point;     // Of a number or a time: ". , :".
    bool is_low_line;  // "_".
    bool is_double_quote;
  };
  struct Pair {
    size_t left;        // The character before the gap.
    bool has_space;     // Which the network printed.
    int gap, distance;  // Columns: without ink; from middle to middle.
  };

  static Kind KindOf(std::string_view symbol);
  bool FindCharacters(const text::Dictionary& dictionary,
                      const std::vector<text::CtcStep>& steps);
  bool FindEmptyColumns(const image::ImageView& line);
  int WidestGap(int begin, int end) const;
  bool IsInNumber(size_t left) const;
  bool HoldsQuote(size_t pair) const;

  int space_ = -1;
  std::vector<Character> characters_;
  std::vector<Pair> pairs_;
  std::vector<uint8_t> gray_, low_, high_;
  std::vector<bool> is_empty_;
  std::vector<int> sorted_;
};

}  // namespace munja::ocr

#endif  // MUNJA_OCR_WORD_GAPS_H_
