// From the probability map to boxes around lines of text (the DB
// post-processing of Liao et al., "Real-time Scene Text Detection with
// Differentiable Binarization", AAAI 2020, section 3.5, as PaddleOCR runs it).
#ifndef MUNJA_READING_FIND_BOXES_H_
#define MUNJA_READING_FIND_BOXES_H_

#include <optional>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "geometry/quad.h"
#include "geometry/rect.h"
#include "reading/find/probability_map.h"
#include "reading/network/config.h"

namespace munja::ocr {

struct TextBox {
  // Page pixels. Inside the page; on a skewed page only the outline is.
  geometry::Quad quad;
  float score =
      0;  // Mean of the probability map inside the box, before it grew.
  // The place of the line that documents report, if that is not the quad, which
  // is cropped and read. Its corners start where the quad's do.
  std::optional<geometry::Quad> outline = std::nullopt;
  bool is_low_score = false;  // A line only if text is read in it.
  // The whole image, in which no line was found, taken for one: it counts if
  // it is read with confidence.
  bool is_guess = false;
  // Found in a smaller copy of an image in which no line was found: a line only
  // if text is read in it with confidence.
  bool is_large = false;
  int block = 0, row = 0;  // As document::Line has them, once in order.
};

// The rectangle around the place of a line.
inline geometry::Rect<float> PlaceOf(const TextBox& box) {
  return geometry::BoundsOf(box.outline.value_or(box.quad));
}

// Working memory of FindBoxes; callers keep it to use it again.
struct BoxMemory {
  Buffer bitmap, marks;
};

// `page_width` and `page_height`: the image that the map was made from, in
// which it lies as its placement says. Boxes come in no particular but always
// the same order. `memory` may be null. kOutOfMemory.
Result<std::vector<TextBox>> FindBoxes(const ProbabilityMap& map,
                                       const DetectorConfig& config,
                                       int page_width, int page_height,
                                       BoxMemory* memory = nullptr);

// Whether there is clearly more text in the boxes `now` than in those `before`.
bool ShowMoreText(std::span<const TextBox> now,
                  std::span<const TextBox> before);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_BOXES_H_
