// Window: kernel, stride, dilation and padding of a convolution or pooling.
#ifndef MUNJA_IMPORT_IR_WINDOW_H_
#define MUNJA_IMPORT_IR_WINDOW_H_

#include <array>
#include <cstdint>

#include "base/status.h"
#include "graph/attributes.h"

namespace munja::importer {

enum class PadMode { kExplicit, kSameUpper, kSameLower };

// Index 0 is the height, 1 the width.
//
// Attributes: "kernel_shape" [2], "strides" [2], "dilations" [2] (1 when
// absent), "pads" [top, left, bottom, right] (0 when absent), "auto_pad"
// ("SAME_UPPER", "SAME_LOWER", or absent: "pads" holds), "ceil_mode" (1: the
// last window may reach beyond the padded input), "drop_outside" (1: a window
// that ceil_mode adds and that would begin behind the input is none; ONNX says
// so, Paddle and ncnn keep it).
struct Window {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 2> before{0, 0}, after{0, 0};
  PadMode pad_mode = PadMode::kExplicit;
  bool ceil_mode = false, drop_outside = false;

  int64_t Extent(int axis) const {
    return (kernel[axis] - 1) * dilation[axis] + 1;
  }
  // The output size for an input size; kUnknown for kUnknown, kMalformed when
  // the window does not fit once.
  Result<int64_t> OutputSize(int axis, int64_t input) const;
  // Padding before the first element for a known input size.
  int64_t PadBefore(int axis, int64_t input) const;
};

// Checks that every value is in a sane range. "kernel_shape" may be absent when
// the caller takes the kernel from the weights.
Result<Window> ReadWindow(const graph::Attributes& attributes);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_WINDOW_H_
