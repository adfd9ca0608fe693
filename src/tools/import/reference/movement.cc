// Operators that move data, and resizing.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "import/reference/loops.h"
#include "import/shapes/infer_rules.h"

namespace munja::importer::reference {
namespace {

// Steps through all indices of `shape` in row-major order.
bool Next(const Dims& shape, Dims* index) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++(*index)[d] < shape[d]) return true;
    (*index)[d] = 0;
  }
  return false;
}

int64_t Offset(const Dims& shape, const Dims& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

}  // namespace

Status RunCopy(const Node&, Inputs in, Outputs* out) {
  (*out)[0].floats = in[0]->floats;
  (*out)[0].integers = in[0]->integers;
  return {};
}

Status RunDepthToSpace(const Node& node, Inputs in, Outputs* out) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         node.attributes.Int("blocksize", 1));
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  const Dims& s = y.shape;
  for (int64_t i = 0; i < Count(s, 0, 4); ++i) {
    const int64_t col = i % s[3], row = i / s[3] % s[2];
    const int64_t channel = i / s[3] / s[2] % s[1], batch = i / Count(s, 1, 4);
    const int64_t from = (row % block * block + col % block) * s[1] + channel;
    y.floats[i] =
        x.floats[((batch * x.shape[1] + from) * x.shape[2] + row / block) *
                     x.shape[3] +
                 col / block];
  }
  return {};
}

Status RunConcat(const Node& node, Inputs in, Outputs* out) {
  Tensor& y = (*out)[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, y.shape.size()));
  const int64_t outer = Count(y.shape, 0, axis);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (const Tensor* x : in) {
      const int64_t run = Count(x->shape, axis, x->shape.size());
      for (int64_t i = 0; i < run; ++i) CopyElement(*x, o * run + i, &y, to++);
    }
  }
  return {};
}

Status RunSplit(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.shape.size()));
  const int64_t outer = Count(x.shape, 0, axis);
  int64_t from = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (Tensor& y : *out) {
      const int64_t run = Count(y.shape, axis, y.shape.size());
      for (int64_t i = 0; i < run; ++i) CopyElement(x, from++, &y, o * run + i);
    }
  }
  return {};
}

Status RunSlice(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(const Dims starts, node.attributes.Ints("starts"));
  MUNJA_ASSIGN_OR_RETURN(const Dims ends, node.attributes.Ints("ends"));
  MUNJA_ASSIGN_OR_RETURN(const Dims steps, node.attributes.Ints("steps"));
  Dims first(x.shape.size(), 0), step(x.shape.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a,
                           NormalizeAxis(axes[i], x.shape.size()));
    first[a] = ResolveSlice(x.shape[a], starts[i], ends[i], steps[i]).first;
    step[a] = steps[i];
  }
  if (y.elements() == 0) return {};
  Dims index(y.shape.size(), 0), from(y.shape.size(), 0);
  int64_t to = 0;
  do {
    for (size_t d = 0; d < index.size(); ++d)
      from[d] = first[d] + index[d] * step[d];
    CopyElement(x, Offset(x.shape, from), &y, to++);
  } while (Next(y.shape, &index));
  return {};
}

Status RunTranspose(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  MUNJA_ASSIGN_OR_RETURN(const Dims perm, node.attributes.Ints("perm"));
  if (y.elements() == 0) return {};
  Dims index(y.shape.size(), 0), from(y.shape.size(), 0);
  int64_t to = 0;
  do {
    for (size_t d = 0; d < index.size(); ++d) from[perm[d]] = index[d];
    CopyElement(x, Offset(x.shape, from), &y, to++);
  } while (Next(y.shape, &index));
  return {};
}

Status RunPad(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  MUNJA_ASSIGN_OR_RETURN(const Dims pads, node.attributes.Ints("pads"));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         node.attributes.Text("mode", "constant"));
  MUNJA_ASSIGN_OR_RETURN(const double value, node.attributes.Float("value", 0));
  if (y.elements() == 0) return {};
  Dims index(y.shape.size(), 0), from(y.shape.size(), 0);
  int64_t to = 0;
  do {
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      from[d] = index[d] - pads[d];
      const int64_t last = x.shape[d] - 1;
      if (mode == "reflect") {
        if (from[d] < 0) from[d] = -from[d];
        if (from[d] > last) from[d] = 2 * last - from[d];
      }
      inside = inside && from[d] >= 0 && from[d] <= last;
    }
    if (inside)
      CopyElement(x, Offset(x.shape, from), &y, to);
    else
      y.floats[to] = static_cast<float>(value);
    ++to;
  } while (Next(y.shape, &index));
  return {};
}

