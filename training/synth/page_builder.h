// PageBuilder: what the layouts of all kinds of pages draw with. It keeps the
// truth of every line it writes.
#ifndef MUNJA_SYNTH_PAGE_BUILDER_H_
#define MUNJA_SYNTH_PAGE_BUILDER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/canvas.h"
#include "synth/optics.h"
#include "synth/page_map.h"
#include "synth/page_recipe.h"
#include "synth/page_text.h"
#include "synth/paragraph.h"
#include "synth/random.h"
#include "synth/sample.h"
#include "synth/typesetter.h"

namespace munja::train {

// How a line is printed; lengths in em.
struct TextLook {
  int font = -1;
  TypeStyle type;
  Paint paint;
  float outline = 0;  // A rim around the letters.
  Color outline_color;
  bool shadow = false;
  Point shadow_offset{0.06f, 0.06f};
  Color shadow_color;
  float fade = 0;  // Uneven ink: 0 to 1 of it is missing in places.
  float dots = 0;  // Distance of the needles of a dot matrix printer; 0: none.
};

class PageBuilder {
 public:
  PageBuilder(Canvas& canvas, Random& random, const PageRecipe& recipe,
              const PageText& text, Typesetter& typesetter);

  Canvas& canvas() { return canvas_; }
  Random& random() { return random_; }
  const PageRecipe& recipe() const { return recipe_; }
  const PageText& text() const { return text_; }
  float width() const { return static_cast<float>(canvas_.width()); }
  float height() const { return static_cast<float>(canvas_.height()); }

  // Where the page being drawn lies in the picture; identity at first. A layout
  // may change it between drawings.
  PageMap map;
  // How the picture is taken; layouts set it.
  Capture capture = Capture::kPhone;

  // A view of a page of this size, which fills `fill` of the picture in its
  // tighter direction; tilt, turns and perspective by the recipe, times
  // `strength`. `turned`: pages lying around, rather than fixed ones.
  PageMap RandomView(float page_width, float page_height, float fill,
                     float strength = 1, bool turned = true);

  // A font that has all characters of the text; -1: none has.
  int PickFont(std::u32string_view text, Scenery scenery);
  // A font for most of what is written in a language.
  int PickFont(int language, Scenery scenery);
  // The words of a text that the font has.
  std::u32string Keep(std::u32string_view text, int font) const;
  // Nothing when the font cannot set the text.
  std::optional<SetLine> Set(std::u32string_view text, const TextLook& look);

  // Paints a line and notes its truth. `text` is what was set.
  void Draw(const SetLine& line, std::u32string_view text, const TextLook& look,
            const Placement& at);
  // Paints a line that training is to take for no text: a row of marks. Not in
  // set_ink()'s canvas.
  void Adorn(const SetLine& line, const TextLook& look, const Placement& at);
  // Sets, aligns at x and draws on the baseline y; returns the advance, 0 when
  // nothing could be drawn or when it is wider than `room` (then nothing is
  // drawn).
  float Write(std::u32string_view text, const TextLook& look, Point baseline,
              Align align = Align::kLeft, float room = 1e9f);
  // Running text; returns the top of what may follow.
  float WriteParagraph(std::u32string_view text, const TextLook& look,
                       const ParagraphStyle& style);

  // Fills shapes of the page through map.
  void Fill(const Path& path, const Paint& paint) {
    canvas_.Fill(path, map, paint);
  }
  void FillBox(const Box& box, const Paint& paint, float radius = 0);
  void Rule(Point from, Point to, float thickness, Color color);
  // The average color below a box of the page.
  Color Below(const Box& box) const;

  // The outline in the picture that a line would get.
  geometry::Polygon OutlineOf(const SetLine& line, const Placement& at) const;
  // Whether a place in the picture touches a line drawn before, with `margin`
  // pixels around.
  bool Taken(const geometry::Polygon& outline, float margin) const;
  bool InPicture(const geometry::Polygon& outline) const;

  // Lines that would touch this box of the page are not drawn from now on; an
  // empty box ends that.
  void KeepOut(const Box& box);

  std::vector<PageLine>& lines() { return lines_; }
  // After the picture has been taken: lines that can no longer be told from
  // what surrounds them are ignored.
  void IgnoreFaint();
  // From now on the letters of all lines, and nothing else, are drawn in black
  // here, too. Must outlive the builder.
  void set_ink(Canvas* ink) { ink_ = ink; }
  // The first failure other than a text that a font cannot set.
  Status TakeStatus() { return std::move(status_); }

 private:
  // Some pixels of a line's letters, and some between them.
  struct Probe {
    std::vector<uint32_t> ink, ground;  // y * width + x
  };
  // Fills `probe`; returns how far the letters differ from what was below them,
  // 0 to 255.
  float PaintLine(const SetLine& line, const TextLook& look,
                  const Placement& at, Probe& probe);
  // False when the line is not in the picture.
  bool Note(const SetLine& line, std::u32string_view text, int font,
            const Placement& at, bool ignore);
  // False for lines out of the picture and those that would touch what is kept
  // free.
  bool HasPlace(const SetLine& line, const Placement& at) const;
  geometry::Polygon Outline(const Box& ink, const Placement& at) const;

  Canvas& canvas_;
  Random& random_;
  const PageRecipe& recipe_;
  const PageText& text_;
  Typesetter& typesetter_;
  Canvas* ink_ = nullptr;
  geometry::Polygon keep_out_;  // In the picture.
  std::vector<PageLine> lines_;
  std::vector<Probe> probes_;  // The probe of each line.
  Status status_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_BUILDER_H_
