#include "ops/support/window.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "graph/op_traits.h"

namespace munja::ops {
namespace {

// Far beyond any real window; keeps every product of two of them in int64.
constexpr int64_t kMaxSize = 1 << 20;

Result<int32_t> ParseSize(const graph::Attributes& attributes,
                          std::string_view name, int64_t fallback,
                          int64_t lowest) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t value, attributes.Int(name, fallback));
  if (value < lowest || value > kMaxSize) {
    return Malformed(std::string(name) + " is " + std::to_string(value) +
                     ", wants " + std::to_string(lowest) + " to " +
                     std::to_string(kMaxSize));
  }
  return static_cast<int32_t>(value);
}

struct Extent {
  int32_t out, pad_before;
};

Result<Extent> PlaceOne(PaddingMode mode, int64_t in, int64_t kernel,
                        int64_t stride, int64_t dilation, int64_t pad_before,
                        int64_t pad_after, const char* what) {
  const int64_t covered = (kernel - 1) * dilation + 1;
  int64_t out = 0;
  switch (mode) {
    case PaddingMode::kSame:
      out = (in + stride - 1) / stride;
      pad_before = std::max<int64_t>(0, (out - 1) * stride + covered - in) / 2;
      break;
    case PaddingMode::kValid:
      pad_before = pad_after = 0;
      [[fallthrough]];
    case PaddingMode::kExplicit:
      out = in + pad_before + pad_after < covered
                ? 0
                : (in + pad_before + pad_after - covered) / stride + 1;
      break;
  }
  if (in < 1 || out < 1 || out > INT32_MAX) {
    return Malformed(std::string("a window of ") + std::to_string(covered) +
                     " pixels does not fit an input " + what + " of " +
                     std::to_string(in));
  }
  return Extent{static_cast<int32_t>(out), static_cast<int32_t>(pad_before)};
}

}  // namespace

Result<Window> ParseWindow(const graph::Attributes& attributes) {
  Window w;
  MUNJA_ASSIGN_OR_RETURN(w.kernel_h,
                         ParseSize(attributes, "filter_height", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(w.kernel_w,
                         ParseSize(attributes, "filter_width", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(w.stride_h, ParseSize(attributes, "stride_h", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(w.stride_w, ParseSize(attributes, "stride_w", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(w.dilation_h,
                         ParseSize(attributes, "dilation_h_factor", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(w.dilation_w,
                         ParseSize(attributes, "dilation_w_factor", 1, 1));
  MUNJA_ASSIGN_OR_RETURN(const std::string padding,
                         attributes.Text("padding", "VALID"));
  if (padding == "SAME") {
    w.padding = PaddingMode::kSame;
  } else if (padding == "VALID") {
    w.padding = PaddingMode::kValid;
  } else if (padding == "EXPLICIT") {
    w.padding = PaddingMode::kExplicit;
    MUNJA_ASSIGN_OR_RETURN(w.pad_top, ParseSize(attributes, "pad_top", 0, 0));
    MUNJA_ASSIGN_OR_RETURN(w.pad_bottom,
                           ParseSize(attributes, "pad_bottom", 0, 0));
    MUNJA_ASSIGN_OR_RETURN(w.pad_left, ParseSize(attributes, "pad_left", 0, 0));
    MUNJA_ASSIGN_OR_RETURN(w.pad_right,
                           ParseSize(attributes, "pad_right", 0, 0));
  } else {
    return Malformed("padding is '" + padding +
                     "', wants SAME, VALID or EXPLICIT");
  }
  return w;
}

Result<Placement> PlaceWindow(const Window& w, int32_t in_h, int32_t in_w) {
  MUNJA_ASSIGN_OR_RETURN(
      const Extent vertical,
      PlaceOne(w.padding, in_h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top,
               w.pad_bottom, "height"));
  MUNJA_ASSIGN_OR_RETURN(
      const Extent horizontal,
      PlaceOne(w.padding, in_w, w.kernel_w, w.stride_w, w.dilation_w,
               w.pad_left, w.pad_right, "width"));
  return Placement{vertical.out, horizontal.out, vertical.pad_before,
                   horizontal.pad_before};
}

Result<kernels::Activation> ParseActivation(
    const graph::Attributes& attributes) {
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         attributes.Text("fused_activation_function", "NONE"));
  const auto rows = kernels::ActivationRows();
  const auto row = std::ranges::find(rows, name, &kernels::ActivationRow::name);
  if (row == rows.end())
    return Unsupported("fused activation '" + name + "' is not implemented");
  const graph::ActivationTraits& defaults = graph::TraitsOf(name).activation;
  kernels::Activation activation;
  activation.kind = static_cast<kernels::ActivationKind>(row - rows.begin());
  MUNJA_ASSIGN_OR_RETURN(const double alpha,
                         attributes.Float("activation_alpha", defaults.alpha));
  MUNJA_ASSIGN_OR_RETURN(const double beta,
                         attributes.Float("activation_beta", defaults.beta));
  activation.alpha = static_cast<float>(alpha);
  activation.beta = static_cast<float>(beta);
  return activation;
}

}  // namespace munja::ops
