// Outlines and texts drawn on frames.
#ifndef MUNJA_CLI_LIVE_DRAWING_H_
#define MUNJA_CLI_LIVE_DRAWING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/live/video_source.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct DrawnLine {
  munja::Polygon outline = {};
  std::string text;
  bool is_final = false;
};

// A copy of a frame that can be drawn on.
struct Canvas {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // Rows without gaps.
};

void CopyTo(const munja::Image& image, Canvas* canvas);

// Outlines are green when the text is final, else orange; the text is above
// its line. `painter` may be null: outlines only.
void DrawLines(const std::vector<DrawnLine>& lines, TextPainter* painter,
               Canvas* canvas);

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIVE_DRAWING_H_
