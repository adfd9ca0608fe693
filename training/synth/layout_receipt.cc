// Receipts: narrow strips of thermal paper; articles left, amounts right.
#include <algorithm>
#include <cmath>

#include "synth/distractors.h"
#include "synth/grammar.h"
#include "synth/layout_paper.h"
#include "synth/page_kinds.h"

namespace munja::train {
namespace {

class Receipt {
 public:
  explicit Receipt(PageBuilder& page)
      : page_(page),
        r_(page.random()),
        language_(page.text().PickLanguage(r_)) {
    // Whole ones are high and narrow; close-ups show a piece of the strip.
    const bool whole = r_.Chance(0.45f);
    const float aspect =
        whole ? r_.Uniform(0.36f, 0.7f) : r_.Uniform(0.6f, 1.1f);
    const bool flat_scan = r_.Chance(0.45f);
    const float fill =
        whole ? r_.Uniform(0.85f, 1.05f) : r_.Uniform(1.0f, 1.5f);
    paper_ = LayPaper(page, aspect, fill, flat_scan);
    const float columns = r_.Uniform(24, 46);  // Characters a line.
    margin_ = paper_.width * r_.Uniform(0.03f, 0.1f);
    // Many printers set all letters high and narrow, so that a strip holds more
    // of them.
    const float stretch = r_.Chance(0.4f) ? r_.Uniform(0.5f, 0.85f) : 1;
    const float size = std::max(
        (paper_.width - 2 * margin_) / (0.6f * columns * std::sqrt(stretch)),
        9.0f);  // Hardly any smaller can be read.
    body_ = PrintLook(page, language_, size, paper_.ink, Scenery::kReceipt);
    body_.type.stretch *= stretch;
    const float print = r_.Unit();
    if (print < 0.4f) body_.fade = r_.Uniform(0.1f, 0.75f);
    if (print > 0.9f) body_.dots = r_.Uniform(0.07f, 0.1f);
    if (r_.Chance(0.2f))
      body_.paint.color =
          Mix(paper_.ink, paper_.color, r_.Uniform(0.1f, 0.55f));
    // The tightest print leaves a third of a capital between lines.
    leading_ = size * (r_.Chance(0.4f) ? r_.Uniform(0.88f, 1.1f)
                                       : r_.Uniform(1.02f, 1.6f));
    shout_ = r_.Chance(0.4f);
    left_ = margin_;
    right_ = paper_.width - margin_;
  }

  void Draw() {
    float y = margin_ * r_.Uniform(0.3f, 1) + leading_;
    const float bottom = paper_.height - leading_;
    y = Head(y);
    int since_total = 0;
    while (y < bottom) {
      const float kind = r_.Unit();
      if (kind < 0.1f) {
        y = Separator(y);
      } else if (kind < 0.25f) {
        y = Pairs(y, bottom);
      } else if (kind < 0.55f) {
        y = Items(y, bottom);
        ++since_total;
      } else if (kind < 0.65f) {
        y = Columns(y, bottom);
        ++since_total;
      } else if (kind < 0.8f && since_total > 0) {
        y = Totals(y, bottom);
      } else if (kind < 0.93f) {
        y = Centered(y, r_.Integer(1, 3), bottom);
      } else if (kind < 0.96f && y + 4 * leading_ < bottom) {
        y = Code(y);
      } else {
        y += leading_ * r_.Uniform(0.4f, 1.5f);
      }
    }
  }

 private:
  std::u32string Voice(const std::u32string& text) const {
    return page_.Keep(shout_ ? ToUpper(text) : text, body_.font);
  }

  float Head(float y) {
    if (r_.Chance(0.25f)) {
      const float size = leading_ * r_.Uniform(2, 4), center = paper_.width / 2;
      DrawIcon(page_.canvas(), r_, page_.map,
               {center - size / 2, y - leading_ * 0.5f, center + size / 2,
                y + size - leading_ * 0.5f},
               paper_.ink);
      y += size + leading_ * 0.5f;
    }
    if (r_.Chance(0.6f)) {
      const std::u32string name = page_.text().Phrase(r_, language_, 3, 18);
      TextLook look = HeadingLook(page_, body_, name, r_.Uniform(1.2f, 2.4f));
      Deform(look);
      y += look.type.size * 0.7f;
      page_.Write(page_.Keep(name, look.font), look, {paper_.width / 2, y},
                  Align::kCenter, right_ - left_);
      y += leading_ * r_.Uniform(1, 1.5f);
    }
    return Centered(y, r_.Integer(1, 5), paper_.height);
  }

  // Letters of double height or double width, as receipt printers make them.
  void Deform(TextLook& look) {
    const float kind = r_.Unit();
    if (kind < 0.25f) look.type.stretch *= 0.5f;
    if (kind > 0.85f) look.type.stretch *= 1.6f;
  }

