#include "compress/calibration/second_moments.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/control.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

// The window that patches are taken from.
struct Window {
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  bool is_same = false;
};

Result<Window> WindowOf(const graph::Node& node, const Shape& weights) {
  Window w;
  if (node.op == "FULLY_CONNECTED") return w;
  w.kernel_h = weights[1];
  w.kernel_w = weights[2];
  const auto read = [&](const char* name, int* to) -> Status {
    MUNJA_ASSIGN_OR_RETURN(const int64_t v, node.attributes.Int(name, 1));
    *to = static_cast<int>(std::clamp<int64_t>(v, 1, 1 << 20));
    return Status();
  };
  MUNJA_RETURN_IF_ERROR(read("stride_h", &w.stride_h));
  MUNJA_RETURN_IF_ERROR(read("stride_w", &w.stride_w));
  MUNJA_RETURN_IF_ERROR(read("dilation_h_factor", &w.dilation_h));
  MUNJA_RETURN_IF_ERROR(read("dilation_w_factor", &w.dilation_w));
  MUNJA_ASSIGN_OR_RETURN(const std::string padding,
                         node.attributes.Text("padding", "VALID"));
  w.is_same = padding == "SAME";
  return w;
}

// Output positions along one side, and the padding before the first.
std::pair<int, int> Positions(int in, int kernel, int stride, int dilation,
                              bool is_same) {
  const int span = (kernel - 1) * dilation + 1;
  const int out = is_same ? (in + stride - 1) / stride
                          : std::max(0, (in + stride - span) / stride);
  const int total = std::max(0, (out - 1) * stride + span - in);
  return {out, is_same ? total / 2 : 0};
}

// x holds `groups` patches of `size` values, channel after channel.
void Accumulate(const std::vector<float>& x, SecondMoments* m) {
  for (size_t g = 0; g < m->groups; ++g) {
    const float* patch = x.data() + g * m->size;
    double* sums = m->sums.data() + g * m->size;
    for (size_t i = 0; i < m->size; ++i) sums[i] += double{patch[i]};
    if (m->products.empty()) continue;
    for (size_t i = 0; i < m->size; ++i) {
      const float a = patch[i];
      if (a == 0.0f) continue;
      float* row = m->products.data() + (g * m->size + i) * m->size;
      for (size_t k = i; k < m->size; ++k) row[k] += a * patch[k];
    }
  }
  ++m->patches;
}

class Sampler {
 public:
  Sampler(Window window, bool is_depthwise, int patches)
      : window_(window), is_depthwise_(is_depthwise), patches_(patches) {}

  void See(const TensorView& view, SecondMoments* m) {
    const int channels = view.shape.back();
    int h = 1, w = static_cast<int>(view.shape.elements() / channels);
    if (view.shape.rank() == 4) {
      h = view.shape[1];
      w = view.shape[2];
    }
    const auto [out_h, top] = Positions(h, window_.kernel_h, window_.stride_h,
                                        window_.dilation_h, window_.is_same);
    const auto [out_w, left] = Positions(w, window_.kernel_w, window_.stride_w,
                                         window_.dilation_w, window_.is_same);
    const int64_t count = int64_t{out_h} * out_w;
    if (count == 0) return;
    const int64_t wanted = std::min<int64_t>(count, patches_);
    std::vector<float> x(m->size * m->groups);
    for (int64_t i = 0; i < wanted && !IsStopped(); ++i) {
      // Evenly spread, each at a random position of its interval.
      const int64_t begin = count * i / wanted;
      const int64_t end = count * (i + 1) / wanted;
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      const int64_t at =
          begin + static_cast<int64_t>((random_ >> 33) %
                                       static_cast<uint64_t>(end - begin));
      Cut(view.as<float>(), h, w, channels,
          static_cast<int>(at / out_w) * window_.stride_h - top,
          static_cast<int>(at % out_w) * window_.stride_w - left, &x);
      Accumulate(x, m);
    }
  }

