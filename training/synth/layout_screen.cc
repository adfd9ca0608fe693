// Screens: windows, menus, buttons, lists, chats, as screenshots or
// photographed.
#include <algorithm>
#include <cmath>

#include "synth/distractors.h"
#include "synth/page_builder.h"
#include "synth/page_kinds.h"
#include "synth/texture.h"

namespace munja::train {
namespace {

class Screen {
 public:
  explicit Screen(PageBuilder& page)
      : page_(page),
        r_(page.random()),
        language_(page.text().PickLanguage(r_)) {
    const bool photographed = r_.Chance(0.25f);
    width_ = page.width();
    height_ = page.height();
    page.capture = photographed ? Capture::kPhone : Capture::kScreenshot;
    const bool dark = r_.Chance(0.4f);
    base_ = dark ? RandomColor(r_, 5, 60) : RandomColor(r_, 215, 255);
    if (r_.Chance(0.6f))
      base_ = Mix(base_, dark ? Color{25, 25, 28} : Color{250, 250, 250}, 0.8f);
    ink_ = dark ? RandomColor(r_, 200, 255) : RandomColor(r_, 0, 60);
    const float value = r_.Uniform(0.4f, 0.95f);
    const float saturation = r_.Uniform(0.5f, 1);
    accent_ = FromHsv(r_.Unit(), saturation, value);
    raised_ = Mix(base_, ink_, r_.Uniform(0.03f, 0.14f));
    if (photographed) {
      PaintBackdrop(page.canvas(), r_);
      const float fill = r_.Uniform(0.85f, 1.3f);
      page.map = page.RandomView(width_, height_, fill, 0.7f, true);
    }
    page.FillBox({0, 0, width_, height_}, {.color = base_});
    look_.font = page.PickFont(language_, Scenery::kScreen);
    look_.type.size =
        r_.LogUniform(page.recipe().screen_from, page.recipe().screen_to);
    if (r_.Chance(0.15f)) look_.type.weight = 1;
    look_.paint.color = ink_;
    row_ = look_.type.size * r_.Uniform(1.5f, 2.6f);
    corner_ = r_.Chance(0.6f) ? r_.Uniform(2, 12) : 0;
  }

  void Draw() {
    Box rest{0, 0, width_, height_}, dialog{};
    if (r_.Chance(0.3f)) {
      const float w = width_ * r_.Uniform(0.4f, 0.75f),
                  h = row_ * r_.Uniform(3.5f, 6);
      dialog = {(width_ - w) / 2, (height_ - h) / 2, (width_ + w) / 2,
                (height_ + h) / 2};
      page_.KeepOut(dialog.Inset(-6));
    }
    if (r_.Chance(0.7f)) {
      const float high = row_ * r_.Uniform(1, 1.5f);
      Bar({0, 0, width_, high}, r_.Chance(0.4f) ? accent_ : raised_);
      rest.top = high;
    }
    if (r_.Chance(0.4f)) {
      const float high = row_ * r_.Uniform(0.9f, 1.4f);
      Bar({0, height_ - high, width_, height_}, raised_);
      rest.bottom -= high;
    }
    if (r_.Chance(0.45f)) {
      const float wide =
          std::min(width_ * r_.Uniform(0.2f, 0.35f), look_.type.size * 14);
      List({0, rest.top, wide, rest.bottom}, true);
      rest.left = wide;
    }
    rest = rest.Inset(row_ * 0.4f);
    switch (r_.Integer(0, 4)) {
      case 0:
        Chat(rest);
        break;
      case 1:
        Cards(rest);
        break;
      case 2:
        List(rest, false);
        break;
      case 3:
        Settings(rest);
        break;
      default:
        Article(rest);
        break;
    }
    page_.KeepOut({});
    if (dialog.width() > 0) Dialog(dialog);
  }

 private:
  std::u32string Phrase(size_t least, size_t most) const {
    return page_.Keep(page_.text().Phrase(r_, language_, least, most),
                      look_.font);
  }
  static size_t Fits(float room, const TextLook& look) {
    return static_cast<size_t>(std::max(room / (0.55f * look.type.size), 2.0f));
  }
  TextLook On(Color below) const {
    TextLook look = look_;
    look.paint.color =
        Luma(below) > 140 ? Color{20, 20, 24} : Color{245, 245, 245};
    return look;
  }
  float Base(const Box& box, const TextLook& look) const {
    return box.center().y + 0.35f * look.type.size;
  }
  void Icon(Point center, float size, Color color) {
    DrawIcon(page_.canvas(), r_, page_.map,
             {center.x - size / 2, center.y - size / 2, center.x + size / 2,
              center.y + size / 2},
             color);
  }

