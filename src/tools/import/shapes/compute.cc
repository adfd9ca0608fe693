// Shape rules of the operators that compute.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "import/ir/window.h"
#include "import/shapes/infer_rules.h"

namespace munja::importer {
namespace {

using Infos = std::span<const ValueInfo>;
using Outputs = Result<std::vector<ValueInfo>>;

Status NeedFloat(Infos inputs) {
  for (const ValueInfo& info : inputs)
    if (info.present && info.is_integer)
      return Unsupported("integer inputs are not supported");
  return {};
}

// Two sizes that must agree where both are known.
bool Agree(int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; }

Status NeedVector(const ValueInfo& info, int64_t count, const char* what) {
  if (!info.present) return {};
  if (info.shape.size() != 1 || !Agree(info.shape[0], count))
    return Malformed(what, " has shape ", ToString(info.shape), ", ", count,
                     " values are expected");
  return {};
}

Result<Window> ConvWindow(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  if (inputs[0].shape.size() != 4 || inputs[1].shape.size() != 4)
    return Unsupported("input ", ToString(inputs[0].shape), ", weights ",
                       ToString(inputs[1].shape),
                       ": only two-dimensional convolutions are supported");
  const Dims& w = inputs[1].shape;
  if (!IsStatic(w) || *std::min_element(w.begin(), w.end()) < 1)
    return Malformed("weights of shape ", ToString(w));
  MUNJA_ASSIGN_OR_RETURN(Window window, ReadWindow(node.attributes));
  if (node.attributes.Has("kernel_shape") &&
      (window.kernel[0] != w[2] || window.kernel[1] != w[3]))
    return Malformed("kernel_shape does not fit the weights ", ToString(w));
  window.kernel = {w[2], w[3]};
  return window;
}

}  // namespace

Result<Dims> BroadcastShapes(const Dims& a, const Dims& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    int64_t& d = out[rank - 1 - i];
    if (da == 1)
      d = db;
    else if (db == 1 || da == db)
      d = da;
    else if (da < 0 || db < 0)
      d = std::max(da, db);  // The known one: the other is equal or 1.
    else
      return Malformed("shapes ", ToString(a), " and ", ToString(b),
                       " do not broadcast");
  }
  return out;
}

Outputs InferSame(const Node&, Infos inputs) {
  return One(inputs[0].shape, inputs[0].is_integer);
}

Outputs InferCast(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t to,
                         node.attributes.Int("to_integer", 0));
  return One(inputs[0].shape, to != 0);  // int64: see direct ones for others.
}

Outputs InferPRelu(const Node&, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  MUNJA_ASSIGN_OR_RETURN(Dims shape,
                         BroadcastShapes(inputs[0].shape, inputs[1].shape));
  if (shape.size() != inputs[0].shape.size())
    return Malformed("the slope has more dimensions than the input");
  return One(inputs[0].shape);
}

Outputs InferBroadcast(const Node&, Infos inputs) {
  if (inputs[0].is_integer != inputs[1].is_integer)
    return Malformed("one input is integer, the other is not");
  MUNJA_ASSIGN_OR_RETURN(Dims shape,
                         BroadcastShapes(inputs[0].shape, inputs[1].shape));
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferReduce(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t keep,
                         node.attributes.Int("keepdims", 1));
  const size_t rank = inputs[0].shape.size();
  std::vector<bool> reduced(rank, axes.empty());
  for (const int64_t axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, rank));
    reduced[a] = true;
  }
  Dims shape;
  for (size_t i = 0; i < rank; ++i) {
    if (!reduced[i])
      shape.push_back(inputs[0].shape[i]);
    else if (keep != 0)
      shape.push_back(1);
  }
  return One(std::move(shape));
}

Outputs InferArgMax(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  Dims shape = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, shape.size()));
  MUNJA_ASSIGN_OR_RETURN(const int64_t keep,
                         node.attributes.Int("keepdims", 1));
  if (shape[axis] == 0) return Malformed("the maximum of no elements");
  if (keep != 0)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  return One(std::move(shape), true);
}

