// HAL operations whose windows move over an image.
#include <algorithm>
#include <string>
#include <utility>

#include "hal/lower/lowering.h"
#include "hal/operations.h"

namespace munja::hal {
namespace {

using graph::Attributes;
using graph::ValueId;

// How a window lies: either by scheme or by four paddings.
struct Window {
  std::string padding = "VALID";
  int32_t left = 0, right = 0, top = 0, bottom = 0;
  bool is_explicit() const { return (left | right | top | bottom) != 0; }
  int next = 0;  // The operand after those of the padding.
};

Result<Window> ReadWindow(const Lowering& l, int first, bool is_implicit) {
  Window w;
  const auto at = [&](int i) { return static_cast<int32_t>(l.Int(first + i)); };
  if (is_implicit) {
    if (at(0) != MUNJA_NN_PADDING_SAME && at(0) != MUNJA_NN_PADDING_VALID)
      return InvalidArgument(l.name() + ": there is no padding scheme " +
                             std::to_string(at(0)));
    w.padding = at(0) == MUNJA_NN_PADDING_SAME ? "SAME" : "VALID";
    w.next = first + 1;
  } else {
    w.left = at(0), w.right = at(1), w.top = at(2), w.bottom = at(3);
    w.next = first + 4;
    constexpr int32_t kMax = 1 << 24;
    for (const int32_t side : {w.left, w.right, w.top, w.bottom})
      if (side < 0 || side > kMax)
        return InvalidArgument(l.name() + ": padding out of range");
  }
  return w;
}

// Zeros around the image.
ValueId Padded(Lowering& l, ValueId image, const Window& w,
               ValueId filler = graph::kNoValue) {
  if (!w.is_explicit()) return image;
  const ValueId sizes =
      l.Ints32({0, 0, w.top, w.bottom, w.left, w.right, 0, 0}, false);
  l.value(sizes).shape = Shape({4, 2});
  const ValueId padded = l.Like(image, "padded");
  if (filler == graph::kNoValue)
    l.Emit("PAD", {}, {image, sizes}, {padded});
  else
    l.Emit("PADV2", {}, {image, sizes, filler}, {padded});
  return padded;
}

Status Convolution(Lowering& l) {
  const bool is_depthwise = l.type() == MUNJA_NN_DEPTHWISE_CONV_2D;
  const bool is_grouped = l.type() == MUNJA_NN_GROUPED_CONV_2D;
  // With the padding in four numbers there are three operands more; the layout
  // flag tells lists of the same length apart.
  const int extra = is_depthwise || is_grouped ? 1 : 0;
  const int flag = 7 + extra;
  const bool is_implicit =
      l.inputs() < 10 + extra ||
      (flag < l.inputs() && l.operand(flag).type == MUNJA_NN_BOOL);
  MUNJA_ASSIGN_OR_RETURN(const Window w, ReadWindow(l, 3, is_implicit));
  const int stride = w.next, activation_at = stride + 2 + extra;
  const int layout = activation_at + 1;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         FusedActivation(l.Int(activation_at)));
  const bool is_nchw = l.Int(layout) != 0;
  Attributes attributes = With({{"padding", w.padding},
                                {"stride_w", l.Int(stride)},
                                {"stride_h", l.Int(stride + 1)},
                                {"dilation_w_factor", l.Int(layout + 1, 1)},
                                {"dilation_h_factor", l.Int(layout + 2, 1)},
                                {"fused_activation_function", activation}});
  if (is_depthwise) attributes.Set("depth_multiplier", l.Int(stride + 2));
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  const ValueId image = Padded(l, l.Nhwc(l.in(0), is_nchw), w);
  l.Emit(is_depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D", attributes,
         {image, l.in(1), l.in(2)}, {out});
  return Status();
}

// The four paddings are those of SAME.
bool IsSame(const Lowering& l, bool is_nchw, const Window& w, int64_t sw,
            int64_t sh, int64_t kw, int64_t kh) {
  const auto fits = [](int64_t size, int64_t stride, int64_t kernel,
                       int64_t before, int64_t after) {
    if (size <= 0 || stride <= 0) return false;
    const int64_t out = (size + stride - 1) / stride;
    const int64_t total =
        std::max<int64_t>(0, (out - 1) * stride + kernel - size);
    return before == total / 2 && after == total - total / 2;
  };
  return fits(l.Extent(is_nchw, true), sw, kw, w.left, w.right) &&
         fits(l.Extent(is_nchw, false), sh, kh, w.top, w.bottom);
}

Status Pool(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(Window w, ReadWindow(l, 1, l.inputs() < 10));
  const int at = w.next;
  const bool is_nchw = l.Int(at + 5) != 0;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         FusedActivation(l.Int(at + 4)));
  if (w.is_explicit()) {
    if (!IsSame(l, is_nchw, w, l.Int(at), l.Int(at + 1), l.Int(at + 2),
                l.Int(at + 3)))
      return Unsupported(
          "pooling with padding other than SAME cannot be lowered");
    w = {"SAME", 0, 0, 0, 0, at};
  }
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  l.Emit(l.name(),
         With({{"padding", w.padding},
               {"stride_w", l.Int(at)},
               {"stride_h", l.Int(at + 1)},
               {"filter_width", l.Int(at + 2)},
               {"filter_height", l.Int(at + 3)},
               {"fused_activation_function", activation}}),
         {l.Nhwc(l.in(0), is_nchw)}, {out});
  return Status();
}