  float Centered(float y, int count, float bottom) {
    for (int i = 0; i < count && y < bottom; ++i, y += leading_)
      page_.Write(
          Voice(page_.text().Entry(r_, language_, 30, Scenery::kReceipt)),
          body_, {paper_.width / 2, y}, Align::kCenter, right_ - left_);
    return y;
  }

  // A row of marks is no text that anybody asks for.
  float Separator(float y) {
    static constexpr char32_t kMarks[] = {U'-', U'=', U'*', U'_', U'.'};
    const float kind = r_.Unit();
    if (kind < 0.5f) {
      const char32_t mark = kMarks[r_.Below(5)];
      const std::optional<SetLine> one =
          page_.Set(std::u32string(1, mark), body_);
      if (one && one->advance > 1) {
        const std::u32string row(
            static_cast<size_t>(
                std::clamp((right_ - left_) / one->advance, 1.0f, 120.0f)),
            mark);
        if (const std::optional<SetLine> line = page_.Set(row, body_))
          page_.Adorn(*line, body_, {.origin = {left_, y}});
      }
    } else if (kind < 0.8f) {
      Path dashes;
      const float dash = r_.Uniform(2, 8);
      for (float x = left_; x + dash < right_; x += 2 * dash)
        dashes.AddSegment({x, y - leading_ * 0.3f},
                          {x + dash, y - leading_ * 0.3f}, 1.2f);
      page_.Fill(dashes, {.color = paper_.ink});
    } else {
      page_.Rule({left_, y - leading_ * 0.3f}, {right_, y - leading_ * 0.3f},
                 r_.Uniform(0.8f, 2.5f), paper_.ink);
    }
    return y + leading_;
  }

  // A label and what it stands for, close together or in columns.
  float Pairs(float y, float bottom) {
    const float column = left_ + (right_ - left_) * r_.Uniform(0.3f, 0.5f);
    const bool apart = r_.Chance(0.5f);
    for (int i = r_.Integer(1, 5); i > 0 && y < bottom; --i, y += leading_) {
      std::u32string label = Voice(page_.text().Phrase(r_, language_, 2, 10));
      if (!label.empty() && page_.text().Has(U':') && r_.Chance(0.7f))
        label.push_back(U':');
      const std::u32string value =
          Voice(page_.text().Entry(r_, language_, 20, Scenery::kReceipt));
      if (apart) {
        Row({{label, left_, Align::kLeft}, {value, column, Align::kLeft}}, y,
            body_);
      } else {
        page_.Write(label.empty() || value.empty() ? label + value
                                                   : label + U" " + value,
                    body_, {left_, y}, Align::kLeft, right_ - left_);
      }
    }
    return y;
  }

  float Items(float y, float bottom) {
    const bool quantity = r_.Chance(0.5f), code = r_.Chance(0.25f),
               mark = r_.Chance(0.25f), leads = r_.Chance(0.35f);
    const float width = right_ - left_;
    // The indent of articles behind their quantity, which then stands alone.
    const float indent = leads ? body_.type.size * r_.Uniform(2.6f, 5) : 0.0f;
    for (int i = r_.Integer(1, 7); i > 0 && y < bottom; --i, y += leading_) {
      const std::u32string article =
          Voice(page_.text().Phrase(r_, language_, 3, 22));
      const std::u32string amount =
          page_.Keep(page_.text().Amount(r_, language_), body_.font);
      if (code) {
        page_.Write(Digits(r_.Integer(6, 13)), body_, {left_, y}, Align::kLeft,
                    width);
        y += leading_;
      }
      std::vector<Cell> cells;
      if (leads) {
        cells.push_back({Quantity(), left_, Align::kLeft});
        cells.push_back({article, left_ + indent, Align::kLeft});
      } else if (r_.Chance(0.35f)) {  // Two rows: the article, then numbers.
        page_.Write(article, body_, {left_, y}, Align::kLeft, width);
        y += leading_;
        if (y >= bottom) break;
        cells.push_back({Quantity(), left_ + width * 0.08f, Align::kLeft});
        cells.push_back(
            {page_.Keep(page_.text().Amount(r_, language_), body_.font),
             left_ + width * 0.45f, Align::kRight});
      } else {
        cells.push_back({article, left_, Align::kLeft});
        if (quantity)
          cells.push_back({Quantity(), left_ + width * 0.66f, Align::kRight});
      }
      cells.push_back(
          {amount, right_ - (mark ? 3 * body_.type.size : 0), Align::kRight});
      if (mark) cells.push_back({Letters(), right_, Align::kRight});
      Row(cells, y, body_);
    }
    return y;
  }