Outputs InferSoftmax(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis, node.attributes.Int("axis", -1));
  MUNJA_RETURN_IF_ERROR(
      NormalizeAxis(axis, inputs[0].shape.size()).TakeStatus());
  return One(inputs[0].shape);
}

Outputs InferBatchNorm(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  MUNJA_RETURN_IF_ERROR(node.attributes.Float("epsilon", 0).TakeStatus());
  if (inputs[0].shape.size() < 2)
    return Malformed("input of shape ", ToString(inputs[0].shape));
  for (int i = 1; i < 5; ++i) {
    if (!IsStatic(inputs[i].shape) || inputs[i].shape.size() != 1)
      return Malformed("a parameter has shape ", ToString(inputs[i].shape));
    MUNJA_RETURN_IF_ERROR(
        NeedVector(inputs[i], inputs[0].shape[1], "a parameter"));
    if (inputs[i].shape != inputs[1].shape)
      return Malformed("the parameters are not equally long");
  }
  return One(inputs[0].shape);
}

Outputs InferLayerNorm(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", -1));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.size()));
  MUNJA_RETURN_IF_ERROR(node.attributes.Float("epsilon", 1e-5).TakeStatus());
  if (axis + 1 != static_cast<int64_t>(x.size()))
    return Unsupported("normalization over more than the last axis");
  for (size_t i = 1; i < inputs.size(); ++i)
    MUNJA_RETURN_IF_ERROR(NeedVector(inputs[i], x.back(), "a parameter"));
  return One(x);
}

Outputs InferConv(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ConvWindow(node, inputs));
  MUNJA_ASSIGN_OR_RETURN(const int64_t group, node.attributes.Int("group", 1));
  const Dims& x = inputs[0].shape;
  const Dims& w = inputs[1].shape;
  if (group < 1 || w[0] % group != 0 || group > w[0] ||
      w[1] > kMaxElements / group || !Agree(x[1], w[1] * group))
    return Malformed("input ", ToString(x), " does not fit weights ",
                     ToString(w), " in ", group, " groups");
  if (inputs.size() > 2)
    MUNJA_RETURN_IF_ERROR(NeedVector(inputs[2], w[0], "the bias"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t h, window.OutputSize(0, x[2]));
  MUNJA_ASSIGN_OR_RETURN(const int64_t v, window.OutputSize(1, x[3]));
  return One({x[0], w[0], h, v});
}

Outputs InferConvTranspose(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(const Window window, ConvWindow(node, inputs));
  MUNJA_ASSIGN_OR_RETURN(const int64_t group, node.attributes.Int("group", 1));
  MUNJA_ASSIGN_OR_RETURN(const Dims extra,
                         node.attributes.Ints("output_padding"));
  const Dims& x = inputs[0].shape;
  const Dims& w = inputs[1].shape;
  if (group != 1) return Unsupported("a transposed convolution in groups");
  if (window.pad_mode != PadMode::kExplicit || window.ceil_mode)
    return Unsupported("automatic padding of a transposed convolution");
  if (!Agree(x[1], w[0]))
    return Malformed("input ", ToString(x), " does not fit weights ",
                     ToString(w));
  if (inputs.size() > 2)
    MUNJA_RETURN_IF_ERROR(NeedVector(inputs[2], w[1], "the bias"));
  if (!extra.empty() && extra.size() != 2)
    return Malformed("output_padding has ", extra.size(), " values");
  Dims shape = {x[0], w[1], kUnknown, kUnknown};
  for (int i = 0; i < 2; ++i) {
    const int64_t more = extra.empty() ? 0 : extra[i];
    if (more < 0 || more >= std::max(window.stride[i], window.dilation[i]))
      return Malformed("output_padding holds ", more);
    if (x[2 + i] < 0) continue;
    shape[2 + i] = (x[2 + i] - 1) * window.stride[i] + window.Extent(i) + more -
                   window.before[i] - window.after[i];
    if (x[2 + i] == 0 || shape[2 + i] < 1)
      return Malformed("the output would be empty");
  }
  return One(std::move(shape));
}

