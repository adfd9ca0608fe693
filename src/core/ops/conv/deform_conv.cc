// MunjaDeformConv, a custom operator: a convolution each of whose taps looks
// beside its place by an offset that an input gives.
//
// Inputs, float32: maps [n, c, h, w]; weights [o, c / group, kh, kw]; offsets
// [n, offset_group * kh * kw * 2, oh, ow], down and to the right of each tap;
// bias [o], which may be absent; factors of each tap [n, offset_group * kh *
// kw, oh, ow], which may be absent. Output [n, o, oh, ow]. Samples between
// elements are linear, zero outside. Options: "strides", "dilations" (two
// each), "pads" (four: top, left, bottom, right), "group", "offset_group".
#include <cmath>
#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::deform_conv {
namespace {

struct Options {
  std::vector<int64_t> strides, dilations, pads;
  int64_t group = 1, offset_group = 1;
};

double Sample(const float* map, int64_t height, int64_t width, double y,
              double x) {
  if (!(y > -1 && y < static_cast<double>(height) && x > -1 &&
        x < static_cast<double>(width)))
    return 0;
  const int64_t top = static_cast<int64_t>(std::floor(y));
  const int64_t left = static_cast<int64_t>(std::floor(x));
  const double down = y - static_cast<double>(top);
  const double right = x - static_cast<double>(left);
  const auto at = [&](int64_t i, int64_t j) -> double {
    return i < 0 || j < 0 || i >= height || j >= width ? 0 : map[i * width + j];
  };
  return (1 - down) *
             ((1 - right) * at(top, left) + right * at(top, left + 1)) +
         down *
             ((1 - right) * at(top + 1, left) + right * at(top + 1, left + 1));
}

class DeformConvKernel final : public Kernel {
 public:
  explicit DeformConvKernel(Options options) : o_(std::move(options)) {}

  Status Prepare(PrepareContext& context) const override {
    for (int i = 0; i < context.inputs(); ++i)
      if (context.has_input(i))
        MUNJA_RETURN_IF_ERROR(CheckType(context.input(i), "the operand",
                                        {ElementType::kFloat32}));
    const Shape& x = context.input(0).shape;
    const Shape& w = context.input(1).shape;
    const Shape& offsets = context.input(2).shape;
    if (x.rank() != 4 || w.rank() != 4 || offsets.rank() != 4 ||
        x[1] != w[1] * o_.group || w[0] % o_.group != 0 ||
        x[1] % o_.offset_group != 0)
      return InvalidArgument("maps " + x.ToString() + ", weights " +
                             w.ToString() + " and offsets " +
                             offsets.ToString() + " do not fit");
    Shape out{x[0], w[0]};
    for (int i = 0; i < 2; ++i) {
      const int64_t room = x[2 + i] + o_.pads[i] + o_.pads[2 + i] -
                           o_.dilations[i] * (w[2 + i] - 1) - 1;
      if (room < 0 || room / o_.strides[i] + 1 > INT32_MAX)
        return InvalidArgument("a window of " + w.ToString() +
                               " does not fit into " + x.ToString());
      out.Append(static_cast<int32_t>(room / o_.strides[i] + 1));
    }
    const int64_t taps = int64_t{w[2]} * w[3] * o_.offset_group;
    const auto fits = [&](const Shape& s, int64_t channels) {
      return s.rank() == 4 && s[0] == x[0] && s[1] == channels &&
             s[2] == out[2] && s[3] == out[3];
    };
    if (!fits(offsets, 2 * taps))
      return InvalidArgument("offsets " + offsets.ToString() +
                             " for an output of " + out.ToString());
    if (context.has_input(3) && context.input(3).shape != Shape{w[0]})
      return InvalidArgument("a bias of " + context.input(3).shape.ToString());
    if (context.has_input(4) && !fits(context.input(4).shape, taps))
      return InvalidArgument("factors " + context.input(4).shape.ToString() +
                             " for an output of " + out.ToString());
    return context.SetOutputShape(0, out);
  }

