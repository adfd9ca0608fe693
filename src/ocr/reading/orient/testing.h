// For tests of orientation: boxes that run in any direction.
#ifndef MUNJA_READING_ORIENT_TESTING_H_
#define MUNJA_READING_ORIENT_TESTING_H_

#include <cmath>

#include "geometry/quad.h"
#include "reading/find/boxes.h"

namespace munja::ocr {

inline constexpr float kDegree = 3.14159265f / 180;

// A box of `length` x `height` from (x, y), its text running at `degrees`
// clockwise from the right, its corners in the order in which boxes have them.
inline TextBox Lying(float x, float y, float length, float height,
                     float degrees = 0) {
  const float c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
  const geometry::Point along = {length * c, length * s},
                        down = {-height * s, height * c};
  const geometry::Point start = {x, y};
  return {{{start, start + along, start + along + down, start + down}}, 0.9f};
}
inline TextBox Standing(float x, float y, float length, float width,
                        float degrees = 0) {
  // As high as it is long, from its top-left.
  const float c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
  const geometry::Point across = {width * c, width * s},
                        down = {-length * s, length * c};
  const geometry::Point start = {x, y};
  return {{{start, start + across, start + across + down, start + down}}, 0.9f};
}

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_TESTING_H_
