// MunjaRoiAlign, a custom operator: regions of maps brought to one size.
//
// Inputs: maps [n, c, h, w] and regions [r, 4] (left, top, right, bottom),
// float32; which of the n maps each region is of, int32 [r]. Output [r, c,
// "height", "width"]: each element stands for a part of the region and is the
// mean of samples in it, or with "max" the largest of the weighted corners of
// these, as ONNX Runtime has it. "samples" along each axis of a part, 0: as
// many as it has elements. "scale": from the regions' units to elements.
// "half": the first element's center is at 0.5; otherwise regions are one
// element large at least.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::roi_align {
namespace {

struct Options {
  int32_t height = 1, width = 1;
  int64_t samples = 0;
  double scale = 1;
  bool max = false, half = false;
};

constexpr int64_t kMostSamples = 1024;  // Along an axis of a part.

// Two neighbors along an axis and their shares; none outside.
struct Taps {
  int64_t low = 0, high = 0;
  double first = 0, second = 0;
};

Taps TapsAt(double p, int64_t size) {
  if (!(p >= -1 && p <= static_cast<double>(size))) return {};
  p = std::max(p, 0.0);
  Taps t;
  t.low = std::min(static_cast<int64_t>(p), size - 1);
  t.high = std::min(t.low + 1, size - 1);
  const double part = t.low == size - 1 ? 0 : p - static_cast<double>(t.low);
  t.first = 1 - part;
  t.second = part;
  return t;
}

class RoiAlignKernel final : public Kernel {
 public:
  explicit RoiAlignKernel(const Options& options) : o_(options) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& x = context.input(0);
    const TensorView& regions = context.input(1);
    const TensorView& of = context.input(2);
    for (const TensorView* view : {&x, &regions, &context.output(0)})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "the operand", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(of, "the list of maps", {ElementType::kInt32}));
    if (x.shape.rank() != 4 || regions.shape.rank() != 2 ||
        regions.shape[1] != 4 || of.shape.rank() != 1 ||
        of.shape[0] != regions.shape[0] || x.shape[2] < 1 || x.shape[3] < 1)
      return InvalidArgument("maps " + x.shape.ToString() + ", regions " +
                             regions.shape.ToString() + " and their maps " +
                             of.shape.ToString() + " do not fit");
    return context.SetOutputShape(
        0, Shape{regions.shape[0], x.shape[1], o_.height, o_.width});
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& x = context.input(0);
    const int32_t* of = context.input(2).as<int32_t>();
    const int64_t count = context.output(0).shape[0];
    for (int64_t r = 0; r < count; ++r)
      if (of[r] < 0 || of[r] >= x.shape[0])
        return InvalidArgument("region " + std::to_string(r) + " is of map " +
                               std::to_string(of[r]));
    const int64_t part = int64_t{o_.height} * o_.width * x.shape[1];
    context.pool().ParallelFor(
        static_cast<size_t>(count), 1, [&](size_t begin, size_t end, int) {
          for (size_t r = begin; r < end; ++r)
            Align(x, context.input(1).as<float>() + 4 * r, of[r],
                  context.output(0).mutable_as<float>() +
                      static_cast<int64_t>(r) * part);
        });
    return {};
  }

 private:
  void Align(const TensorView& x, const float* region, int32_t map,
             float* to) const {
    const int64_t height = x.shape[2], width = x.shape[3];
    const double shift = o_.half ? 0.5 : 0;
    const double left = region[0] * o_.scale - shift;
    const double top = region[1] * o_.scale - shift;
    double wide = region[2] * o_.scale - shift - left;
    double high = region[3] * o_.scale - shift - top;
    if (!o_.half) {
      wide = std::max(wide, 1.0);
      high = std::max(high, 1.0);
    }
    const double part_high = high / o_.height, part_wide = wide / o_.width;
    const auto samples = [&](double size) {
      if (o_.samples > 0) return o_.samples;
      const double all = std::ceil(size);
      // No number, or too many.
      if (!(all > 0)) return int64_t{0};
      return static_cast<int64_t>(
          std::min(all, static_cast<double>(kMostSamples)));
    };
    const int64_t rows = samples(part_high), columns = samples(part_wide);
    const double share =
        1.0 / static_cast<double>(std::max<int64_t>(rows * columns, 1));
    for (int64_t c = 0; c < x.shape[1]; ++c) {
      const float* from =
          x.as<float>() + (map * int64_t{x.shape[1]} + c) * height * width;
      for (int32_t i = 0; i < o_.height; ++i) {
        for (int32_t j = 0; j < o_.width; ++j) {
          double sum = 0, largest = 0;
          for (int64_t a = 0; a < rows; ++a) {
            const Taps y =
                TapsAt(top + part_high * (i + (a + 0.5) / rows), height);
            for (int64_t b = 0; b < columns; ++b) {
              const Taps z =
                  TapsAt(left + part_wide * (j + (b + 0.5) / columns), width);
              const double corners[] = {
                  y.first * z.first * from[y.low * width + z.low],
                  y.first * z.second * from[y.low * width + z.high],
                  y.second * z.first * from[y.high * width + z.low],
                  y.second * z.second * from[y.high * width + z.high]};
              for (const double v : corners) sum += v;
              const double most =
                  *std::max_element(std::begin(corners), std::end(corners));
              largest = a + b == 0 ? most : std::max(largest, most);
            }
          }
          *to++ = static_cast<float>(o_.max ? largest : sum * share);
        }
      }
    }
  }

  Options o_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  Options o;
  MUNJA_ASSIGN_OR_RETURN(const int64_t height, given.Int("height", 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t width, given.Int("width", 1));
  MUNJA_ASSIGN_OR_RETURN(o.samples, given.Int("samples", 0));
  MUNJA_ASSIGN_OR_RETURN(o.scale, given.Float("scale", 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t max, given.Int("max", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t half, given.Int("half", 0));
  if (height < 1 || width < 1 || height > 1 << 16 || width > 1 << 16 ||
      o.samples < 0 || o.samples > kMostSamples)
    return Malformed(std::to_string(height) + " x " + std::to_string(width) +
                     " parts of " + std::to_string(o.samples) + " samples");
  o.height = static_cast<int32_t>(height);
  o.width = static_cast<int32_t>(width);
  o.max = max != 0;
  o.half = half != 0;
  return std::unique_ptr<Kernel>(std::make_unique<RoiAlignKernel>(o));
}

}  // namespace munja::ops::roi_align
