// Reading: what was recognized in a line.
#ifndef MUNJA_READING_READ_READING_H_
#define MUNJA_READING_READ_READING_H_

#include "geometry/quad.h"
#include "text/ctc.h"

namespace munja::ocr {

// A text and where it starts. The marks of the text lie in the polygon, also
// those that were read in another crop.
struct Reading {
  text::CtcLine text;
  geometry::Quad polygon{};
};

// A text with this confidence is not questioned.
inline constexpr float kReliable = 0.9f;

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_READING_H_