  // A title bar, tabs, a menu, a row of icons.
  void Bar(const Box& box, Color color) {
    page_.FillBox(box, {.color = color});
    const TextLook look = On(color);
    float x = box.left + row_ * 0.5f;
    const float size = look.type.size;
    if (r_.Chance(0.5f)) {
      Icon({x + size / 2, box.center().y}, size, look.paint.color);
      x += 2 * size;
    }
    const int items = r_.Integer(1, 6);
    for (int i = 0; i < items; ++i) {
      const float wide = page_.Write(Phrase(2, items == 1 ? 30 : 10), look,
                                     {x, Base(box, look)}, Align::kLeft,
                                     box.right - x - 3 * size);
      if (wide == 0) break;
      x += wide + size * r_.Uniform(1.8f, 3);
    }
    if (x + 4 * size < box.right) {
      for (int i = r_.Integer(0, 3); i > 0; --i)
        Icon({box.right - size * (0.4f + 1.8f * static_cast<float>(i)),
              box.center().y},
             size, look.paint.color);
    }
  }

  void List(const Box& box, bool panel) {
    if (panel) page_.FillBox(box, {.color = raised_});
    const Color below = panel ? raised_ : base_;
    const bool icons = r_.Chance(0.5f), values = !panel && r_.Chance(0.6f),
               rules = r_.Chance(0.4f), two = r_.Chance(0.3f);
    const int chosen = r_.Integer(-3, 8);
    const float high = row_ * (two ? 1.9f : 1.1f);
    int i = 0;
    for (float y = box.top + 2; y + high < box.bottom; y += high, ++i) {
      const Box item{box.left, y, box.right, y + high};
      Color color = below;
      if (i == chosen)
        page_.FillBox(item.Inset(1), {.color = color = accent_}, corner_);
      TextLook look = On(color);
      float x = item.left + look.type.size * 0.8f;
      if (icons) {
        Icon({x + look.type.size / 2, item.center().y}, look.type.size,
             r_.Chance(0.3f) ? accent_ : look.paint.color);
        x += look.type.size * 2;
      }
      const float base = two ? y + high * 0.4f : Base(item, look);
      const float wide =
          page_.Write(Phrase(2, Fits((item.right - x) * 0.6f, look)), look,
                      {x, base}, Align::kLeft, item.right - x - 4);
      if (two) {
        TextLook small = look;
        small.type.size *= 0.82f;
        small.paint.color = Mix(look.paint.color, color, 0.35f);
        page_.Write(Phrase(6, Fits((item.right - x) * 0.8f, small)), small,
                    {x, y + high * 0.8f}, Align::kLeft, item.right - x - 4);
      }
      if (values && x + wide + 6 * look.type.size < item.right)
        page_.Write(page_.Keep(page_.text().Amount(r_, language_), look.font),
                    look, {item.right - 6, base}, Align::kRight,
                    item.right - x - wide - 2 * look.type.size);
      if (rules)
        page_.Rule({item.left, item.bottom}, {item.right, item.bottom}, 1,
                   Mix(below, ink_, 0.15f));
    }
  }

  void Button(const Box& box, std::u32string_view text, bool filled) {
    const Color color = filled ? accent_ : base_;
    if (filled) {
      page_.FillBox(box, {.color = color}, corner_);
    } else {
      Path frame;
      frame.AddFrame(box, 1, corner_);
      page_.Fill(frame, {.color = Mix(base_, ink_, 0.5f)});
    }
    const TextLook look = On(color);
    page_.Write(text, look, {box.center().x, Base(box, look)}, Align::kCenter,
                box.width() - 4);
  }

