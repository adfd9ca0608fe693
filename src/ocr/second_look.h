// SecondLook: lines that were read with little confidence are read again in
// slightly other cuts; the reading with the most confidence counts.
#ifndef MUNJA_OCR_SECOND_LOOK_H_
#define MUNJA_OCR_SECOND_LOOK_H_

#include "base/status.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "ocr/cropper.h"
#include "ocr/recognizer.h"
#include "text/ctc.h"

namespace munja::ocr {

// A reading and where the text starts that was read.
struct Reading {
  text::CtcText text;
  geometry::Quad polygon{};
};

// The quad with its sides moved outward by `fraction` of its shorter side
// (inward when negative).
geometry::Quad Grow(const geometry::Quad& quad, float fraction);

// Cuts `quad` out of `page` again, a little wider and a little tighter and,
// when `try_upside_down`, turned by 180 degrees, and replaces `reading` by the
// most confident result. `quad` is the line's box as it was detected;
// `is_turned` tells that the line was turned around before it was read.
Status SecondLook(const image::ImageView& page, const geometry::Quad& quad,
                  bool is_turned, bool try_upside_down, Recognizer& recognizer,
                  Reading& reading);

}  // namespace munja::ocr

#endif  // MUNJA_OCR_SECOND_LOOK_H_
