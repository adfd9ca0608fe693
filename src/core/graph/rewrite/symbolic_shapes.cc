#include "graph/rewrite/symbolic_shapes.h"

#include <algorithm>
#include <string>

#include "graph/op_traits.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"

namespace munja::graph {
namespace {

// Attributes of the wrong type count as unknown: the kernel refuses them.
int64_t IntOr(const Node& node, const char* name, int64_t fallback) {
  auto value = node.attributes.Int(name, fallback);
  return value.ok() ? *value : -1;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

constexpr int64_t kMaxAttribute = int64_t{1} << 31;

}  // namespace

const std::optional<SymbolicShapes::Dims>& SymbolicShapes::At(ValueId v) const {
  static const std::optional<Dims> kUnknown;
  // Passes add values.
  return v < 0 || static_cast<size_t>(v) >= dims_.size() ? kUnknown : dims_[v];
}

SymbolicShapes::SymbolicShapes(const Subgraph& subgraph)
    : subgraph_(subgraph),
      dims_(subgraph.values.size()),
      producers_(subgraph.values.size(), -1) {
  std::vector<bool> is_input(subgraph.values.size());
  for (const ValueId v : subgraph.inputs) is_input[v] = true;
  for (size_t v = 0; v < subgraph.values.size(); ++v) {
    const Value& value = subgraph.values[v];
    const bool is_given =
        is_input[v] || value.constant.has_value() || value.is_variable;
    if (!is_given || !value.has_shape) continue;
    Dims dims;
    for (const int32_t d : value.shape.dims())
      dims.push_back(d >= 0 ? d : NewSymbol());
    dims_[v] = std::move(dims);
  }
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const Node& node = subgraph.nodes[n];
    if (node.outputs.size() != 1 || node.outputs[0] == kNoValue) continue;
    dims_[node.outputs[0]] = Infer(node);
    producers_[node.outputs[0]] = static_cast<int>(n);
  }
}

std::optional<Shape> SymbolicShapes::Corrected(ValueId v) const {
  const auto& dims = At(v);
  const Value& value = subgraph_.values[v];
  if (!dims || !value.has_shape || dims->size() > kMaxRank) return std::nullopt;
  const auto size = static_cast<int>(dims->size());
  bool is_wrong = value.shape.rank() != size;
  Shape shape;
  for (int i = 0; i < size; ++i) {
    const Dim d = dims->at(i);
    if (d >= kMaxAttribute) return std::nullopt;
    shape.Append(d < 0 ? kDynamic : static_cast<int32_t>(d));
    is_wrong =
        is_wrong || (d >= 0 && value.shape[i] >= 0 && value.shape[i] != d);
  }
  return is_wrong ? std::optional(shape) : std::nullopt;
}

void SymbolicShapes::Forget(ValueId v) {
  if (v >= 0 && static_cast<size_t>(v) < dims_.size()) dims_[v].reset();
}

bool SymbolicShapes::AreEqual(ValueId a, ValueId b) const {
  return At(a).has_value() && At(b).has_value() && *At(a) == *At(b);
}

bool SymbolicShapes::HaveEqualSize(ValueId a, ValueId b) const {
  const auto& x = At(a);
  const auto& y = At(b);
  return x && y && x->size() == 4 && y->size() == 4 && (*x)[1] == (*y)[1] &&
         (*x)[2] == (*y)[2];
}

bool SymbolicShapes::IsPerChannel(ValueId v, ValueId image) const {
  const auto& dims = At(v);
  const auto& of = At(image);
  return dims && of && dims->size() == 4 && of->size() == 4 &&
         ((*dims)[0] == 1 || (*dims)[0] == (*of)[0]) && (*dims)[1] == 1 &&
         (*dims)[2] == 1 && (*dims)[3] == (*of)[3];
}

std::optional<int32_t> SymbolicShapes::Channels(ValueId v) const {
  const auto& dims = At(v);
  if (!dims || dims->size() != 4 || dims->back() < 0 ||
      dims->back() >= kMaxAttribute)
    return std::nullopt;
  return static_cast<int32_t>(dims->back());
}

SymbolicShapes::Dim SymbolicShapes::Window(Dim in, int64_t delta,
                                           int64_t stride) {
  if (in >= 0) return std::max<int64_t>(FloorDivide(in + delta, stride) + 1, 0);
  if (delta == -1 && stride == 1) return in;
  const auto [it, is_new] = windows_.try_emplace({in, delta, stride}, 0);
  if (is_new) it->second = NewSymbol();
  return it->second;
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::Broadcast(const Dims& a,
                                                              const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const size_t skip = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Dim x = longer[skip + i], y = shorter[i];
    if (x == y || y == 1) continue;
    // A number above 1 beside a symbol wins: the symbol is 1 or equal, or the
    // run fails.
    if (x == 1 || y > 1)
      out[skip + i] = y;
    else if (x < 0)
      out[skip + i] = NewSymbol();
  }
  return out;
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::InferWindow(
    const Node& node, const std::optional<Dims>& in, ValueId weights_id) {
  if (!in || in->size() != 4) return std::nullopt;
  Dims filter;  // out, height, width, in
  const OpTraits& traits = TraitsOf(node);
  if (traits.shape == ShapeRule::kPool) {
    filter = {in->at(3), IntOr(node, "filter_height", -1),
              IntOr(node, "filter_width", -1), 0};
  } else {
    const auto& weights = At(weights_id);
    if (!weights || weights->size() != 4) return std::nullopt;
    filter = *weights;
    filter[0] = filter[traits.linear.channel_axis];
  }
  auto padding = node.attributes.Text("padding", "");
  if (!padding.ok()) return std::nullopt;
  Dims out = {in->at(0), 0, 0, filter[0]};
  for (const int axis : {1, 2}) {
    const bool is_height = axis == 1;
    const int64_t stride = IntOr(node, is_height ? "stride_h" : "stride_w", 1);
    const int64_t dilation =
        IntOr(node, is_height ? "dilation_h_factor" : "dilation_w_factor", 1);
    if (stride < 1 || stride > kMaxAttribute || dilation < 1 ||
        dilation > kMaxAttribute || filter[axis] < 1)
      return std::nullopt;
    const int64_t extent = (filter[axis] - 1) * dilation + 1;
    int64_t delta = -1;  // SAME
    if (*padding == "VALID") {
      delta = -extent;
    } else if (*padding == "EXPLICIT") {
      const int64_t before = IntOr(node, is_height ? "pad_top" : "pad_left", 0);
      const int64_t after =
          IntOr(node, is_height ? "pad_bottom" : "pad_right", 0);
      if (before < 0 || after < 0 || before > kMaxAttribute ||
          after > kMaxAttribute)
        return std::nullopt;
      delta = before + after - extent;
    } else if (*padding != "SAME") {
      return std::nullopt;
    }
    out[axis] = Window(in->at(axis), delta, stride);
  }
  return out;
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::InferConcatenation(
    const Node& node) {
  const auto& first = At(InputOrNone(node, 0));
  if (!first) return std::nullopt;
  Dims out = *first;
  const int64_t rank = static_cast<int64_t>(out.size());
  auto axis_or = node.attributes.Int("axis", 0);
  if (!axis_or.ok()) return std::nullopt;
  const int64_t axis = *axis_or < 0 ? *axis_or + rank : *axis_or;
  if (axis < 0 || axis >= rank) return std::nullopt;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const auto& dims = At(node.inputs[i]);
    if (!dims || dims->size() != out.size()) return std::nullopt;
    if (out[axis] < 0 || dims->at(axis) < 0)
      out[axis] = NewSymbol();
    else
      out[axis] += dims->at(axis);
  }
  return out;
}

// The second input says how.
std::optional<SymbolicShapes::Dims> SymbolicShapes::InferRearranged(
    const Node& node) {
  const ShapeRule rule = TraitsOf(node).shape;
  const auto& in = At(InputOrNone(node, 0));
  const auto how = ReadInts(subgraph_, InputOrNone(node, 1));
  if (!how) return std::nullopt;
  if (rule == ShapeRule::kReshape) {
    for (const int64_t d : *how)
      if (d < 0) return std::nullopt;
    return *how;
  }
  if (!in) return std::nullopt;
  Dims out = *in;
  const int64_t rank = static_cast<int64_t>(out.size());
  if (rule == ShapeRule::kTranspose) {
    if (how->size() != out.size()) return std::nullopt;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t from = how->at(i);
      if (from < 0 || from >= rank) return std::nullopt;
      out[i] = in->at(from);
    }
  } else if (rule == ShapeRule::kReduce) {
    auto keep_dims = node.attributes.Bool("keep_dims", false);
    if (!keep_dims.ok() || !*keep_dims) return std::nullopt;
    for (const int64_t a : *how) {
      const int64_t axis = a < 0 ? a + rank : a;
      if (axis < 0 || axis >= rank) return std::nullopt;
      out[axis] = 1;
    }
  } else {  // PAD
    if (how->size() != out.size() * 2) return std::nullopt;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t before = how->at(2 * i), after = how->at(2 * i + 1);
      if (before < 0 || after < 0 || before > kMaxAttribute ||
          after > kMaxAttribute)
        return std::nullopt;
      // n + p = floor((n + p - 1) / 1) + 1
      out[i] = Window(out[i], before + after - 1, 1);
    }
  }
  return out;
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::InferFullyConnected(
    const Node& node) {
  const auto& in = At(InputOrNone(node, 0));
  const auto& weights = At(InputOrNone(node, 1));  // out, in
  if (!in || !weights || in->empty() || weights->size() != 2)
    return std::nullopt;
  auto keep_dims = node.attributes.Bool("keep_num_dims", false);
  if (!keep_dims.ok()) return std::nullopt;
  // Without keep_num_dims the input is cut into rows as long as the weights
  // want them: its own rows, if it has two dimensions and those are that long.
  if (!*keep_dims && (in->size() != 2 || in->back() != weights->back()))
    return std::nullopt;
  Dims out = *in;
  out.back() = weights->front();
  return out;
}

ValueId SymbolicShapes::ImageOfSize(ValueId v) const {
  const int slice = v == kNoValue ? -1 : producers_[v];
  if (slice < 0) return kNoValue;
  const Node& node = subgraph_.nodes[slice];
  if (node.is_custom || node.op != "STRIDED_SLICE" || node.inputs.size() != 4)
    return kNoValue;
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask",
                           "new_axis_mask", "shrink_axis_mask"})
    if (IntOr(node, mask, 0) != 0) return kNoValue;
  auto offset = node.attributes.Bool("offset", false);
  if (!offset.ok() || *offset) return kNoValue;
  const int64_t want[] = {1, 3, 1};  // From, to, step.
  for (int i = 0; i < 3; ++i) {
    const auto numbers = ReadInts(subgraph_, node.inputs[i + 1]);
    if (!numbers || numbers->size() != 1 || numbers->front() != want[i])
      return kNoValue;
  }
  const int shape =
      node.inputs[0] == kNoValue ? -1 : producers_[node.inputs[0]];
  if (shape < 0 || subgraph_.nodes[shape].is_custom ||
      subgraph_.nodes[shape].op != "SHAPE")
    return kNoValue;
  return InputOrNone(subgraph_.nodes[shape], 0);
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::InferResize(ValueId v,
                                                                ValueId size) {
  const auto& in = At(v);
  if (!in || in->size() != 4) return std::nullopt;
  Dims out = *in;
  const auto& image = At(ImageOfSize(size));
  if (const auto numbers = ReadInts(subgraph_, size)) {
    if (numbers->size() != 2 || numbers->front() < 1 || numbers->back() < 1)
      return std::nullopt;
    std::copy(numbers->begin(), numbers->end(), out.begin() + 1);
  } else if (image && image->size() == 4) {
    std::copy(image->begin() + 1, image->begin() + 3, out.begin() + 1);
  } else {
    out[1] = NewSymbol();
    out[2] = NewSymbol();
  }
  return out;
}

