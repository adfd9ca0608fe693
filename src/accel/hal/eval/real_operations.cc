#include "hal/eval/real_operations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hal/types.h"

namespace munja::hal {
namespace {

// Elements of a tensor that a call may make.
constexpr uint64_t kMaxElements = uint64_t{1} << 28;

// Not lowered: the schema's SVDF shifts its state before the new column comes,
// the HAL after the outputs are computed.
Status Svdf(RealCall& c) {
  const Real &x = c.in[0], &features = c.in[1], &times = c.in[2],
             &state = c.in[4];
  const int64_t rank = c.Int(5);
  if (x.rank() != 2 || features.rank() != 2 || times.rank() != 2 ||
      features[1] != x[1] || times[0] != features[0] || times[1] == 0 ||
      rank < 1 || features[0] % rank != 0)
    return InvalidArgument("inputs or weights that do not fit each other");
  const size_t batches = x[0], filters = features[0], memory = times[1];
  const size_t units = filters / static_cast<size_t>(rank);
  if (state.values.size() != batches * filters * memory)
    return InvalidArgument("a state that is not [batches, filters * memory]");
  if (c.Has(3) && c.in[3].values.size() != units)
    return InvalidArgument("a bias that is not [units]");
  MUNJA_RETURN_IF_ERROR(c.Make(0, state.dimensions));
  MUNJA_RETURN_IF_ERROR(c.Make(1, {x[0], static_cast<uint32_t>(units)}));
  for (size_t b = 0; b < batches; ++b)
    for (size_t f = 0; f < filters; ++f) {
      double column = 0.0, sum = 0.0;
      for (size_t k = 0; k < x[1]; ++k)
        column += x.values[b * x[1] + k] * features.values[f * x[1] + k];
      const size_t row = (b * filters + f) * memory;
      for (size_t m = 0; m + 1 < memory; ++m) {
        sum += state.values[row + m] * times.values[f * memory + m];
        if (m > 0) c.out[0].values[row + m - 1] = state.values[row + m];
      }
      sum += column * times.values[f * memory + memory - 1];
      if (memory > 1) c.out[0].values[row + memory - 2] = column;
      c.out[1].values[b * units + f / static_cast<size_t>(rank)] += sum;
    }
  for (size_t i = 0; i < c.out[1].values.size(); ++i) {
    double& y = c.out[1].values[i];
    if (c.Has(3)) y += c.in[3].values[i % units];
    y = Activate(y, c.Int(6));
  }
  return Status();
}

}  // namespace

int64_t RealCall::Int(size_t i, int64_t fallback) const {
  const double v = At(i, static_cast<double>(fallback));
  return std::abs(v) < 1e15 ? static_cast<int64_t>(v) : fallback;
}

Status RealCall::Make(size_t i, Dimensions dimensions) {
  uint64_t elements = 1;
  for (const uint32_t d : dimensions) {
    elements *= d;
    if (elements > kMaxElements)
      return OutOfMemory("a tensor of dimensions " + ToText(dimensions));
  }
  out[i].dimensions = std::move(dimensions);
  out[i].values.assign(elements, 0.0);
  return Status();
}

Image::Image(const Real& from, bool is_nchw)
    : from_(from),
      is_nchw_(is_nchw),
      n_(from[0]),
      h_(from[is_nchw ? 2 : 1]),
      w_(from[is_nchw ? 3 : 2]),
      c_(from[is_nchw ? 1 : 3]) {}

Dimensions ImageDimensions(uint32_t n, uint32_t h, uint32_t w, uint32_t c,
                           bool is_nchw) {
  return is_nchw ? Dimensions{n, c, h, w} : Dimensions{n, h, w, c};
}

double Activate(double x, int64_t activation) {
  switch (activation) {
    case MUNJA_NN_ACTIVATION_RELU:
      return std::max(x, 0.0);
    case MUNJA_NN_ACTIVATION_RELU1:
      return std::clamp(x, -1.0, 1.0);
    case MUNJA_NN_ACTIVATION_RELU6:
      return std::clamp(x, 0.0, 6.0);
    default:
      return x;
  }
}

RealFunction FindRealOperation(int32_t type) {
  switch (type) {
    case MUNJA_NN_SVDF:
      return Svdf;
    default:
      break;
  }
  if (const RealFunction f = FindRealImageOperation(type)) return f;
  return FindRealBoxOperation(type);
}

}  // namespace munja::hal
