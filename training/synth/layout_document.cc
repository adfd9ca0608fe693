// Documents: letters, articles, reports, books.
#include <algorithm>

#include "synth/distractors.h"
#include "synth/layout_paper.h"
#include "synth/page_kinds.h"

namespace munja::train {
namespace {

class Document {
 public:
  explicit Document(PageBuilder& page)
      : page_(page),
        r_(page.random()),
        language_(page.text().PickLanguage(r_)) {
    const float fill =
        r_.Chance(0.35f) ? r_.Uniform(0.8f, 1.0f) : r_.Uniform(1.0f, 1.35f);
    const bool flat_scan = r_.Chance(0.4f);
    const float aspect =
        r_.Chance(0.6f) ? r_.Uniform(0.68f, 0.8f) : r_.Uniform(0.8f, 1.5f);
    paper_ = LayPaper(page, aspect, fill, flat_scan);
    body_ = PrintLook(page, language_, BodySize(page), paper_.ink,
                      Scenery::kDocument);
    if (r_.Chance(0.04f)) body_.dots = 0.09f;
    if (r_.Chance(0.1f)) body_.fade = r_.Uniform(0.1f, 0.6f);
    leading_ = body_.type.size * r_.Uniform(1.12f, 1.9f);
    margin_ = paper_.width * r_.Uniform(0.04f, 0.13f);
    justify_ = r_.Chance(0.45f);
    align_ = r_.Chance(0.9f) ? Align::kLeft : Align::kCenter;
  }

  void Draw() {
    float top = margin_, bottom = paper_.height - margin_;
    if (r_.Chance(0.4f)) RunningHead(top - 0.4f * leading_);
    if (r_.Chance(0.5f)) PageNumber(paper_.height - margin_ * 0.4f);
    if (r_.Chance(0.5f)) top = Title(top);
    const int columns = paper_.width > 24 * body_.type.size && r_.Chance(0.4f)
                            ? (r_.Chance(0.8f) ? 2 : 3)
                            : 1;
    const float gap = body_.type.size * r_.Uniform(1.5f, 3);
    const float width =
        (paper_.width - 2 * margin_ - gap * static_cast<float>(columns - 1)) /
        static_cast<float>(columns);
    for (int c = 0; c < columns; ++c) {
      const float left = margin_ + (width + gap) * static_cast<float>(c);
      Column(left, left + width, top, bottom);
      if (c > 0 && r_.Chance(0.2f))
        page_.Rule({left - gap / 2, top}, {left - gap / 2, bottom}, 1,
                   paper_.ink);
    }
    if (r_.Chance(0.08f))
      DrawScribble(
          page_.canvas(), r_, page_.map,
          {margin_, bottom - 4 * leading_, margin_ + 8 * leading_, bottom},
          {40, 40, 120});
  }

 private:
  void RunningHead(float baseline) {
    TextLook look = body_;
    look.type.size *= 0.85f;
    const std::u32string text =
        page_.Keep(page_.text().Phrase(r_, language_, 6, 40), look.font);
    page_.Write(text, look,
                {r_.Chance(0.5f) ? margin_ : paper_.width / 2, baseline},
                Align::kLeft, paper_.width / 2);
    if (r_.Chance(0.4f))
      page_.Rule({margin_, baseline + 4},
                 {paper_.width - margin_, baseline + 4}, 1, paper_.ink);
  }

  void PageNumber(float baseline) {
    std::u32string number;
    for (int n = r_.Integer(1, 3); n > 0; --n)
      number.push_back(U'0' + static_cast<char32_t>(r_.Integer(1, 9)));
    if (r_.Chance(0.3f))
      number = page_.text().IfSpelled(U"- " + number + U" -");
    const int where = r_.Integer(0, 2);
    page_.Write(number, body_,
                {where == 0   ? paper_.width / 2
                 : where == 1 ? paper_.width - margin_
                              : margin_,
                 baseline},
                where == 0   ? Align::kCenter
                : where == 1 ? Align::kRight
                             : Align::kLeft);
  }

  float Title(float top) {
    const std::u32string raw = page_.text().Phrase(r_, language_, 8, 60);
    const TextLook look =
        HeadingLook(page_, body_, raw, r_.Uniform(1.3f, 2.6f));
    const float after = page_.WriteParagraph(
        page_.Keep(raw, look.font), look,
        {.left = margin_,
         .right = paper_.width - margin_,
         .top = top,
         .bottom = paper_.height / 2,
         .line_height = look.type.size * 1.25f,
         .align = r_.Chance(0.5f) ? Align::kCenter : Align::kLeft});
    if (r_.Chance(0.3f))
      page_.Rule({margin_, after + 3}, {paper_.width - margin_, after + 3},
                 r_.Uniform(0.8f, 3), paper_.ink);
    return after + leading_ * r_.Uniform(0.3f, 1.2f);
  }