Outputs InferPool(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  const Dims& x = inputs[0].shape;
  if (x.size() != 4)
    return Unsupported("input ", ToString(x),
                       ": only two-dimensional pooling is supported");
  MUNJA_ASSIGN_OR_RETURN(const Window window, ReadWindow(node.attributes));
  for (int i = 0; i < 2; ++i)
    if (window.pad_mode == PadMode::kExplicit &&
        (window.before[i] >= window.Extent(i) ||
         window.after[i] >= window.Extent(i)))
      return Malformed("the padding is as large as the window");
  MUNJA_ASSIGN_OR_RETURN(const int64_t h, window.OutputSize(0, x[2]));
  MUNJA_ASSIGN_OR_RETURN(const int64_t v, window.OutputSize(1, x[3]));
  return One({x[0], x[1], h, v});
}

Outputs InferMatMul(const Node&, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  const Dims& a = inputs[0].shape;
  const Dims& b = inputs[1].shape;
  if (a.size() < 2 || b.size() < 2)
    return Unsupported("operands of shape ", ToString(a), " and ", ToString(b));
  if (!Agree(a.back(), b[b.size() - 2]))
    return Malformed("operands of shape ", ToString(a), " and ", ToString(b),
                     " do not fit");
  MUNJA_ASSIGN_OR_RETURN(Dims shape,
                         BroadcastShapes(Dims(a.begin(), a.end() - 2),
                                         Dims(b.begin(), b.end() - 2)));
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  return One(std::move(shape));
}

Outputs InferLstm(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  MUNJA_ASSIGN_OR_RETURN(const int64_t reverse,
                         node.attributes.Int("reverse", 0));
  const Dims &x = inputs[0].shape, &w = inputs[1].shape, &r = inputs[2].shape;
  if (x.size() != 3 || w.size() != 3 || r.size() != 3 || !IsStatic(w) ||
      !IsStatic(r))
    return Malformed("input ", ToString(x), ", weights ", ToString(w), " and ",
                     ToString(r));
  const int64_t hidden = r[2];
  if (w[0] < 1 || w[0] > 2 || (reverse != 0 && w[0] != 1) || hidden < 1 ||
      hidden > (1 << 20) || w[1] != 4 * hidden || r[1] != 4 * hidden ||
      r[0] != w[0] || w[2] < 1 || !Agree(x[2], w[2]))
    return Malformed("input ", ToString(x), " does not fit weights ",
                     ToString(w), " and ", ToString(r));
  if (inputs.size() > 3 && inputs[3].present &&
      inputs[3].shape != Dims{w[0], 8 * hidden})
    return Malformed("biases of shape ", ToString(inputs[3].shape));
  return One({x[0], x[1], w[0] * hidden});
}

Outputs InferResize(const Node& node, Infos inputs) {
  MUNJA_RETURN_IF_ERROR(NeedFloat(inputs));
  Dims shape = inputs[0].shape;
  if (shape.size() != 4) return Unsupported("input of shape ", ToString(shape));
  MUNJA_ASSIGN_OR_RETURN(const Dims sizes, node.attributes.Ints("sizes"));
  MUNJA_ASSIGN_OR_RETURN(const double sh,
                         node.attributes.Float("scale_h", 1.0));
  MUNJA_ASSIGN_OR_RETURN(const double sw,
                         node.attributes.Float("scale_w", 1.0));
  if (!sizes.empty() && sizes.size() != 2)
    return Malformed("sizes has ", sizes.size(), " values");
  for (int i = 0; i < 2; ++i) {
    if (!sizes.empty()) {
      if (sizes[i] < 1 || sizes[i] > (1 << 20))
        return Malformed("size ", sizes[i]);
      shape[2 + i] = sizes[i];
      continue;
    }
    const double scale = i == 0 ? sh : sw;
    if (!(scale > 0 && scale <= 4096)) return Malformed("scale ", scale);
    if (shape[2 + i] < 0) continue;
    shape[2 + i] = static_cast<int64_t>(
        std::floor(static_cast<double>(shape[2 + i]) * scale));
    if (shape[2 + i] < 1) return Malformed("the output would be empty");
  }
  return One(std::move(shape));
}

}  // namespace munja::importer
