// Forms: printed labels, boxes and lines, filled in by hand or machine.
#include <algorithm>

#include "synth/distractors.h"
#include "synth/layout_paper.h"
#include "synth/page_kinds.h"

namespace munja::train {
namespace {

class Form {
 public:
  explicit Form(PageBuilder& page)
      : page_(page),
        r_(page.random()),
        language_(page.text().PickLanguage(r_)) {
    const bool flat_scan = r_.Chance(0.5f);
    const float fill = r_.Uniform(0.85f, 1.25f);
    paper_ = LayPaper(page, r_.Uniform(0.65f, 1.4f), fill, flat_scan);
    label_ = PrintLook(page, language_, BodySize(page), paper_.ink,
                       Scenery::kDocument);
    // Another hand.
    const Scenery scenery =
        r_.Chance(0.5f) ? Scenery::kScene : Scenery::kDocument;
    const Color ink = r_.Chance(0.5f) ? Color{30, 40, 130} : paper_.ink;
    const float size = label_.type.size * r_.Uniform(0.9f, 1.5f);
    value_ = PrintLook(page, language_, size, ink, scenery);
    rule_ = Mix(paper_.ink, paper_.color, r_.Uniform(0, 0.6f));
    row_ =
        std::max(label_.type.size, value_.type.size) * r_.Uniform(1.5f, 2.4f);
    margin_ = paper_.width * r_.Uniform(0.03f, 0.1f);
  }

  void Draw() {
    float y = margin_;
    if (r_.Chance(0.8f)) {
      const std::u32string raw = page_.text().Phrase(r_, language_, 6, 40);
      const TextLook look =
          HeadingLook(page_, label_, raw, r_.Uniform(1.2f, 2.2f));
      y = page_.WriteParagraph(page_.Keep(raw, look.font), look,
                               {.left = margin_,
                                .right = paper_.width - margin_,
                                .top = y,
                                .bottom = paper_.height / 2,
                                .line_height = look.type.size * 1.3f,
                                .align = Align::kCenter}) +
          row_ * 0.5f;
    }
    const int fields =
        paper_.width > 28 * label_.type.size && r_.Chance(0.6f) ? 2 : 1;
    const float width =
        (paper_.width - 2 * margin_) / static_cast<float>(fields);
    while (y + 1.6f * row_ < paper_.height - margin_) {
      const float kind = r_.Unit();
      if (kind < 0.12f) {
        y = Section(y);
      } else if (kind < 0.25f) {
        y = Choices(y);
      } else {
        const int style = r_.Integer(0, 3);
        for (int f = 0; f < fields; ++f)
          Field(margin_ + width * static_cast<float>(f),
                width - 0.6f * label_.type.size, y, style);
        y += style == 3 ? 1.7f * row_ : row_ * 1.15f;
      }
    }
    if (r_.Chance(0.3f))
      DrawScribble(page_.canvas(), r_, page_.map,
                   {paper_.width * 0.5f, y - row_, paper_.width * 0.85f,
                    y + row_ * 0.5f},
                   {30, 40, 130});
  }

 private:
  std::u32string Label(size_t most) {
    std::u32string label =
        page_.Keep(page_.text().Phrase(r_, language_, 3, most), label_.font);
    if (!label.empty() && page_.text().Has(U':') && r_.Chance(0.4f))
      label.push_back(U':');
    return label;
  }
  std::u32string Value(size_t most) {
    return page_.Keep(
        page_.text().Entry(r_, language_, std::max<size_t>(most, 8),
                           Scenery::kDocument),
        value_.font);
  }

  float Section(float y) {
    const bool dark = r_.Chance(0.4f);
    TextLook look = label_;
    look.type.weight = 2;
    const Box bar{margin_, y, paper_.width - margin_, y + row_};
    if (dark) {
      page_.FillBox(bar, {.color = Mix(paper_.ink, paper_.color, 0.1f)});
      look.paint.color = paper_.color;
    } else if (r_.Chance(0.5f)) {
      page_.FillBox(bar, {.color = Mix(paper_.ink, paper_.color, 0.85f)});
    }
    page_.Write(Label(30), look,
                {margin_ + 0.5f * label_.type.size, y + row_ * 0.68f},
                Align::kLeft, bar.width() - label_.type.size);
    return y + row_ * 1.3f;
  }