// All maps are as large, resized, as the first.
std::optional<SymbolicShapes::Dims> SymbolicShapes::InferConcatConv(
    const Node& node) {
  const ValueId map = InputOrNone(node, 2), size = InputOrNone(node, 3);
  const auto in = size == kNoValue ? At(map) : InferResize(map, size);
  return InferWindow(node, in, InputOrNone(node, 0));
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::InferLateralConv(
    const Node& node) {
  const auto& in = At(InputOrNone(node, 0));
  const auto& weights = At(InputOrNone(node, 1));
  const ValueId level = InputOrNone(node, 4), size = InputOrNone(node, 5);
  if (!in || !weights || in->size() != 4 || weights->size() != 4)
    return std::nullopt;
  Dims out = *in;
  out.back() = weights->front();
  if (level == kNoValue) return out;
  const auto other = size == kNoValue ? At(level) : InferResize(level, size);
  if (!other || other->size() != 4) return std::nullopt;
  return Broadcast(out, *other);
}

std::optional<SymbolicShapes::Dims> SymbolicShapes::Infer(const Node& node) {
  const ValueId first = InputOrNone(node, 0), second = InputOrNone(node, 1);
  switch (TraitsOf(node).shape) {
    case ShapeRule::kUnknown:
      return std::nullopt;
    case ShapeRule::kSame:
      return At(first);
    case ShapeRule::kBroadcast:
      if (!At(first) || !At(second)) return std::nullopt;
      return Broadcast(*At(first), *At(second));
    case ShapeRule::kWindow:
    case ShapeRule::kPool:
      return InferWindow(node, At(first), second);
    case ShapeRule::kConcatenation:
      return InferConcatenation(node);
    case ShapeRule::kResize:
      return InferResize(first, second);
    case ShapeRule::kReshape:
    case ShapeRule::kTranspose:
    case ShapeRule::kPad:
    case ShapeRule::kReduce:
      return InferRearranged(node);
    case ShapeRule::kFullyConnected:
      return InferFullyConnected(node);
    case ShapeRule::kConcatConv:
      return InferConcatConv(node);
    case ShapeRule::kLateralConv:
      return InferLateralConv(node);
  }
  return std::nullopt;
}

void CorrectShapes(const SymbolicShapes& shapes, Subgraph& subgraph) {
  for (const Node& node : subgraph.nodes)
    for (const ValueId v : node.outputs)
      if (const auto shape = shapes.Corrected(v))
        subgraph.values[v].shape = *shape;
}

}  // namespace munja::graph
