#include "synth/paragraph.h"

#include <algorithm>
#include <utility>

namespace munja::train {
namespace {

// A justified line is not pulled wider than by this part of its column.
constexpr float kMostSlack = 0.15f;

struct Range {
  size_t begin, end;  // Glyphs of the line.
  size_t next;        // First glyph after the space that ends it.
};

// As many words as fit into `room`, at least one.
Range NextLine(const SetLine& all, std::u32string_view text, size_t begin,
               float room) {
  const std::vector<SetGlyph>& glyphs = all.glyphs;
  Range range{begin, begin, glyphs.size()};
  for (size_t i = begin; i <= glyphs.size(); ++i) {
    if (i < glyphs.size() && text[glyphs[i].begin] != U' ') continue;
    const float stop = i < glyphs.size() ? glyphs[i].x : all.advance;
    if (range.end > begin && stop - glyphs[begin].x > room) break;
    range.end = i;
    range.next = i + 1;
  }
  return range;
}

}  // namespace

Box InkOf(const SetGlyph& glyph) {
  const Box b = glyph.outline.Bounds();
  return {b.left + glyph.x, b.top, b.right + glyph.x, b.bottom};
}

Box Around(const Box& a, const Box& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top),
          std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

std::vector<BrokenLine> BreakLines(const SetLine& all, std::u32string_view text,
                                   const ParagraphStyle& style,
                                   float& next_top) {
  const std::vector<SetGlyph>& glyphs = all.glyphs;
  std::vector<BrokenLine> lines;
  float y = style.top + style.line_height * 0.8f;  // The first baseline.
  for (size_t begin = 0; begin < glyphs.size() &&
                         y + 0.25f * style.line_height <= style.bottom;) {
    const float from = style.left + (begin == 0 ? style.indent : 0),
                room = style.right - from;
    const Range range = NextLine(all, text, begin, room);
    const bool last = range.end == glyphs.size();
    BrokenLine broken;
    broken.begin = glyphs[begin].begin;
    broken.end = last ? text.size() : glyphs[range.end].begin;
    SetLine& line = broken.line;
    line.ascent = all.ascent;
    line.descent = all.descent;
    line.advance = (last ? all.advance : glyphs[range.end].x) - glyphs[begin].x;
    float spaces = 0;
    for (size_t i = begin; i < range.end; ++i)
      spaces += text[glyphs[i].begin] == U' ' ? 1 : 0;
    const float slack = room - line.advance;
    const bool justified = style.justify && !last && spaces > 0 && slack > 0 &&
                           slack < kMostSlack * room;
    const float extra = justified ? slack / spaces : 0;
    float shift = -glyphs[begin].x;
    bool any = false;
    for (size_t i = begin; i < range.end; ++i) {
      SetGlyph glyph = glyphs[i];
      glyph.begin -= broken.begin;
      glyph.x += shift;
      if (text[glyphs[i].begin] == U' ') {
        shift += extra;
        glyph.advance += extra;
      } else if (!glyph.outline.empty()) {
        line.ink = any ? Around(line.ink, InkOf(glyph)) : InkOf(glyph);
        any = true;
      }
      line.glyphs.push_back(std::move(glyph));
    }
    line.advance += extra * spaces;
    if (any && line.advance <= room * 1.02f) {
      const float free = room - line.advance;
      const float x = style.align == Align::kLeft     ? 0
                      : style.align == Align::kCenter ? free / 2
                                                      : free;
      broken.origin = {from + x, y};
      lines.push_back(std::move(broken));
    }
    y += style.line_height;
    begin = range.next;
  }
  next_top = y - style.line_height * 0.8f;
  return lines;
}

}  // namespace munja::train
