// The ink of one line: type, its bends and the cut around it.
#ifndef MUNJA_SYNTH_LINE_INK_H_
#define MUNJA_SYNTH_LINE_INK_H_

#include <string_view>

#include "base/status.h"
#include "synth/canvas.h"
#include "synth/random.h"
#include "synth/typesetter.h"

namespace munja::train {

struct LineOptions {
  float sceneries[kSceneries] = {
      1, 1, 1, 0.4f};                 // How often each kind of picture is made.
  float smallest = 12, largest = 50;  // Em square, pixels.
  float margin_low = -0.04f,
        margin_high = 0.25f;  // Beyond the ink, parts of its height.
  float effects =
      1;  // Strength of everything that makes reading harder, 0 to 2.
  float typeset = 0;  // Share of texts with curly quotes and dashes.
};

struct LineInk {
  int width = 0, height = 0;  // Pixels of the cut.
  float em = 0;               // Pixels.
  Coverage text;
  Coverage
      rim;  // The text grown by a contour of another color; empty without one.
  Coverage rules;   // Underlines, boxes; ink of the same color.
  Coverage others;  // Ink of the lines above and below, in the cut.
  bool is_dotted = false;
};

// kUnsupported when the font lacks a character.
Result<LineInk> MakeInk(Typesetter& typesetter, const Font& font,
                        int font_index, std::u32string_view text,
                        Scenery scenery, const LineOptions& options,
                        Random& random);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_LINE_INK_H_
