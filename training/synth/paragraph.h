// Paragraphs: a long line of set text broken into the lines of a column.
#ifndef MUNJA_SYNTH_PARAGRAPH_H_
#define MUNJA_SYNTH_PARAGRAPH_H_

#include <string_view>
#include <vector>

#include "synth/typesetter.h"

namespace munja::train {

enum class Align { kLeft, kCenter, kRight };

struct ParagraphStyle {
  float left = 0, right = 0, top = 0, bottom = 0;  // The column.
  float line_height = 20;                          // From baseline to baseline.
  float indent = 0;                                // Indent of the first line.
  Align align = Align::kLeft;
  bool justify = false;  // Spaces grow so that lines end with the column.
};

struct BrokenLine {
  SetLine line;
  // The range in the text; line.glyphs count from `begin`.
  size_t begin = 0, end = 0;
  Point origin;  // Start of the baseline.
};

// `all` is `text` as set in one line. As many lines as the column has room for;
// a word wider than the column is left out, its line stays empty. `next_top`:
// where the next paragraph may begin.
std::vector<BrokenLine> BreakLines(const SetLine& all, std::u32string_view text,
                                   const ParagraphStyle& style,
                                   float& next_top);

// The box that a glyph covers, relative to the start of its line's baseline.
Box InkOf(const SetGlyph& glyph);
// The smallest box around two.
Box Around(const Box& a, const Box& b);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PARAGRAPH_H_
