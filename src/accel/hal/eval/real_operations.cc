#include "hal/eval/real_operations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hal/types.h"

namespace munja::hal {
namespace {

// Elements of a tensor that a call may make.
constexpr uint64_t kMaxElements = uint64_t{1} << 28;

// The axis of input i, counted from the end when negative.
Result<size_t> AxisOf(const RealCall& c, size_t i, int64_t fallback) {
  const auto rank = static_cast<int64_t>(c.in[0].rank());
  int64_t axis = c.Int(i, fallback);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank)
    return InvalidArgument("axis " + std::to_string(c.Int(i, fallback)) +
                           " of a tensor of rank " + std::to_string(rank));
  return static_cast<size_t>(axis);
}

// Elements before the axis, along it, behind it.
struct Along {
  size_t before = 1, size = 1, behind = 1;
  Along(const Dimensions& dimensions, size_t axis) : size(dimensions[axis]) {
    for (size_t i = 0; i < axis; ++i) before *= dimensions[i];
    for (size_t i = axis + 1; i < dimensions.size(); ++i)
      behind *= dimensions[i];
  }
};

Status ChannelShuffle(RealCall& c) {
  MUNJA_ASSIGN_OR_RETURN(const size_t axis, AxisOf(c, 2, -1));
  const Along along(c.in[0].dimensions, axis);
  const int64_t groups = c.Int(1);
  if (groups <= 0 || along.size % static_cast<size_t>(groups) != 0)
    return InvalidArgument("groups that do not divide the channels");
  MUNJA_RETURN_IF_ERROR(c.Make(0, c.in[0].dimensions));
  const size_t each = along.size / static_cast<size_t>(groups);
  for (size_t b = 0; b < along.before; ++b)
    for (size_t k = 0; k < along.size; ++k)
      for (size_t i = 0; i < along.behind; ++i) {
        const size_t to = k % each * static_cast<size_t>(groups) + k / each;
        c.out[0].values[(b * along.size + to) * along.behind + i] =
            c.in[0].values[(b * along.size + k) * along.behind + i];
      }
  return Status();
}

Status Elu(RealCall& c) {
  MUNJA_RETURN_IF_ERROR(c.Make(0, c.in[0].dimensions));
  const double alpha = c.At(1);
  std::ranges::transform(
      c.in[0].values, c.out[0].values.begin(),
      [&](double x) { return x < 0.0 ? alpha * std::expm1(x) : x; });
  return Status();
}

Status LogSoftmax(RealCall& c) {
  MUNJA_ASSIGN_OR_RETURN(const size_t axis, AxisOf(c, 2, -1));
  MUNJA_RETURN_IF_ERROR(c.Make(0, c.in[0].dimensions));
  const Along along(c.in[0].dimensions, axis);
  const double beta = c.At(1, 1.0);
  for (size_t b = 0; b < along.before; ++b)
    for (size_t i = 0; i < along.behind; ++i) {
      const auto at = [&](size_t k) {
        return (b * along.size + k) * along.behind + i;
      };
      double largest = -INFINITY, sum = 0.0;
      for (size_t k = 0; k < along.size; ++k)
        largest = std::max(largest, c.in[0].values[at(k)]);
      for (size_t k = 0; k < along.size; ++k)
        sum += std::exp((c.in[0].values[at(k)] - largest) * beta);
      for (size_t k = 0; k < along.size; ++k)
        c.out[0].values[at(k)] =
            (c.in[0].values[at(k)] - largest) * beta - std::log(sum);
    }
  return Status();
}

Status Concatenation(RealCall& c) {
  const size_t last = c.inputs() - 1;
  MUNJA_ASSIGN_OR_RETURN(const size_t axis, AxisOf(c, last, 0));
  Dimensions dimensions = c.in[0].dimensions;
  for (size_t i = 1; i < last; ++i) {
    Dimensions other = c.in[i].dimensions;
    if (other.size() != dimensions.size())
      return InvalidArgument("inputs of different ranks");
    const uint32_t size = std::exchange(other[axis], dimensions[axis]);
    if (other != dimensions)
      return InvalidArgument("inputs that differ beside the axis");
    dimensions[axis] += size;
  }
  MUNJA_RETURN_IF_ERROR(c.Make(0, dimensions));
  const Along whole(dimensions, axis);
  size_t done = 0;
  for (size_t i = 0; i < last; ++i) {
    const Along part(c.in[i].dimensions, axis);
    const size_t row = part.size * part.behind;
    for (size_t b = 0; b < part.before; ++b)
      std::copy_n(
          c.in[i].values.begin() + static_cast<std::ptrdiff_t>(b * row), row,
          c.out[0].values.begin() + static_cast<std::ptrdiff_t>(
                                        b * whole.size * whole.behind + done));
    done += row;
  }
  return Status();
}

// Among equal values, the last comes first.
Status TopK(RealCall& c) {
  const Real& x = c.in[0];
  const int64_t count = c.Int(1);
  if (x.rank() == 0 || count < 1 || count > int64_t{x.dimensions.back()})
    return InvalidArgument("more elements than there are, or none");
  const auto k = static_cast<uint32_t>(count);
  const size_t row = x.dimensions.back();
  Dimensions dimensions = x.dimensions;
  dimensions.back() = k;
  MUNJA_RETURN_IF_ERROR(c.Make(0, dimensions));
  MUNJA_RETURN_IF_ERROR(c.Make(1, dimensions));
  std::vector<size_t> order(row);
  for (size_t r = 0; r * row < x.values.size(); ++r) {
    const double* values = x.values.data() + r * row;
    std::iota(order.begin(), order.end(), size_t{0});
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](size_t a, size_t b) {
                        if (values[a] != values[b])
                          return values[a] > values[b];
                        return a > b;
                      });
    for (size_t i = 0; i < k; ++i) {
      c.out[0].values[r * k + i] = values[order[i]];
      c.out[1].values[r * k + i] = static_cast<double>(order[i]);
    }
  }
  return Status();
}

