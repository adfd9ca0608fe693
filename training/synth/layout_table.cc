// Tables: cells between rules, or in columns without any.
#include <algorithm>

#include "synth/layout_paper.h"
#include "synth/page_kinds.h"

namespace munja::train {
namespace {

struct Column {
  float left = 0, right = 0;
  int content = 0;  // 0: words, 1: amounts, 2: entries, 3: short numbers.
  Align align = Align::kLeft;
};

std::u32string CellText(PageBuilder& page, int language, const Column& column,
                        size_t most) {
  Random& r = page.random();
  most = std::max<size_t>(most, 2);
  switch (column.content) {
    case 1:
      return page.text().Amount(r, language);
    case 2:
      return most >= 8
                 ? page.text().Entry(r, language, most, Scenery::kDocument)
                 : page.text().Amount(r, language);
    case 3: {
      std::u32string digits;
      if (r.Chance(0.2f)) return page.text().IfSpelled(U"1");
      for (int n = r.Integer(1, 4); n > 0; --n)
        digits.push_back(U'0' + static_cast<char32_t>(r.Integer(0, 9)));
      return page.text().IfSpelled(digits);
    }
    default:
      return page.text().Phrase(r, language, 2, most);
  }
}

// Columns of uneven width that together are `width` wide.
std::vector<Column> MakeColumns(Random& r, float left, float width, int count) {
  std::vector<float> shares;
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    shares.push_back(r.Uniform(0.5f, i == 0 ? 2.5f : 1.5f));
    sum += shares.back();
  }
  std::vector<Column> columns;
  for (int i = 0; i < count; ++i) {
    Column c;
    c.left = left;
    c.right = left += width * shares[static_cast<size_t>(i)] / sum;
    c.content = i == 0 ? r.Integer(0, 1) * 3 : r.Integer(0, 3);
    c.align = c.content == 1 || c.content == 3
                  ? Align::kRight
                  : static_cast<Align>(r.Integer(0, 1));
    columns.push_back(c);
  }
  return columns;
}

}  // namespace

void DrawTable(PageBuilder& page) {
  Random& r = page.random();
  const int language = page.text().PickLanguage(r);
  const bool flat_scan = r.Chance(0.55f);
  const float fill = r.Uniform(0.85f, 1.25f);
  const Paper paper = LayPaper(page, r.Uniform(0.7f, 1.6f), fill, flat_scan);
  const TextLook body =
      PrintLook(page, language, BodySize(page), paper.ink, Scenery::kDocument);
  const float size = body.type.size,
              margin = paper.width * r.Uniform(0.02f, 0.1f);
  const Color rule = r.Chance(0.6f)
                         ? paper.ink
                         : Mix(paper.ink, paper.color, r.Uniform(0.2f, 0.8f));
  float y = margin;
  while (y + 4 * size < paper.height - margin) {
    if (r.Chance(0.6f)) {  // The heading of the table.
      const std::u32string raw = page.text().Phrase(r, language, 5, 50);
      const TextLook look = HeadingLook(page, body, raw, r.Uniform(1, 1.8f));
      y = page.WriteParagraph(
          page.Keep(raw, look.font), look,
          {.left = margin,
           .right = paper.width - margin,
           .top = y,
           .bottom = paper.height - margin,
           .line_height = look.type.size * 1.4f,
           .align = r.Chance(0.5f) ? Align::kLeft : Align::kCenter});
    }
    const float width = paper.width - 2 * margin;
    const int count =
        std::clamp(static_cast<int>(width / (size * r.Uniform(4, 10))), 1, 9);
    const std::vector<Column> columns = MakeColumns(r, margin, width, count);
    const float row = size * r.Uniform(1.35f, 2.6f), top = y;
    const int rows = std::min(
        r.Integer(3, 16), static_cast<int>((paper.height - margin - y) / row));
    if (rows < 1) break;
    const bool across = r.Chance(0.75f), upright = r.Chance(0.6f),
               stripes = r.Chance(0.25f), head = r.Chance(0.7f);
    // Without a rule between them, only a gap tells two cells from one line.
    const float inset =
        size * (upright ? r.Uniform(0.25f, 0.8f) : r.Uniform(0.8f, 1.5f));
    const float bottom = top + row * static_cast<float>(rows),
                thick = r.LogUniform(0.7f, 2.5f);
    const float strength = r.Uniform(0.08f, 0.4f);
    const Color shade = Mix(paper.color, RandomColor(r, 60, 220), strength);
    for (int i = 0; i < rows; ++i) {
      if ((stripes && i % 2 == 1) || (head && i == 0 && r.Chance(0.5f)))
        page.FillBox({margin, top + row * static_cast<float>(i), margin + width,
                      top + row * static_cast<float>(i + 1)},
                     {.color = shade});
    }
    Path rules;
    for (int i = 0; i <= rows && (across || upright); ++i) {
      const float at = top + row * static_cast<float>(i);
      if (across || i == 0 || i == rows)
        rules.AddSegment({margin, at}, {margin + width, at}, thick);
    }
    for (size_t c = 0; c <= columns.size() && upright; ++c) {
      const float at = c < columns.size() ? columns[c].left : margin + width;
      rules.AddSegment({at, top}, {at, bottom}, thick);
    }
    page.Fill(rules, {.color = rule});
    for (int i = 0; i < rows; ++i) {
      for (const Column& c : columns) {
        if (r.Chance(0.1f)) continue;
        const bool title = head && i == 0;
        TextLook look = body;
        if (title) look.type.weight = 2;
        const float room = c.right - c.left - 2 * inset;
        Column content = c;
        if (title) content.content = 0;
        const std::u32string text = page.Keep(
            CellText(
                page, language, content,
                static_cast<size_t>(std::max(room / (0.55f * size), 0.0f))),
            look.font);
        const float x = c.align == Align::kLeft    ? c.left + inset
                        : c.align == Align::kRight ? c.right - inset
                                                   : (c.left + c.right) / 2;
        page.Write(
            text, look,
            {x, top + row * (static_cast<float>(i) + 0.5f) + 0.35f * size},
            c.align, room);
      }
    }
    y = bottom + size * r.Uniform(0.8f, 3);
  }
}

}  // namespace munja::train
