// Shared by convolutions and poolings: a window that slides over an image, the
// padding rules, and the activation fused behind an operator.
#ifndef MUNJA_OPS_SUPPORT_WINDOW_H_
#define MUNJA_OPS_SUPPORT_WINDOW_H_

#include <cstdint>

#include "base/status.h"
#include "graph/attributes.h"
#include "kernels/elementwise/activation.h"

namespace munja::ops {

enum class PaddingMode { kSame, kValid, kExplicit };

// Sizes are in pixels of the input.
struct Window {
  int32_t kernel_h = 1, kernel_w = 1;
  int32_t stride_h = 1, stride_w = 1;
  int32_t dilation_h = 1, dilation_w = 1;
  PaddingMode padding = PaddingMode::kValid;
  // Used with kExplicit only.
  int32_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
};

// Where the window lies for one input size. Output pixel (y, x) covers input
// rows y * stride_h - pad_top + i * dilation_h, columns likewise.
struct Placement {
  int32_t out_h = 0, out_w = 0;
  int32_t pad_top = 0, pad_left = 0;
};

// Reads padding ("SAME", "VALID", or "EXPLICIT" with pad_top, pad_bottom,
// pad_left, pad_right), stride_h, stride_w, dilation_h_factor,
// dilation_w_factor, filter_height and filter_width; what is absent is 1 (the
// padding: "VALID"). A convolution sets kernel_h and kernel_w from its weights.
// kMalformed for sizes that are not in [1, 2^20], pads not in [0, 2^20].
Result<Window> ParseWindow(const graph::Attributes& attributes);

// Output size by the rules of TensorFlow Lite: SAME gives ceil(in / stride)
// with the odd pixel of padding after, VALID only whole windows. kMalformed
// when no window fits.
Result<Placement> PlaceWindow(const Window& window, int32_t in_h, int32_t in_w);

// Reads fused_activation_function: a name of the schema, or one that fusion
// passes write: RELU_0_TO_1, LOGISTIC, HARD_SWISH, GELU, GELU_TANH,
// HARD_SIGMOID (activation_alpha, activation_beta), LEAKY_RELU (its slope in
// activation_alpha), ELU. kUnsupported for SIGN_BIT and names not known.
Result<kernels::Activation> ParseActivation(
    const graph::Attributes& attributes);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_WINDOW_H_