Status TransposeConvolution(Lowering& l) {
  const bool is_implicit = l.inputs() < 11;
  MUNJA_ASSIGN_OR_RETURN(const Window w,
                         ReadWindow(l, is_implicit ? 4 : 3, is_implicit));
  const int at = w.next;
  const bool is_nchw = l.Int(at + 3) != 0;
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         FusedActivation(l.Int(at + 2)));
  ValueId shape;
  std::string padding = w.padding;
  if (is_implicit) {
    auto wanted = l.Ints(3);
    if (wanted.size() != 4) return Unsupported("an output shape by the run");
    if (is_nchw) wanted = {wanted[0], wanted[2], wanted[3], wanted[1]};
    shape = l.Ints32({wanted.begin(), wanted.end()}, false);
  } else {
    const auto filter = l.Dims(1);
    const int32_t height = l.Extent(is_nchw, false);
    const int32_t width = l.Extent(is_nchw, true);
    if (height == 0 || width == 0 || filter.size() != 4)
      return Unsupported("an unknown shape");
    const auto size = [&](int32_t in, int64_t stride, int32_t kernel,
                          int32_t before, int32_t after) {
      return static_cast<int32_t>((in - 1) * stride + kernel - before - after);
    };
    shape = l.Ints32(
        {l.Dims(0)[0], size(height, l.Int(at + 1), filter[1], w.top, w.bottom),
         size(width, l.Int(at), filter[2], w.left, w.right), filter[0]},
        false);
    if (w.left != (w.left + w.right) / 2 || w.top != (w.top + w.bottom) / 2)
      return Unsupported("this padding cannot be lowered");
    padding = w.is_explicit() ? "SAME" : "VALID";
  }
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  l.Emit("TRANSPOSE_CONV",
         With({{"padding", padding},
               {"stride_w", l.Int(at)},
               {"stride_h", l.Int(at + 1)},
               {"fused_activation_function", activation}}),
         {shape, l.in(1), l.Nhwc(l.in(0), is_nchw), l.in(2)}, {out});
  return Status();
}

constexpr std::pair<int32_t, LowerFunction> kWindowRows[] = {
    {MUNJA_NN_AVERAGE_POOL_2D, Pool},
    {MUNJA_NN_CONV_2D, Convolution},
    {MUNJA_NN_DEPTHWISE_CONV_2D, Convolution},
    {MUNJA_NN_GROUPED_CONV_2D, Convolution},
    {MUNJA_NN_L2_POOL_2D, Pool},
    {MUNJA_NN_MAX_POOL_2D, Pool},
    {MUNJA_NN_TRANSPOSE_CONV_2D, TransposeConvolution},
};

}  // namespace

LowerFunction FindWindowLowering(int32_t type) {
  for (const auto& [nn, lower] : kWindowRows)
    if (nn == type) return lower;
  return nullptr;
}

}  // namespace munja::hal