  void Column(float left, float right, float y, float bottom) {
    while (y + leading_ < bottom) {
      const float kind = r_.Unit();
      if (kind < 0.62f) {
        const float lines = static_cast<float>(r_.Integer(1, 9));
        const std::u32string text = Text(static_cast<size_t>(
            lines * (right - left) / (0.5f * body_.type.size)));
        y = page_.WriteParagraph(
            text, body_,
            {.left = left,
             .right = right,
             .top = y,
             .bottom = bottom,
             .line_height = leading_,
             .indent = r_.Chance(0.3f) ? 2 * body_.type.size : 0,
             .align = align_,
             .justify = justify_});
        y += leading_ * r_.Uniform(0, 1);
      } else if (kind < 0.74f) {
        y = Heading(left, right, y + 0.4f * leading_, bottom);
      } else if (kind < 0.87f) {
        y = List(left, right, y, bottom);
      } else if (kind < 0.93f) {
        const float high = std::min((right - left) * r_.Uniform(0.3f, 0.8f),
                                    bottom - y - 2 * leading_);
        if (high > 2 * leading_) {
          const Box box{left, y, right, y + high};
          if (r_.Chance(0.65f))
            DrawPhoto(page_.canvas(), r_, page_.map, box);
          else
            DrawChart(page_.canvas(), r_, page_.map, box.Inset(4), paper_.ink);
          TextLook caption = body_;
          caption.type.size *= 0.85f;
          y = page_.WriteParagraph(Text(30), caption,
                                   {.left = left,
                                    .right = right,
                                    .top = y + high + 0.2f * leading_,
                                    .bottom = bottom,
                                    .line_height = leading_,
                                    .align = Align::kCenter});
        }
        y += leading_ * 0.6f;
      } else if (kind < 0.96f) {
        page_.Rule({left, y + leading_ / 2}, {right, y + leading_ / 2}, 1,
                   paper_.ink);
        y += leading_;
      } else {
        y += leading_ * r_.Uniform(0.5f, 3);
      }
    }
  }

  float Heading(float left, float right, float y, float bottom) {
    const std::u32string raw = page_.text().Phrase(r_, language_, 4, 36);
    const TextLook look =
        HeadingLook(page_, body_, raw, r_.Uniform(1.0f, 1.6f));
    return page_.WriteParagraph(page_.Keep(raw, look.font), look,
                                {.left = left,
                                 .right = right,
                                 .top = y,
                                 .bottom = bottom,
                                 .line_height = look.type.size * 1.3f,
                                 .align = align_}) +
           0.2f * leading_;
  }

  float List(float left, float right, float y, float bottom) {
    const float indent = body_.type.size * r_.Uniform(1.2f, 2);
    const int marker = r_.Integer(0, 2);
    for (int i = 1, n = r_.Integer(2, 6); i <= n && y + leading_ < bottom;
         ++i) {
      std::u32string text = Text(static_cast<size_t>(r_.Integer(8, 60)));
      if (marker == 2) {
        const std::u32string number = {
            static_cast<char32_t>(U'0' + static_cast<char32_t>(i)), U'.', U' '};
        if (page_.text().alphabet().Spells(number)) text = number + text;
      } else {
        Path bullet;
        const Point at{left + indent * 0.5f,
                       y + leading_ * 0.8f - body_.type.size * 0.3f};
        const float size = body_.type.size * 0.14f;
        if (marker == 0)
          bullet.AddEllipse(at, size, size);
        else
          bullet.AddBox({at.x - size, at.y - size, at.x + size, at.y + size});
        page_.Fill(bullet, {.color = paper_.ink});
      }
      y = page_.WriteParagraph(text, body_,
                               {.left = left + indent,
                                .right = right,
                                .top = y,
                                .bottom = bottom,
                                .line_height = leading_});
    }
    return y + leading_ * 0.3f;
  }

  std::u32string Text(size_t characters) {
    return page_.Keep(
        page_.text().Running(r_, language_, std::min<size_t>(characters, 900)),
        body_.font);
  }

  PageBuilder& page_;
  Random& r_;
  int language_;
  Paper paper_;
  TextLook body_;
  float leading_ = 0, margin_ = 0;
  bool justify_ = false;
  Align align_ = Align::kLeft;
};

}  // namespace

void DrawDocument(PageBuilder& page) { Document(page).Draw(); }

}  // namespace munja::train