  Status Eval(EvalContext& context) const override {
    const Shape& out = context.output(0).shape;
    context.pool().ParallelFor(static_cast<size_t>(out[0]) * out[2], 1,
                               [&](size_t begin, size_t end, int) {
                                 for (size_t i = begin; i < end; ++i)
                                   Row(context,
                                       static_cast<int64_t>(i) / out[2],
                                       static_cast<int64_t>(i) % out[2]);
                               });
    return {};
  }

 private:
  void Row(const EvalContext& context, int64_t n, int64_t oy) const {
    const TensorView& x = context.input(0);
    const TensorView& w = context.input(1);
    const TensorView& y = context.output(0);
    const int64_t channels = x.shape[1], height = x.shape[2],
                  width = x.shape[3];
    const int64_t kernel_height = w.shape[2], kernel_width = w.shape[3];
    const int64_t taps = kernel_height * kernel_width;
    const int64_t outputs = y.shape[1], per_group = outputs / o_.group;
    const int64_t own = w.shape[1], plane = int64_t{y.shape[2]} * y.shape[3];
    const float* bias =
        context.has_input(3) ? context.input(3).as<float>() : nullptr;
    const float* factors =
        context.has_input(4) ? context.input(4).as<float>() : nullptr;
    for (int64_t ox = 0; ox < y.shape[3]; ++ox) {
      const int64_t place = oy * y.shape[3] + ox;
      float* to = y.mutable_as<float>() + n * outputs * plane + place;
      for (int64_t m = 0; m < outputs; ++m)
        to[m * plane] = bias != nullptr ? bias[m] : 0;
      for (int64_t c = 0; c < channels; ++c) {
        const float* map = x.as<float>() + (n * channels + c) * height * width;
        const int64_t part = c / (channels / o_.offset_group);
        const int64_t group = c / own;
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t tap = (n * o_.offset_group + part) * taps + t;
          const float* offset =
              context.input(2).as<float>() + 2 * tap * plane + place;
          const int64_t row = oy * o_.strides[0] - o_.pads[0] +
                              t / kernel_width * o_.dilations[0];
          const int64_t column = ox * o_.strides[1] - o_.pads[1] +
                                 t % kernel_width * o_.dilations[1];
          double v =
              Sample(map, height, width, static_cast<double>(row) + offset[0],
                     static_cast<double>(column) + offset[plane]);
          if (factors != nullptr) v *= factors[tap * plane + place];
          for (int64_t m = group * per_group; m < (group + 1) * per_group; ++m)
            to[m * plane] += static_cast<float>(
                v * w.as<float>()[(m * own + c % own) * taps + t]);
        }
      }
    }
  }

  Options o_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 5, 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  Options o;
  const auto read = [&](const char* name, size_t count, int64_t least,
                        std::vector<int64_t>* to) -> Status {
    to->assign(count, least);
    if (given.Has(name)) {
      MUNJA_ASSIGN_OR_RETURN(*to, given.Ints(name));
    }
    bool fits = to->size() == count;
    for (const int64_t v : *to) fits = fits && v >= least && v <= 1 << 20;
    return fits ? Status() : Malformed(std::string(name) + " do not fit");
  };
  MUNJA_RETURN_IF_ERROR(read("strides", 2, 1, &o.strides));
  MUNJA_RETURN_IF_ERROR(read("dilations", 2, 1, &o.dilations));
  MUNJA_RETURN_IF_ERROR(read("pads", 4, 0, &o.pads));
  MUNJA_ASSIGN_OR_RETURN(o.group, given.Int("group", 1));
  MUNJA_ASSIGN_OR_RETURN(o.offset_group, given.Int("offset_group", 1));
  if (o.group < 1 || o.offset_group < 1 || o.group > INT32_MAX ||
      o.offset_group > INT32_MAX)
    return Malformed(std::to_string(o.group) + " and " +
                     std::to_string(o.offset_group) + " groups");
  return std::unique_ptr<Kernel>(
      std::make_unique<DeformConvKernel>(std::move(o)));
}

}  // namespace munja::ops::deform_conv