  void Cards(const Box& box) {
    const int columns = std::clamp(
        static_cast<int>(box.width() / (look_.type.size * 11)), 1, 4);
    const float w = box.width() / static_cast<float>(columns),
                h = std::min(w * r_.Uniform(0.6f, 1.3f), box.height() * 0.98f),
                gap = row_ * 0.25f;
    const bool photo = r_.Chance(0.6f);
    for (float y = box.top; y + h < box.bottom; y += h) {
      for (int c = 0; c < columns; ++c) {
        const Box card = Box{box.left + w * static_cast<float>(c), y,
                             box.left + w * static_cast<float>(c + 1), y + h}
                             .Inset(gap);
        page_.FillBox(card, {.color = raised_}, corner_);
        float top = card.top + 2;
        if (photo) {
          top = card.top + card.height() * r_.Uniform(0.4f, 0.6f);
          DrawPhoto(page_.canvas(), r_, page_.map,
                    {card.left, card.top, card.right, top});
        }
        const TextLook look = On(raised_);
        const float end =
            page_.WriteParagraph(Phrase(6, 40), look,
                                 {.left = card.left + 6,
                                  .right = card.right - 6,
                                  .top = top + 3,
                                  .bottom = card.bottom - row_,
                                  .line_height = look.type.size * 1.3f});
        if (end + row_ < card.bottom)
          page_.Write(page_.Keep(page_.text().Amount(r_, language_), look.font),
                      look,
                      {card.left + 6, card.bottom - 0.5f * look.type.size},
                      Align::kLeft, card.width() - 12);
      }
    }
  }

  void Chat(const Box& box) {
    float y = box.top;
    while (y + 2 * row_ < box.bottom) {
      const bool own = r_.Chance(0.5f);
      const Color color = own ? accent_ : raised_;
      const TextLook look = On(color);
      const float most = box.width() * 0.7f, pad = look.type.size * 0.6f;
      std::u32string text = Phrase(2, 24);
      if (r_.Chance(0.5f))
        text = page_.Keep(
            page_.text().Running(r_, language_,
                                 static_cast<size_t>(r_.Integer(20, 110))),
            look.font);
      const std::optional<SetLine> all = page_.Set(text, look);
      if (!all) {
        y += 4;
        continue;
      }
      const float leading = look.type.size * 1.35f,
                  wide = std::min(all->advance * 1.03f + 2, most);
      // Words do not break evenly: one row more than the length asks for.
      const float rows =
          all->advance < most ? 1 : std::ceil(all->advance / most * 1.12f);
      const float high = rows * leading + 2 * pad;
      if (y + high > box.bottom) break;
      const float left =
          own ? box.right - wide - 2 * pad : box.left + 1.8f * row_;
      if (!own) {
        Path face;
        face.AddEllipse({box.left + 0.8f * row_, y + 0.7f * row_}, 0.6f * row_,
                        0.6f * row_);
        page_.Fill(face, {.color = RandomColor(r_, 60, 200)});
      }
      page_.FillBox({left, y, left + wide + 2 * pad, y + high},
                    {.color = color}, std::max(corner_, 6.0f));
      page_.WriteParagraph(text, look,
                           {.left = left + pad,
                            .right = left + pad + wide,
                            .top = y + pad,
                            .bottom = y + high,
                            .line_height = leading});
      y += high + row_ * r_.Uniform(0.2f, 0.7f);
      if (r_.Chance(0.3f) && y + row_ < box.bottom) {
        TextLook small = look_;
        small.type.size *= 0.75f;
        small.paint.color = Mix(ink_, base_, 0.4f);
        page_.Write(
            page_.Keep(page_.text().Entry(r_, language_, 14, Scenery::kScreen),
                       small.font),
            small, {box.center().x, y + small.type.size}, Align::kCenter,
            box.width());
        y += row_;
      }
    }
  }