 private:
  void Cut(const float* in, int h, int w, int channels, int y0, int x0,
           std::vector<float>* out) const {
    const auto area = static_cast<size_t>(window_.kernel_h) * window_.kernel_w;
    size_t place = 0;
    for (int ky = 0; ky < window_.kernel_h; ++ky) {
      for (int kx = 0; kx < window_.kernel_w; ++kx, ++place) {
        const int y = y0 + ky * window_.dilation_h;
        const int x = x0 + kx * window_.dilation_w;
        const bool is_inside = y >= 0 && y < h && x >= 0 && x < w;
        const float* from = in + (static_cast<ptrdiff_t>(y) * w + x) * channels;
        for (int c = 0; c < channels; ++c) {
          const float value = is_inside ? from[c] : 0.0f;
          const size_t to = is_depthwise_
                                ? static_cast<size_t>(c) * area + place
                                : place * static_cast<size_t>(channels) +
                                      static_cast<size_t>(c);
          (*out)[to] = value;
        }
      }
    }
  }

  Window window_;
  bool is_depthwise_;
  int patches_;
  uint64_t random_ = 1;
};

}  // namespace

Result<std::vector<std::optional<SecondMoments>>> CollectSecondMoments(
    const graph::Graph& graph, std::span<const Sample> samples,
    const std::shared_ptr<ThreadPool>& pool, int patches, size_t max_size,
    bool with_products) {
  const graph::Subgraph& main = graph.main();
  std::vector<std::optional<SecondMoments>> found(main.nodes.size());
  std::map<size_t, Sampler> samplers;
  std::vector<graph::ValueId> taps;
  std::map<graph::ValueId, std::vector<size_t>> readers;
  for (size_t n = 0; n < main.nodes.size(); ++n) {
    const graph::Node& node = main.nodes[n];
    const graph::LinearOp* linear = graph::FindFloatLinearOp(main, node);
    if (linear == nullptr || node.op == "TRANSPOSE_CONV") continue;
    const graph::ValueId x = node.inputs[0];
    if (main.values[static_cast<size_t>(x)].constant) continue;
    const Shape& w = main.values[static_cast<size_t>(node.inputs[1])].shape;
    const bool is_depthwise = node.op == "DEPTHWISE_CONV_2D";
    SecondMoments m;
    m.groups = is_depthwise ? static_cast<size_t>(w[3]) : 1;
    m.size = is_depthwise ? static_cast<size_t>(w[1]) * w[2]
                          : static_cast<size_t>(w.elements(1, w.rank()));
    if (m.size == 0 || m.size > max_size) continue;
    if (with_products) m.products.assign(m.groups * m.size * m.size, 0.0f);
    m.sums.assign(m.groups * m.size, 0.0);
    MUNJA_ASSIGN_OR_RETURN(const Window window, WindowOf(node, w));
    samplers.emplace(n, Sampler(window, is_depthwise, patches));
    found[n] = std::move(m);
    if (readers[x].empty()) taps.push_back(x);
    readers[x].push_back(n);
  }
  MUNJA_RETURN_IF_ERROR(Observe(
      graph, taps, samples, pool,
      [&](size_t, graph::ValueId v, const TensorView& view) -> Status {
        for (const size_t n : readers[v]) {
          SecondMoments& m = *found[n];
          const size_t channels = view.shape.rank() > 0
                                      ? static_cast<size_t>(view.shape.back())
                                      : 0;
          const graph::Node& node = main.nodes[n];
          const Shape& w =
              main.values[static_cast<size_t>(node.inputs[1])].shape;
          // Groups, a channel multiplier or a flattened input: left alone.
          const bool fits = m.groups > 1 || node.op == "DEPTHWISE_CONV_2D"
                                ? channels == m.groups
                                : channels == static_cast<size_t>(w.back());
          if (!fits || view.shape.elements() == 0) continue;
          samplers.at(n).See(view, &m);
        }
        return Status();
      }));
  for (auto& m : found)
    if (m && m->patches == 0) m.reset();
  return found;
}

}  // namespace munja::compress