  float Choices(float y) {
    const float size = label_.type.size * 0.8f, base = y + row_ * 0.65f;
    float x = margin_;
    for (int i = r_.Integer(1, 5); i > 0; --i) {
      const Box box{x, base - size, x + size, base};
      Path path;
      if (r_.Chance(0.7f))
        path.AddFrame(box, 1.2f);
      else
        path.AddFrame(box, 1.2f, size);
      page_.Fill(path, {.color = rule_});
      if (r_.Chance(0.35f)) {
        page_.Rule({box.left + 2, box.top + 2}, {box.right - 2, box.bottom - 2},
                   1.5f, value_.paint.color);
        page_.Rule({box.right - 2, box.top + 2}, {box.left + 2, box.bottom - 2},
                   1.5f, value_.paint.color);
      }
      const float wide =
          page_.Write(Label(14), label_, {x + size * 1.6f, base}, Align::kLeft,
                      paper_.width - margin_ - x - size * 1.6f);
      x += size * 1.6f + wide + 2 * label_.type.size;
      if (x + 5 * size > paper_.width - margin_) break;
    }
    return y + row_;
  }

  // 0: on a line after its label, 1: in a box after it, 2: one box around both,
  // 3: below its label, in combs.
  void Field(float left, float width, float y, int style) {
    const float size = label_.type.size, base = y + row_ * 0.65f;
    const auto fits = [](float room, const TextLook& look) {
      return static_cast<size_t>(
          std::max(room / (0.6f * look.type.size), 0.0f));
    };
    if (style == 3) {
      page_.Write(Label(fits(width, label_)), label_, {left, y + size},
                  Align::kLeft, width);
      const float top = y + size * 1.4f, cell = value_.type.size * 1.3f;
      const int cells =
          std::min(r_.Integer(4, 14), static_cast<int>(width / cell));
      for (int i = 0; i < cells; ++i) {
        Path path;
        path.AddFrame({left + cell * static_cast<float>(i), top,
                       left + cell * static_cast<float>(i + 1), top + cell},
                      1);
        page_.Fill(path, {.color = rule_});
      }
      // One character a cell, set wide: read as one line.
      std::u32string digits;
      for (int i = r_.Integer(0, cells); i > 0; --i)
        digits.push_back(U'0' + static_cast<char32_t>(r_.Integer(0, 9)));
      digits = page_.Keep(page_.text().IfSpelled(digits), value_.font);
      std::optional<SetLine> line = page_.Set(digits, value_);
      if (!line) return;
      line->ink = {1e9f, 1e9f, -1e9f, -1e9f};
      for (size_t i = 0; i < line->glyphs.size(); ++i) {
        SetGlyph& glyph = line->glyphs[i];
        const Box b = glyph.outline.Bounds();
        glyph.x = cell * (static_cast<float>(i) + 0.5f) - b.center().x;
        line->ink = {std::min(line->ink.left, b.left + glyph.x),
                     std::min(line->ink.top, b.top),
                     std::max(line->ink.right, b.right + glyph.x),
                     std::max(line->ink.bottom, b.bottom)};
      }
      page_.Draw(
          *line, digits, value_,
          {.origin = {left, top + cell * 0.5f + value_.type.size * 0.35f}});
      return;
    }
    const float wide =
        page_.Write(Label(fits(width * 0.4f, label_)), label_,
                    {left + 0.3f * size, base}, Align::kLeft, width * 0.5f);
    const float from = left + std::max(wide + size * 1.2f,
                                       style == 1 ? width * 0.4f : 0),
                room = left + width - from;
    if (style == 0)
      page_.Rule({from, base + size * 0.2f}, {left + width, base + size * 0.2f},
                 1, rule_);
    Path box;
    if (style == 1) box.AddFrame({from, y, left + width, y + row_}, 1);
    if (style == 2) box.AddFrame({left, y, left + width, y + row_ * 1.15f}, 1);
    page_.Fill(box, {.color = rule_});
    if (r_.Chance(0.75f) && room > 3 * size) {
      const float left_of_value = from + size * r_.Uniform(0.7f, 1.5f);
      page_.Write(Value(fits(room, value_)), value_, {left_of_value, base},
                  Align::kLeft, room - 1.5f * size);
    }
  }

  PageBuilder& page_;
  Random& r_;
  int language_;
  Paper paper_;
  TextLook label_, value_;
  Color rule_;
  float row_ = 0, margin_ = 0;
};

}  // namespace

void DrawForm(PageBuilder& page) { Form(page).Draw(); }

}  // namespace munja::train
