// SecondLook: lines that were read with little confidence are read again in
// slightly other cuts, and upside down; the surest reading counts.
#ifndef MUNJA_OCR_SECOND_LOOK_H_
#define MUNJA_OCR_SECOND_LOOK_H_

#include "geometry/quad.h"
#include "text/ctc.h"

namespace munja::ocr {

// A reading and where the text starts that was read.
struct Reading {
  text::CtcLine text;
  geometry::Quad polygon{};
};

// The quad with its sides moved outward by `fraction` of its shorter side
// (inward when negative).
geometry::Quad Grow(const geometry::Quad& quad, float fraction);

// The box of a line a little wider or a little tighter, i < kSecondCuts.
inline constexpr int kSecondCuts = 3;
geometry::Quad SecondCut(const geometry::Quad& quad, int i);

// Takes what was read in one of those cuts, in their order, when it is surer.
// The polygon stays: it is the box's, not that of a wider cut.
void TakeIfSurer(text::CtcLine& other, Reading& reading);

// Whether any reading upside down could count against this one, after all
// second cuts. Confidences are at most 1.
bool MayBeUpsideDown(const Reading& reading);
// Takes the reading upside down when it is clearly surer.
void TakeIfUpsideDown(Reading& turned, Reading& reading);

}  // namespace munja::ocr

#endif  // MUNJA_OCR_SECOND_LOOK_H_
