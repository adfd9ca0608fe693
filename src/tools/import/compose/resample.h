// Resizing an axis by a matrix of weights, for modes that no operator of
// .tflite has.
#ifndef MUNJA_IMPORT_COMPOSE_RESAMPLE_H_
#define MUNJA_IMPORT_COMPOSE_RESAMPLE_H_

#include <cstdint>
#include <string>

#include "import/compose/steps.h"

namespace munja::importer {

// In the words of ONNX's Resize.
struct Sampling {
  std::string mode, coordinates, rounding;
  double cubic = -0.75, outside = 0;
  bool antialias = false, exclude_outside = false;
};

// One axis.
struct Line {
  int64_t in = 1, out = 1;
  double scale = 1;
  double first = 0, last = 1;  // Bounds of a region of interest.
};

// The axis, of size l.in, as l.out samples of itself.
ValueId ResizeAxis(Steps& w, ValueId x, int64_t axis, const Sampling& s,
                   const Line& l);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_RESAMPLE_H_
