// RegionText: which pixels of the map inside of a region are text.
#ifndef MUNJA_READING_FIND_REGION_TEXT_H_
#define MUNJA_READING_FIND_REGION_TEXT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/fill.h"
#include "geometry/quad.h"
#include "reading/find/probability_map.h"

namespace munja::ocr {

// A pixel of text: where it is along and across the lines, and the map's value.
struct TextPixel {
  float along, across, value;
};

// Regions of one map, looked at one after the other.
class RegionText {
 public:
  // Text is what is above `threshold`. The map must outlive this.
  RegionText(const ProbabilityMap& map, float threshold)
      : map_(map), threshold_(threshold) {}

  // Goes on to the region inside of `border`, map pixels. False where too many
  // pixels have been looked at: regions may lie in each other.
  bool Fill(const geometry::Polygon& border);

  // Calls `use` for each pixel of the region that is text, row by row;
  // `direction`: that of its lines, radians.
  template <class Use>
  void ForEach(float direction, const Use& use) const {
    const float c = std::cos(direction), s = std::sin(direction);
    for (const geometry::PixelSpan& span : spans_) {
      const auto y = static_cast<float>(span.y);
      const float* row =
          map_.values.data() + static_cast<size_t>(span.y) * map_.width;
      for (int32_t i = span.begin; i < span.end; ++i) {
        const auto x = static_cast<float>(i);
        if (row[i] > threshold_)
          use(TextPixel{x * c + y * s, y * c - x * s, row[i]});
      }
    }
  }

 private:
  const ProbabilityMap& map_;
  float threshold_;
  size_t looks_ = 0;  // Pixels of the regions until now.
  std::vector<geometry::PixelSpan> spans_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_REGION_TEXT_H_
