// Reductions, softmax, normalizations, matrix products.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/control.h"
#include "import/reference/loops.h"

namespace munja::importer::reference {

Status RunReduce(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  const size_t rank = x.shape.size();
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  std::vector<bool> reduced(rank, axes.empty());
  for (const int64_t axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, rank));
    reduced[a] = true;
  }
  std::vector<int64_t> step(rank, 0);  // In the output, for each input axis.
  int64_t stride = 1, folded = 1;
  for (size_t d = rank; d-- > 0;) {
    if (reduced[d]) {
      folded *= x.shape[d];
    } else {
      step[d] = stride;
      stride *= x.shape[d];
    }
  }
  if (folded == 0) return Malformed("a reduction over no elements");
  const bool is_max = node.op == "ReduceMax", is_min = node.op == "ReduceMin";
  constexpr double kMost = std::numeric_limits<double>::infinity();
  std::vector<double> sum(y.floats.size(), is_max   ? -kMost
                                           : is_min ? kMost
                                                    : 0.0);
  std::vector<int64_t> index(rank, 0);
  int64_t to = 0;
  for (const float value : x.floats) {
    if (is_max)
      sum[to] = std::max<double>(sum[to], value);
    else if (is_min)
      sum[to] = std::min<double>(sum[to], value);
    else
      sum[to] += value;
    for (size_t d = rank; d-- > 0;) {
      to += step[d];
      if (++index[d] < x.shape[d]) break;
      to -= step[d] * x.shape[d];
      index[d] = 0;
    }
  }
  const double divisor =
      node.op == "ReduceMean" ? static_cast<double>(folded) : 1.0;
  for (size_t i = 0; i < sum.size(); ++i)
    y.floats[i] = static_cast<float>(sum[i] / divisor);
  return {};
}

Status RunArgMax(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.shape.size()));
  const int64_t count = x.shape[axis];
  const int64_t inner = Count(x.shape, axis + 1, x.shape.size());
  std::vector<int64_t>& y = (*out)[0].integers;
  for (size_t i = 0; i < y.size(); ++i) {
    const int64_t o = static_cast<int64_t>(i);
    const float* row = x.floats.data() + o / inner * count * inner + o % inner;
    for (int64_t k = 1; k < count; ++k)
      if (row[k * inner] > row[y[i] * inner]) y[i] = k;
  }
  return {};
}

Status RunSoftmax(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", -1));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.shape.size()));
  const int64_t count = x.shape[axis];
  const int64_t inner = Count(x.shape, axis + 1, x.shape.size());
  const int64_t outer = Count(x.shape, 0, axis);
  std::vector<float>& y = (*out)[0].floats;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t k) { return (o * count + k) * inner + i; };
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < count; ++k)
        largest = std::max<double>(largest, x.floats[at(k)]);
      for (int64_t k = 0; k < count; ++k)
        sum += std::exp(x.floats[at(k)] - largest);
      for (int64_t k = 0; k < count; ++k)
        y[at(k)] =
            static_cast<float>(std::exp(x.floats[at(k)] - largest) / sum);
    }
  }
  return {};
}

Status RunBatchNorm(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         node.attributes.Float("epsilon", 1e-5));
  const int64_t channels = x.shape[1];
  const int64_t inner = Count(x.shape, 2, x.shape.size());
  for (size_t i = 0; i < x.floats.size(); ++i) {
    const int64_t c = static_cast<int64_t>(i) / inner % channels;
    const double scale =
        in[1]->floats[c] / std::sqrt(in[4]->floats[c] + epsilon);
    (*out)[0].floats[i] = static_cast<float>(
        scale * (x.floats[i] - in[3]->floats[c]) + in[2]->floats[c]);
  }
  return {};
}

Status RunLayerNorm(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  MUNJA_ASSIGN_OR_RETURN(const double epsilon,
                         node.attributes.Float("epsilon", 1e-5));
  const int64_t n = x.shape.back();
  for (size_t row = 0; n > 0 && row < x.floats.size(); row += n) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; ++i) mean += x.floats[row + i];
    mean /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double d = x.floats[row + i] - mean;
      variance += d * d;
    }
    variance /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double bias = in.size() > 2 && in[2] ? in[2]->floats[i] : 0.0;
      (*out)[0].floats[row + i] = static_cast<float>(
          (x.floats[row + i] - mean) / std::sqrt(variance + epsilon) *
              in[1]->floats[i] +
          bias);
    }
  }
  return {};
}

Status RunMatMul(const Node&, Inputs in, Outputs* out) {
  const Tensor& a = *in[0];
  const Tensor& b = *in[1];
  Tensor& y = (*out)[0];
  const size_t rank = y.shape.size();
  const int64_t m = y.shape[rank - 2], n = y.shape[rank - 1];
  const int64_t k = a.shape.back();
  const int64_t batches = Count(y.shape, 0, rank - 2);
  // The matrix of an operand that belongs to one matrix of the result.
  const auto offset = [&](const Tensor& t, int64_t batch) {
    int64_t at = 0, stride = 1;
    for (size_t i = 2; i < rank; ++i) {
      const int64_t index = batch % y.shape[rank - 1 - i];
      batch /= y.shape[rank - 1 - i];
      if (i >= t.shape.size()) continue;
      const int64_t d = t.shape[t.shape.size() - 1 - i];
      if (d != 1) at += index * stride;
      stride *= d;
    }
    return at;
  };
  std::vector<double> row(n);
  for (int64_t batch = 0; batch < batches; ++batch) {
    const float* pa = a.floats.data() + offset(a, batch) * m * k;
    const float* pb = b.floats.data() + offset(b, batch) * k * n;
    for (int64_t i = 0; i < m && !IsStopped(); ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      for (int64_t j = 0; j < k; ++j)
        for (int64_t c = 0; c < n; ++c)
          row[c] += static_cast<double>(pa[i * k + j]) * pb[j * n + c];
      std::copy(row.begin(), row.end(), y.floats.begin() + (batch * m + i) * n);
    }
  }
  return {};
}

}  // namespace munja::importer::reference
