#include "compress/quantization/round_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "base/control.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

// The upper triangle U with U' U = inverse of the matrix, in its place; false
// when it is not positive definite, or the call is to end.
bool InverseFactor(size_t n, std::vector<double>* matrix) {
  std::vector<double>& a = *matrix;
  // a = L L'.
  for (size_t j = 0; j < n; ++j) {
    if (IsStopped()) return false;
    double d = a[j * n + j];
    for (size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k];
    if (!(d > 0)) return false;
    const double root = std::sqrt(d);
    a[j * n + j] = root;
    for (size_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / root;
    }
  }
  // Row i of M = inverse of L, by substitution.
  std::vector<double> m(n * n, 0.0);
  for (size_t i = 0; i < n; ++i) {
    if (IsStopped()) return false;
    m[i * n + i] = 1.0;
    for (size_t k = 0; k < i; ++k) {
      const double f = a[i * n + k];
      if (f == 0) continue;
      for (size_t j = 0; j <= k; ++j) m[i * n + j] -= f * m[k * n + j];
    }
    for (size_t j = 0; j <= i; ++j) m[i * n + j] /= a[i * n + i];
  }
  // inverse = M' M.
  std::vector<double> inverse(n * n, 0.0);
  for (size_t k = 0; k < n; ++k) {
    if (IsStopped()) return false;
    for (size_t i = 0; i <= k; ++i) {
      const double f = m[k * n + i];
      for (size_t j = 0; j <= k; ++j) inverse[i * n + j] += f * m[k * n + j];
    }
  }
  // inverse = U' U, with U the transpose of its lower factor.
  for (size_t j = 0; j < n; ++j) {
    if (IsStopped()) return false;
    double d = inverse[j * n + j];
    for (size_t k = 0; k < j; ++k) d -= m[k * n + j] * m[k * n + j];
    if (!(d > 0)) return false;
    const double root = std::sqrt(d);
    for (size_t i = j; i < n; ++i) {
      double sum = inverse[j * n + i];
      for (size_t k = 0; k < j; ++k) sum -= m[k * n + j] * m[k * n + i];
      m[j * n + i] = sum / root;
    }
    for (size_t i = 0; i < j; ++i) m[j * n + i] = 0;
  }
  a = std::move(m);
  return true;
}

// The factor for group g, of the covariance when the mean is made good by the
// bias; nothing when it cannot be had.
std::optional<std::vector<double>> Factor(const SecondMoments& m, size_t g,
                                          bool is_centered) {
  const size_t n = m.size;
  std::vector<double> h(n * n);
  const auto count = static_cast<double>(m.patches);
  double trace = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) {
      double x = double{m.products[(g * n + i) * n + j]} / count;
      if (is_centered)
        x -= m.sums[g * n + i] / count * (m.sums[g * n + j] / count);
      h[i * n + j] = h[j * n + i] = x;
    }
    trace += h[i * n + i];
  }
  if (!(trace > 0)) return std::nullopt;
  const double damping = 0.01 * trace / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) h[i * n + i] += damping;
  if (!InverseFactor(n, &h)) return std::nullopt;
  return h;
}

int8_t Nearest(double x) {
  return static_cast<int8_t>(std::clamp(std::round(x), -127.0, 127.0));
}

// One output: `row` in units of its scale.
void RoundRow(std::vector<double> row, const std::vector<double>* factor,
              std::span<int8_t> out) {
  const size_t n = row.size();
  for (size_t i = 0; i < n; ++i) {
    out[i] = Nearest(row[i]);
    if (factor == nullptr) continue;
    const double error = (row[i] - out[i]) / (*factor)[i * n + i];
    for (size_t j = i + 1; j < n; ++j) row[j] -= error * (*factor)[i * n + j];
  }
}

}  // namespace

Result<RoundedLayer> RoundWeights(const graph::Subgraph& subgraph,
                                  const graph::Node& node,
                                  const SecondMoments* moments,
                                  const RoundingOptions& options) {
  const graph::LinearOp* linear = graph::FindFloatLinearOp(subgraph, node);
  if (linear == nullptr) return Internal("no weights to round");
  const graph::ValueId id = node.inputs[static_cast<size_t>(linear->weights)];
  const auto weights = graph::ReadFloats(subgraph, id);
  if (!weights) return Internal("the weights cannot be read");
  RoundedLayer layer;
  layer.shape = subgraph.values[static_cast<size_t>(id)].shape;
  layer.axis = linear->channel_axis;
  const auto channels = static_cast<size_t>(layer.shape[layer.axis]);
  if (channels == 0) return Unsupported("weights without channels");
  const size_t size = weights->size() / channels;
  layer.weights.resize(weights->size());
  layer.scales.resize(channels);
  layer.bias.assign(channels, 0.0f);
  const graph::ValueId bias_id = graph::InputOrNone(node, linear->bias);
  if (bias_id != graph::kNoValue) {
    const auto bias = graph::ReadFloats(subgraph, bias_id);
    if (!bias || bias->size() != channels)
      return Internal("the bias cannot be read");
    layer.bias = *bias;
  }
  for (const float w : *weights)
    if (!std::isfinite(w)) return Malformed("a weight is not finite");
  // Weights of one output lie together, or `channels` apart.
  const bool is_last = layer.axis + 1 == layer.shape.rank() && layer.axis > 0;
  const auto at = [&](size_t c, size_t i) {
    return is_last ? i * channels + c : c * size + i;
  };
  const bool has_moments =
      moments != nullptr && moments->size == size &&
      (moments->groups == 1 || moments->groups == channels);
  std::optional<std::vector<double>> factor;
  for (size_t c = 0; c < channels; ++c) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    double peak = 0;
    for (size_t i = 0; i < size; ++i)
      peak = std::max(peak, std::fabs(double{(*weights)[at(c, i)]}));
    // A channel of zeros still needs a scale in which its bias is exact.
    const double floor =
        std::max(1e-9, std::fabs(double{layer.bias[c]}) * 1e-6);
    const auto scale = static_cast<float>(std::max(peak / 127.0, floor));
    layer.scales[c] = scale;
    const size_t g = has_moments && moments->groups > 1 ? c : 0;
    if (has_moments && options.error_feedback && (c == 0 || g == c))
      factor = Factor(*moments, g, options.correct_bias);
    std::vector<double> row(size);
    for (size_t i = 0; i < size; ++i)
      row[i] = double{(*weights)[at(c, i)]} / double{scale};
    std::vector<int8_t> rounded(size);
    RoundRow(row, factor ? &*factor : nullptr, rounded);
    double shift = 0;
    for (size_t i = 0; i < size; ++i) {
      layer.weights[at(c, i)] = rounded[i];
      if (has_moments)
        shift += (row[i] - rounded[i]) * moments->sums[g * size + i];
    }
    if (has_moments && options.correct_bias)
      layer.bias[c] += static_cast<float>(
          shift * double{scale} / static_cast<double>(moments->patches));
  }
  return layer;
}

}  // namespace munja::compress