  // Rows of numbers below each other: quantities, rates, amounts, and the lone
  // digits and letters that stand for goods and taxes.
  float Columns(float y, float bottom) {
    const int count = r_.Integer(3, 5);
    const float step = (right_ - left_) / static_cast<float>(count);
    std::vector<int> kinds;
    for (int i = 0; i < count; ++i) kinds.push_back(r_.Integer(0, 3));
    for (int i = r_.Integer(2, 6); i > 0 && y < bottom; --i, y += leading_) {
      std::vector<Cell> cells;
      for (int c = 0; c < count; ++c) {
        const float right = left_ + step * static_cast<float>(c + 1);
        switch (kinds[static_cast<size_t>(c)]) {
          case 0:
            cells.push_back({Quantity(), right, Align::kRight});
            break;
          case 1:
            cells.push_back({Digits(r_.Integer(1, 4)), right, Align::kRight});
            break;
          case 2:
            cells.push_back(
                {page_.Keep(page_.text().Amount(r_, language_), body_.font),
                 right, Align::kRight});
            break;
          default:
            cells.push_back({Letters(), right, Align::kRight});
        }
      }
      Row(cells, y, body_);
    }
    return y;
  }

  float Totals(float y, float bottom) {
    for (int i = r_.Integer(1, 4); i > 0 && y < bottom; --i) {
      TextLook look = body_;
      if (r_.Chance(0.3f)) {
        look.type.size *= r_.Uniform(1.1f, 1.8f);
        look.type.weight = 2;
        Deform(look);
        y += look.type.size - body_.type.size;
      }
      Row({{Voice(page_.text().Phrase(r_, language_, 3, 14)),
            left_ + (r_.Chance(0.3f) ? (right_ - left_) * 0.25f : 0),
            Align::kLeft},
           {page_.Keep(page_.text().Amount(r_, language_), body_.font), right_,
            Align::kRight}},
          y, look);
      y += leading_ * look.type.size / body_.type.size;
    }
    return y;
  }

  float Code(float y) {
    const float width = right_ - left_, center = paper_.width / 2,
                high = leading_ * r_.Uniform(2, 4);
    if (r_.Chance(0.6f)) {
      DrawBarcode(page_.canvas(), r_, page_.map,
                  {center - width * 0.35f, y, center + width * 0.35f, y + high},
                  paper_.ink);
      y += high + leading_;
      page_.Write(Digits(r_.Integer(8, 16)), body_, {center, y}, Align::kCenter,
                  width);
    } else {
      DrawMatrixCode(page_.canvas(), r_, page_.map,
                     {center - high, y, center + high, y + 2 * high},
                     paper_.ink);
      y += 2 * high;
    }
    return y + 1.5f * leading_;
  }

  struct Cell {
    std::u32string text;
    float x;
    Align align;
  };
  // Cells of one row; what is closer than a line's height becomes one line, as
  // it reads as one.
  void Row(const std::vector<Cell>& cells, float y, const TextLook& look) {
    float end = -1e9f;
    for (const Cell& cell : cells) {
      const std::optional<SetLine> line = page_.Set(cell.text, look);
      if (!line) continue;
      const float x =
          cell.align == Align::kRight ? cell.x - line->advance : cell.x;
      // No room: left out, rather than run into one another.
      if (x < end + 1.6f * look.type.size ||
          x + line->advance > right_ + look.type.size)
        continue;
      page_.Draw(*line, cell.text, look, {.origin = {x, y}});
      end = x + line->advance;
    }
  }

  std::u32string Digits(int count) {
    std::u32string digits;
    for (int i = 0; i < count; ++i)
      digits.push_back(U'0' +
                       static_cast<char32_t>(r_.Integer(i == 0 ? 1 : 0, 9)));
    return page_.text().IfSpelled(digits);
  }

  // Mostly a lone 1, which is easily taken for a stroke; rarely two digits.
  std::u32string Quantity() {
    if (r_.Chance(0.55f)) return page_.text().IfSpelled(U"1");
    if (r_.Chance(0.2f)) return page_.text().IfSpelled(U"0");
    return Digits(r_.Chance(0.8f) ? 1 : 2);
  }

  // Letters that mark goods by their tax rate.
  std::u32string Letters() {
    std::u32string letters;
    for (int n = r_.Integer(1, 2); n > 0; --n)
      letters.push_back(U'A' + static_cast<char32_t>(r_.Integer(0, 25)));
    return page_.text().IfSpelled(letters);
  }

  PageBuilder& page_;
  Random& r_;
  int language_;
  Paper paper_;
  TextLook body_;
  float leading_ = 0, margin_ = 0, left_ = 0, right_ = 0;
  bool shout_ = false;
};

}  // namespace

void DrawReceipt(PageBuilder& page) { Receipt(page).Draw(); }

}  // namespace munja::train