// Slopes that the input is spread along.
Status Prelu(RealCall& c) {
  const Real &x = c.in[0], &slopes = c.in[1];
  Dimensions dimensions(std::max(x.rank(), slopes.rank()), 1);
  for (const Real* from : {&x, &slopes})
    for (size_t i = 1; i <= from->rank(); ++i) {
      const uint32_t d = from->dimensions[from->rank() - i];
      uint32_t& all = dimensions[dimensions.size() - i];
      if (d == 1 || d == all) continue;
      if (all != 1) return InvalidArgument("slopes that do not broadcast");
      all = d;
    }
  MUNJA_RETURN_IF_ERROR(c.Make(0, dimensions));
  const auto at = [&](const Real& from, size_t element) {
    size_t index = 0, stride = 1;
    for (size_t i = 1; i <= dimensions.size(); ++i) {
      const uint32_t all = dimensions[dimensions.size() - i];
      if (i <= from.rank() && from.dimensions[from.rank() - i] != 1) {
        index += element % all * stride;
        stride *= all;
      }
      element /= all;
    }
    return from.values[index];
  };
  for (size_t i = 0; i < c.out[0].values.size(); ++i) {
    const double v = at(x, i);
    c.out[0].values[i] = v >= 0.0 ? v : v * at(slopes, i);
  }
  return Status();
}

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
    case MUNJA_NN_CHANNEL_SHUFFLE:
      return ChannelShuffle;
    case MUNJA_NN_CONCATENATION:
      return Concatenation;
    case MUNJA_NN_ELU:
      return Elu;
    case MUNJA_NN_LOG_SOFTMAX:
      return LogSoftmax;
    case MUNJA_NN_PRELU:
      return Prelu;
    case MUNJA_NN_SVDF:
      return Svdf;
    case MUNJA_NN_TOPK_V2:
      return TopK;
    default:
      break;
  }
  if (const RealFunction f = FindRealImageOperation(type)) return f;
  return FindRealBoxOperation(type);
}

}  // namespace munja::hal