  void Settings(const Box& box) {
    for (float y = box.top; y + 1.5f * row_ < box.bottom;) {
      const float kind = r_.Unit(),
                  field = box.left + box.width() * r_.Uniform(0.35f, 0.5f);
      if (kind < 0.45f) {  // A label and a field.
        page_.Write(Phrase(3, Fits(field - box.left, look_)), look_,
                    {box.left, y + row_ * 0.68f}, Align::kLeft,
                    field - box.left - 6);
        const Box input{field, y, box.right, y + row_};
        page_.FillBox(input, {.color = raised_}, corner_);
        if (r_.Chance(0.75f))
          page_.Write(page_.Keep(page_.text().Entry(r_, language_, 24,
                                                    Scenery::kScreen),
                                 look_.font),
                      On(raised_), {input.left + 6, y + row_ * 0.68f},
                      Align::kLeft, input.width() - 12);
      } else if (kind < 0.65f) {  // A switch.
        page_.Write(Phrase(4, 26), look_, {box.left, y + row_ * 0.68f},
                    Align::kLeft, box.width() - 3 * row_);
        const Box track{box.right - 1.6f * row_, y + 0.15f * row_, box.right,
                        y + 0.85f * row_};
        const bool on = r_.Chance(0.5f);
        page_.FillBox(track, {.color = on ? accent_ : Mix(base_, ink_, 0.3f)},
                      row_);
        Path knob;
        knob.AddEllipse(
            {on ? track.right - 0.35f * row_ : track.left + 0.35f * row_,
             track.center().y},
            0.3f * row_, 0.3f * row_);
        page_.Fill(knob, {.color = {250, 250, 250}});
      } else if (kind < 0.85f) {  // Buttons.
        float x = box.left;
        for (int i = r_.Integer(1, 4); i > 0; --i) {
          const std::u32string text = Phrase(2, 12);
          const std::optional<SetLine> line = page_.Set(text, look_);
          const float wide = (line ? line->advance : 0) + 2 * look_.type.size;
          if (x + wide > box.right) break;
          Button({x, y, x + wide, y + row_}, text, r_.Chance(0.5f));
          x += wide + 0.6f * look_.type.size;
        }
      } else {
        TextLook look = look_;
        look.type.size *= 1.3f;
        look.type.weight = 2;
        page_.Write(Phrase(3, 24), look, {box.left, y + row_ * 0.75f},
                    Align::kLeft, box.width());
      }
      y += row_ * r_.Uniform(1.2f, 1.8f);
    }
  }

  void Article(const Box& box) {
    float y = box.top;
    while (y + 2 * row_ < box.bottom) {
      TextLook look = look_;
      if (r_.Chance(0.35f)) {
        look.type.size *= r_.Uniform(1.3f, 2);
        look.type.weight = 2;
      }
      const size_t length =
          static_cast<size_t>(r_.Integer(20, look.type.weight > 1 ? 50 : 400));
      const float line_height = look.type.size * r_.Uniform(1.25f, 1.6f);
      y = page_.WriteParagraph(
          page_.Keep(page_.text().Running(r_, language_, length), look.font),
          look,
          {.left = box.left,
           .right = box.right,
           .top = y,
           .bottom = box.bottom,
           .line_height = line_height});
      y += row_ * r_.Uniform(0.2f, 0.8f);
      if (r_.Chance(0.2f) && y + 6 * row_ < box.bottom) {
        DrawPhoto(page_.canvas(), r_, page_.map,
                  {box.left, y, box.right, y + 5 * row_});
        y += 5.5f * row_;
      }
    }
  }

  // Over everything else.
  void Dialog(const Box& box) {
    page_.FillBox({box.left + 3, box.top + 3, box.right + 3, box.bottom + 3},
                  {.color = {0, 0, 0}, .opacity = 0.35f}, corner_);
    page_.FillBox(box, {.color = base_}, corner_);
    Path frame;
    frame.AddFrame(box, 1, corner_);
    page_.Fill(frame, {.color = Mix(base_, ink_, 0.3f)});
    const Align align = r_.Chance(0.5f) ? Align::kLeft : Align::kCenter;
    page_.WriteParagraph(Phrase(10, 80), look_,
                         {.left = box.left + row_ * 0.5f,
                          .right = box.right - row_ * 0.5f,
                          .top = box.top + row_ * 0.4f,
                          .bottom = box.bottom - 1.6f * row_,
                          .line_height = look_.type.size * 1.4f,
                          .align = align});
    const float wide = box.width() * 0.3f;
    Button({box.right - wide - row_ * 0.4f, box.bottom - 1.4f * row_,
            box.right - row_ * 0.4f, box.bottom - 0.4f * row_},
           Phrase(2, 8), true);
    Button({box.right - 2.2f * wide - row_ * 0.4f, box.bottom - 1.4f * row_,
            box.right - 1.2f * wide - row_ * 0.4f, box.bottom - 0.4f * row_},
           Phrase(2, 8), false);
  }

  PageBuilder& page_;
  Random& r_;
  int language_;
  float width_ = 0, height_ = 0, row_ = 0, corner_ = 0;
  Color base_, ink_, accent_, raised_;
  TextLook look_;
};

}  // namespace

void DrawScreen(PageBuilder& page) { Screen(page).Draw(); }

}  // namespace munja::train
