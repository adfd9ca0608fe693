#include "import/lower/lowering_context.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "import/direct.h"
#include "import/reference/executor.h"

namespace munja::importer {
namespace {

using Int64s = std::vector<int64_t>;

Shape ToShape(const Dims& dims) {
  Shape shape;
  for (const int64_t d : dims)
    shape.Append(d < 0 ? kDynamic : static_cast<int32_t>(d));
  return shape;
}

template <class T>
std::vector<uint8_t> ToBytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The tensor with its axes in the order of the layout.
Tensor Turn(const Tensor& t, const Layout& layout) {
  Node node;
  node.op = "Transpose";
  node.attributes.Set("perm", Int64s(layout.begin(), layout.end()));
  const Tensor* input = &t;
  Result<std::vector<Tensor>> turned =
      RunNode(node, std::span<const Tensor* const>(&input, 1), kMaxElements);
  // Cannot fail: the layout is a permutation and the tensor exists.
  if (!turned.ok()) return t;
  (*turned)[0].type = t.type;
  return std::move((*turned)[0]);
}

}  // namespace

graph::Attributes NoActivation() {
  graph::Attributes attributes;
  attributes.Set("fused_activation_function", std::string("NONE"));
  return attributes;
}

Layout IdentityLayout(size_t rank) {
  Layout layout(rank);
  std::iota(layout.begin(), layout.end(), 0);
  return layout;
}

Layout ChannelsLast(size_t rank) {
  return rank == 4 ? Layout{0, 2, 3, 1} : IdentityLayout(rank);
}

Dims Arrange(const Dims& shape, const Layout& layout) {
  Dims out;
  for (const int axis : layout) out.push_back(shape[axis]);
  return out;
}

bool SameOrder(const Dims& shape, const Layout& a, const Layout& b) {
  const auto moving = [&](const Layout& layout) {
    Layout kept;
    for (const int axis : layout)
      if (shape[axis] != 1) kept.push_back(axis);
    return kept;
  };
  return moving(a) == moving(b);
}

int Position(const Layout& layout, int64_t axis) {
  return static_cast<int>(std::find(layout.begin(), layout.end(), axis) -
                          layout.begin());
}

LoweringContext::LoweringContext(const Model& m, graph::Subgraph* g,
                                 std::deque<graph::Subgraph>* b)
    : model(m), subgraph(*g), bodies(*b), uses(CountUses(m)) {}

std::string LoweringContext::Unique(const std::string& name) {
  std::string unique = name.empty() ? "unnamed" : name;
  for (int i = 1; !names_.insert(unique).second; ++i)
    unique = name + ":" + std::to_string(i);
  return unique;
}

void LoweringContext::Rename(graph::ValueId id, const std::string& name) {
  std::string& old = subgraph.values[id].name;
  if (old == name) return;
  // Another tensor with the same name is renamed.
  for (graph::Value& v : subgraph.values)
    if (v.name == name) v.name = Unique(name + "/inner");
  names_.insert(name);
  old = name;
}

graph::ValueId LoweringContext::NewValue(const std::string& name,
                                         ElementType type, const Dims& dims) {
  graph::Value value;
  value.name = Unique(name);
  value.type = type;
  value.shape = ToShape(dims);
  return subgraph.AddValue(std::move(value));
}

graph::ValueId LoweringContext::Floats(const std::string& name,
                                       const Dims& dims,
                                       const std::vector<float>& values) {
  const graph::ValueId id = NewValue(name, ElementType::kFloat32, dims);
  subgraph.values[id].constant = graph::MakeConstant(ToBytes(values));
  return id;
}

graph::ValueId LoweringContext::Constant(const std::string& name,
                                         const Tensor& tensor) {
  const graph::ValueId id = NewValue(name, tensor.type, tensor.shape);
  subgraph.values[id].constant =
      graph::MakeConstant(StoreAs(tensor, tensor.type));
  return id;
}

graph::ValueId LoweringContext::Ints(const std::string& name,
                                     const std::vector<int64_t>& v,
                                     bool scalar) {
  std::vector<int32_t> narrow;
  for (const int64_t n : v)
    narrow.push_back(
        static_cast<int32_t>(std::clamp<int64_t>(n, INT32_MIN, INT32_MAX)));
  const Dims dims = scalar ? Dims{} : Dims{static_cast<int64_t>(v.size())};
  const graph::ValueId id = NewValue(name, ElementType::kInt32, dims);
  subgraph.values[id].constant = graph::MakeConstant(ToBytes(narrow));
  return id;
}

graph::ValueId LoweringContext::Define(ValueId v, Layout layout) {
  return Define(v, std::move(layout), TypeOf(v));
}

graph::ValueId LoweringContext::Define(ValueId v, Layout layout,
                                       ElementType type) {
  const graph::ValueId id =
      NewValue(model.values[v].name, type, Arrange(ShapeOf(v), layout));
  placed_[v] = {id, std::move(layout)};
  return id;
}

graph::Node& LoweringContext::Emit(const Node& source, std::string op,
                                   std::vector<graph::ValueId> inputs,
                                   std::vector<graph::ValueId> outputs,
                                   graph::Attributes attributes) {
  graph::Node node;
  node.op = std::move(op);
  node.name = source.name;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  subgraph.nodes.push_back(std::move(node));
  return subgraph.nodes.back();
}

graph::Node& LoweringContext::EmitTo(const Node& source, std::string op,
                                     std::vector<graph::ValueId> inputs,
                                     Layout layout,
                                     graph::Attributes attributes) {
  const graph::ValueId out = Define(source.outputs[0], std::move(layout));
  return Emit(source, std::move(op), std::move(inputs), {out},
              std::move(attributes));
}

graph::ValueId LoweringContext::Step(const Node& source, const char* what,
                                     std::string op,
                                     std::vector<graph::ValueId> inputs,
                                     const Dims& dims,
                                     graph::Attributes attributes) {
  return Step(source, what, std::move(op), std::move(inputs), dims,
              std::move(attributes), TypeOf(source.outputs[0]));
}

graph::ValueId LoweringContext::Step(const Node& source, const char* what,
                                     std::string op,
                                     std::vector<graph::ValueId> inputs,
                                     const Dims& dims,
                                     graph::Attributes attributes,
                                     ElementType type) {
  const graph::ValueId out =
      NewValue(model.values[source.outputs[0]].name + "/" + what, type, dims);
  Emit(source, std::move(op), std::move(inputs), {out}, std::move(attributes));
  return out;
}

Layout LoweringContext::LayoutOf(ValueId v) const {
  if (const auto it = placed_.find(v); it != placed_.end())
    return it->second.layout;
  Layout own;
  for (size_t i = 0; v != kNoValue && i < ShapeOf(v).size(); ++i)
    own.push_back(static_cast<int>(i));
  return own;
}

Result<Placed> LoweringContext::At(ValueId v) {
  if (const auto it = placed_.find(v); it != placed_.end()) return it->second;
  Layout own = LayoutOf(v);
  MUNJA_ASSIGN_OR_RETURN(const graph::ValueId id, In(v, own));
  return Placed{id, std::move(own)};
}

Result<graph::ValueId> LoweringContext::In(ValueId v, const Layout& layout) {
  if (const Tensor* t = constant(v)) {
    const auto key = std::make_pair(v, layout);
    if (const auto it = turned_.find(key); it != turned_.end())
      return it->second;
    const Tensor turned = Turn(*t, layout);
    return turned_[key] = Constant(model.values[v].name, turned);
  }
  const auto found = placed_.find(v);
  if (found == placed_.end())
    return Internal("'", model.values[v].name, "' was not lowered");
  const Placed& at = found->second;
  if (at.layout == layout) return at.id;
  const auto key = std::make_pair(v, layout);
  if (const auto it = turned_.find(key); it != turned_.end()) return it->second;
  const Dims& shape = ShapeOf(v);
  const std::string name = model.values[v].name + "/turned";
  const graph::ValueId out =
      NewValue(name, subgraph.values[at.id].type, Arrange(shape, layout));
  Node source;
  source.name = model.values[v].name;
  if (SameOrder(shape, at.layout, layout) &&
      std::count(shape.begin(), shape.end(), kUnknown) <= 1) {
    const graph::ValueId dims = Ints(name + "/shape", Arrange(shape, layout));
    graph::Attributes a;
    a.Set("new_shape", Arrange(shape, layout));
    Emit(source, "RESHAPE", {at.id, dims}, {out}, std::move(a));
  } else {
    Int64s perm;
    for (const int axis : layout) perm.push_back(Position(at.layout, axis));
    Emit(source, "TRANSPOSE", {at.id, Ints(name + "/perm", perm)}, {out});
  }
  return turned_[key] = out;
}

graph::ValueId LoweringContext::BroadcastConstant(ValueId v, size_t rank,
                                                  const Layout& layout) {
  Tensor t = *constant(v);
  while (t.shape.size() < rank) t.shape.insert(t.shape.begin(), 1);
  t = Turn(t, layout);
  while (t.shape.size() > 1 && t.shape[0] == 1) t.shape.erase(t.shape.begin());
  if (t.shape.empty() && rank > 0) t.shape = {1};
  return Constant(model.values[v].name, t);
}

graph::ValueId LoweringContext::SizeVector(
    const Node& source, const char* what,
    const std::vector<RuntimeSize>& sizes) {
  const std::string name = model.values[source.outputs[0]].name + "/" + what;
  const int64_t count = static_cast<int64_t>(sizes.size());
  if (std::all_of(sizes.begin(), sizes.end(), [](const RuntimeSize& s) {
        return s.tensor == graph::kNoValue;
      })) {
    Int64s numbers;
    for (const RuntimeSize& s : sizes) numbers.push_back(s.number);
    return Ints(name, numbers);
  }
  // Runs of constants and runs of neighboring axes become one piece each.
  std::map<graph::ValueId, graph::ValueId> shapes;
  std::vector<graph::ValueId> pieces;
  for (size_t i = 0; i < sizes.size();) {
    size_t end = i + 1;
    if (sizes[i].tensor == graph::kNoValue) {
      Int64s numbers = {sizes[i].number};
      for (; end < sizes.size() && sizes[end].tensor == graph::kNoValue; ++end)
        numbers.push_back(sizes[end].number);
      pieces.push_back(Ints(name + "/number", numbers));
      i = end;
      continue;
    }
    const RuntimeSize& first = sizes[i];
    Int64s factors = {first.factor}, offsets = {first.offset};
    for (; end < sizes.size() && sizes[end].tensor == first.tensor &&
           sizes[end].axis == sizes[end - 1].axis + 1;
         ++end) {
      factors.push_back(sizes[end].factor);
      offsets.push_back(sizes[end].offset);
    }
    const int64_t run = static_cast<int64_t>(end - i);
    if (!shapes.contains(first.tensor)) {
      graph::Attributes a;
      a.Set("out_type", std::string("INT32"));
      const int64_t rank = subgraph.values[first.tensor].shape.rank();
      shapes[first.tensor] = Step(source, "shape", "SHAPE", {first.tensor},
                                  {rank}, std::move(a), ElementType::kInt32);
    }
    graph::Attributes a;
    for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask",
                             "new_axis_mask", "shrink_axis_mask"})
      a.Set(mask, int64_t{0});
    graph::ValueId piece = Step(
        source, "sizes", "STRIDED_SLICE",
        {shapes[first.tensor], Ints(name + "/begin", {first.axis}),
         Ints(name + "/end", {first.axis + run}), Ints(name + "/step", {1})},
        {run}, std::move(a), ElementType::kInt32);
    const auto arithmetic = [&](const char* op, const Int64s& with) {
      graph::Attributes none;
      none.Set("fused_activation_function", std::string("NONE"));
      piece = Step(source, "sizes", op, {piece, Ints(name + "/with", with)},
                   {run}, std::move(none), ElementType::kInt32);
    };
    if (factors != Int64s(run, 1)) arithmetic("MUL", factors);
    if (offsets != Int64s(run, 0)) arithmetic("ADD", offsets);
    pieces.push_back(piece);
    i = end;
  }
  if (pieces.size() == 1) return pieces[0];
  graph::Attributes a;
  a.Set("axis", int64_t{0});
  a.Set("fused_activation_function", std::string("NONE"));
  return Step(source, what, "CONCATENATION", std::move(pieces), {count},
              std::move(a), ElementType::kInt32);
}

bool LoweringContext::FuseActivation(ValueId v, ValueId result,
                                     const char* activation) {
  const auto found = placed_.find(v);
  if (uses[v] != 1 || found == placed_.end()) return false;
  for (size_t i = subgraph.nodes.size(); i-- > 0;) {
    graph::Node& node = subgraph.nodes[i];
    if (node.outputs[0] != found->second.id) continue;
    const Result<std::string> now =
        node.attributes.Text("fused_activation_function", "");
    // Concatenations carry the attribute but must not use it; transposed
    // convolutions may only since their version 4, which older runtimes lack.
    if (!now.ok() || *now != "NONE" || node.op == "CONCATENATION" ||
        node.op == "TRANSPOSE_CONV")
      return false;
    node.attributes.Set("fused_activation_function", std::string(activation));
    subgraph.values[found->second.id].name = Unique(model.values[result].name);
    placed_[result] = found->second;
    placed_.erase(v);  // The tensor holds other numbers now.
    return true;
  }
  return false;
}

}  // namespace munja::importer