Status RunGather(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  const std::vector<int64_t>& indices = in[1]->integers;
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.shape.size()));
  const int64_t size = x.shape[axis];
  const int64_t inner = Count(x.shape, axis + 1, x.shape.size());
  int64_t to = 0;
  for (int64_t o = 0; o < Count(x.shape, 0, axis); ++o) {
    for (const int64_t given : indices) {
      const int64_t i = given < 0 ? given + size : given;
      if (i < 0 || i >= size)
        return Malformed("index ", given, " is outside an axis of size ", size);
      for (int64_t k = 0; k < inner; ++k)
        CopyElement(x, (o * size + i) * inner + k, &(*out)[0], to++);
    }
  }
  return {};
}

Status RunShape(const Node&, Inputs in, Outputs* out) {
  (*out)[0].integers = in[0]->shape;
  return {};
}

namespace {

struct Resampling {
  int64_t in, out;
  double scale;  // out / in as the model states it.
  std::string coordinates, rounding;

  // The position of output sample i on the input's grid.
  double Position(int64_t i) const {
    if (coordinates == "align_corners")
      return out == 1 ? 0.0
                      : static_cast<double>(i) * static_cast<double>(in - 1) /
                            static_cast<double>(out - 1);
    if (coordinates == "half_pixel")
      return (static_cast<double>(i) + 0.5) / scale - 0.5;
    return static_cast<double>(i) / scale;
  }
  int64_t Clamp(double i) const {
    return std::clamp<int64_t>(static_cast<int64_t>(i), 0, in - 1);
  }
  int64_t Nearest(int64_t i) const {
    const double p = Position(i);
    if (rounding == "round_prefer_floor") return Clamp(std::ceil(p - 0.5));
    if (rounding == "round_prefer_ceil") return Clamp(std::floor(p + 0.5));
    return Clamp(std::floor(p));
  }
};

}  // namespace

Status RunResize(const Node& node, Inputs in, Outputs* out) {
  const Tensor& x = *in[0];
  Tensor& y = (*out)[0];
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         node.attributes.Text("mode", "nearest"));
  MUNJA_ASSIGN_OR_RETURN(const Dims sizes, node.attributes.Ints("sizes"));
  Resampling r[2];
  for (int i = 0; i < 2; ++i) {
    MUNJA_ASSIGN_OR_RETURN(
        r[i].scale, node.attributes.Float(i == 0 ? "scale_h" : "scale_w", 1.0));
    MUNJA_ASSIGN_OR_RETURN(r[i].coordinates,
                           node.attributes.Text("coordinates", "asymmetric"));
    MUNJA_ASSIGN_OR_RETURN(r[i].rounding,
                           node.attributes.Text("rounding", "floor"));
    r[i].in = x.shape[2 + i];
    r[i].out = y.shape[2 + i];
    if (r[i].in < 1) return Malformed("the input is empty");
    if (!sizes.empty())
      r[i].scale = static_cast<double>(r[i].out) / static_cast<double>(r[i].in);
  }
  const int64_t h = x.shape[2], w = x.shape[3];
  size_t to = 0;
  for (int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
    const float* p = x.floats.data() + plane * h * w;
    for (int64_t oy = 0; oy < r[0].out; ++oy) {
      for (int64_t ox = 0; ox < r[1].out; ++ox) {
        if (mode == "nearest") {
          y.floats[to++] = p[r[0].Nearest(oy) * w + r[1].Nearest(ox)];
          continue;
        }
        const double fy = r[0].Position(oy), fx = r[1].Position(ox);
        const int64_t y0 = r[0].Clamp(std::floor(fy));
        const int64_t y1 = r[0].Clamp(std::floor(fy) + 1);
        const int64_t x0 = r[1].Clamp(std::floor(fx));
        const int64_t x1 = r[1].Clamp(std::floor(fx) + 1);
        const double ty = fy - std::floor(fy), tx = fx - std::floor(fx);
        y.floats[to++] = static_cast<float>(
            (1 - ty) * ((1 - tx) * p[y0 * w + x0] + tx * p[y0 * w + x1]) +
            ty * ((1 - tx) * p[y1 * w + x0] + tx * p[y1 * w + x1]));
      }
    }
  }
  return {};
}

}  // namespace munja::importer::reference
