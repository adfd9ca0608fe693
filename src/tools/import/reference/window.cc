// Convolutions and pooling.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/control.h"
#include "import/ir/window.h"
#include "import/reference/loops.h"

namespace munja::importer::reference {
namespace {

struct Plane {
  int64_t height, width;
};

// out[oy][ox] += w * in[oy * sy + dy][ox * sx + dx] wherever that lies inside.
void AddShifted(const float* in, Plane from, double w, int64_t dy, int64_t dx,
                int64_t sy, int64_t sx, double* out, Plane to) {
  for (int64_t oy = 0; oy < to.height && !IsStopped(); ++oy) {
    const int64_t iy = oy * sy + dy;
    if (iy < 0 || iy >= from.height) continue;
    for (int64_t ox = 0; ox < to.width; ++ox) {
      const int64_t ix = ox * sx + dx;
      if (ix < 0 || ix >= from.width) continue;
      out[oy * to.width + ox] += w * in[iy * from.width + ix];
    }
  }
}

// The transposed walk: out[iy * sy + dy][ix * sx + dx] += w * in[iy][ix].
void AddSpread(const float* in, Plane from, double w, int64_t dy, int64_t dx,
               int64_t sy, int64_t sx, double* out, Plane to) {
  for (int64_t iy = 0; iy < from.height && !IsStopped(); ++iy) {
    const int64_t oy = iy * sy + dy;
    if (oy < 0 || oy >= to.height) continue;
    for (int64_t ix = 0; ix < from.width; ++ix) {
      const int64_t ox = ix * sx + dx;
      if (ox < 0 || ox >= to.width) continue;
      out[oy * to.width + ox] += w * in[iy * from.width + ix];
    }
  }
}

}  // namespace

Status RunConv(const Node& node, Inputs in, Outputs* out) {
  MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
  MUNJA_ASSIGN_OR_RETURN(const int64_t group, node.attributes.Int("group", 1));
  const Tensor& x = *in[0];
  const Tensor& w = *in[1];
  Tensor& y = (*out)[0];
  window.kernel = {w.shape[2], w.shape[3]};
  const Plane from{x.shape[2], x.shape[3]}, to{y.shape[2], y.shape[3]};
  const int64_t in_plane = from.height * from.width;
  const int64_t out_plane = to.height * to.width;
  const int64_t channels = x.shape[1], filters = y.shape[1];
  const int64_t depth = w.shape[1], per_group = filters / group;
  const int64_t top = window.PadBefore(0, from.height);
  const int64_t left = window.PadBefore(1, from.width);
  std::vector<double> sum(out_plane);
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t o = 0; o < filters && !IsStopped(); ++o) {
      const double bias = in.size() > 2 && in[2] ? in[2]->floats[o] : 0.0;
      std::fill(sum.begin(), sum.end(), bias);
      for (int64_t i = 0; i < depth; ++i) {
        const int64_t c = o / per_group * depth + i;
        const float* plane = x.floats.data() + (n * channels + c) * in_plane;
        for (int64_t ky = 0; ky < window.kernel[0]; ++ky)
          for (int64_t kx = 0; kx < window.kernel[1]; ++kx)
            AddShifted(plane, from,
                       w.floats[((o * depth + i) * window.kernel[0] + ky) *
                                    window.kernel[1] +
                                kx],
                       ky * window.dilation[0] - top,
                       kx * window.dilation[1] - left, window.stride[0],
                       window.stride[1], sum.data(), to);
      }
      std::copy(sum.begin(), sum.end(),
                y.floats.begin() + (n * filters + o) * out_plane);
    }
  }
  return {};
}

Status RunConvTranspose(const Node& node, Inputs in, Outputs* out) {
  MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
  const Tensor& x = *in[0];
  const Tensor& w = *in[1];  // [I, O, kh, kw]
  Tensor& y = (*out)[0];
  window.kernel = {w.shape[2], w.shape[3]};
  const Plane from{x.shape[2], x.shape[3]}, to{y.shape[2], y.shape[3]};
  const int64_t in_plane = from.height * from.width;
  const int64_t out_plane = to.height * to.width;
  const int64_t channels = x.shape[1], filters = y.shape[1];
  std::vector<double> sum(out_plane);
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t o = 0; o < filters && !IsStopped(); ++o) {
      const double bias = in.size() > 2 && in[2] ? in[2]->floats[o] : 0.0;
      std::fill(sum.begin(), sum.end(), bias);
      for (int64_t c = 0; c < channels; ++c) {
        const float* plane = x.floats.data() + (n * channels + c) * in_plane;
        for (int64_t ky = 0; ky < window.kernel[0]; ++ky)
          for (int64_t kx = 0; kx < window.kernel[1]; ++kx)
            AddSpread(plane, from,
                      w.floats[((c * filters + o) * window.kernel[0] + ky) *
                                   window.kernel[1] +
                               kx],
                      ky * window.dilation[0] - window.before[0],
                      kx * window.dilation[1] - window.before[1],
                      window.stride[0], window.stride[1], sum.data(), to);
      }
      std::copy(sum.begin(), sum.end(),
                y.floats.begin() + (n * filters + o) * out_plane);
    }
  }
  return {};
}

Status RunPool(const Node& node, Inputs in, Outputs* out) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes));
  MUNJA_ASSIGN_OR_RETURN(const int64_t include_pad,
                         node.attributes.Int("count_include_pad", 0));
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  const bool is_max = node.op == "MaxPool";
  if (!is_max && include_pad != 0 && window.ceil_mode)
    return Unsupported("count_include_pad together with ceil_mode");
  const int64_t h = x.shape[2], w = x.shape[3];
  const int64_t top = window.PadBefore(0, h), left = window.PadBefore(1, w);
  const double whole = static_cast<double>(window.kernel[0] * window.kernel[1]);
  size_t next = 0;
  for (int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    const float* p = x.floats.data() + plane * h * w;
    for (int64_t oy = 0; oy < y.shape[2] && !IsStopped(); ++oy) {
      for (int64_t ox = 0; ox < y.shape[3]; ++ox) {
        float largest = -std::numeric_limits<float>::infinity();
        double sum = 0;
        int64_t count = 0;
        for (int64_t ky = 0; ky < window.kernel[0]; ++ky) {
          const int64_t iy =
              oy * window.stride[0] + ky * window.dilation[0] - top;
          if (iy < 0 || iy >= h) continue;
          for (int64_t kx = 0; kx < window.kernel[1]; ++kx) {
            const int64_t ix =
                ox * window.stride[1] + kx * window.dilation[1] - left;
            if (ix < 0 || ix >= w) continue;
            largest = std::max(largest, p[iy * w + ix]);
            sum += p[iy * w + ix];
            ++count;
          }
        }
        if (count == 0) return Unsupported("a window of padding only");
        const double divisor =
            include_pad != 0 ? whole : static_cast<double>(count);
        y.floats[next++] = is_max ? largest : static_cast<float>(sum / divisor);
      }
    }
  }
  return {};
}

}  // namespace munja::importer::reference
