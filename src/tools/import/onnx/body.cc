#include "import/onnx/body.h"

#include <utility>

#include "onnx.pb.h"

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;

constexpr int64_t kMaxInBodies = 1 << 18;  // See Context::written.
constexpr int64_t kElements = 64;  // Constant elements that count as one node.

void CollectFree(const proto::GraphProto& graph, std::set<std::string> known,
                 std::set<std::string>* free) {
  for (const proto::ValueInfoProto& v : graph.input()) known.insert(v.name());
  for (const proto::TensorProto& t : graph.initializer())
    known.insert(t.name());
  const auto read = [&](const std::string& name) {
    if (!name.empty() && !known.contains(name)) free->insert(name);
  };
  for (const proto::NodeProto& node : graph.node()) {
    for (const std::string& name : node.input()) read(name);
    for (const proto::AttributeProto& a : node.attribute())
      if (a.has_g()) CollectFree(a.g(), known, free);
    known.insert(node.output().begin(), node.output().end());
  }
  for (const proto::ValueInfoProto& v : graph.output()) read(v.name());
}

}  // namespace

std::vector<std::string> FreeNames(const Context& context,
                                   const proto::GraphProto& graph) {
  std::set<std::string> free;
  CollectFree(graph, {}, &free);
  std::vector<std::string> names;
  for (const std::string& name : free) {
    const auto it = context.values.find(name);
    if (it != context.values.end() &&
        context.builder.constant(it->second) == nullptr)
      names.push_back(name);
  }
  return names;
}

Result<std::vector<ValueId>> AddBody(Context& context, const Operator& op,
                                     const proto::GraphProto& body,
                                     std::span<const ValueId> inputs) {
  if (body.input_size() != static_cast<int>(inputs.size()))
    return Malformed(op, ": a body has ", body.input_size(), " inputs for ",
                     inputs.size());
  *context.written += 1 + body.node_size();
  if (*context.written > kMaxInBodies)
    return OutOfMemory(op,
                       ": bodies that are too large when they are written out");
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!context.values
             .emplace(body.input(static_cast<int>(i)).name(), inputs[i])
             .second)
      return Malformed(op, ": the name '",
                       body.input(static_cast<int>(i)).name(),
                       "' of a body is one of the graph around it");
  const int64_t set = context.opset;
  MUNJA_RETURN_IF_ERROR(AddNodes(context, body).With(op));
  std::vector<ValueId> results;
  for (const proto::ValueInfoProto& info : body.output()) {
    const auto it = context.values.find(info.name());
    if (it == context.values.end())
      return Malformed(op, ": nothing writes the output '", info.name(),
                       "' of a branch or body");
    results.push_back(it->second);
  }
  // Each of them was new.
  for (const proto::ValueInfoProto& v : body.input())
    context.values.erase(v.name());
  for (const proto::TensorProto& t : body.initializer())
    context.values.erase(t.name());
  for (const proto::NodeProto& node : body.node())
    for (const std::string& name : node.output()) context.values.erase(name);
  context.opset = set;
  return results;
}

Outline::Outline(const Context& outer, const proto::GraphProto* graph)
    : outer_(outer), builder_("a body"), context_(&builder_, outer.opset) {
  context_.external = outer.external;
  context_.read = outer.read;
  context_.written = outer.written;
  context_.filled = outer.filled;
  if (graph == nullptr) return;
  std::set<std::string> free;
  CollectFree(*graph, {}, &free);
  for (const std::string& name : free) {
    const auto it = outer.values.find(name);
    if (it == outer.values.end()) continue;
    const Tensor* t = outer.builder.constant(it->second);
    if (t == nullptr) continue;
    *context_.written += static_cast<int64_t>(t->elements()) / kElements;
    if (*context_.written > kMaxInBodies) return;  // AddBody says so.
    context_.values[name] = builder_.AddConstant(name, *t);
  }
}

ValueId Outline::AddInput(const std::string& name, const Dims& shape,
                          ElementType type) {
  const ValueId v =
      builder_.AddInput(name, shape, type != ElementType::kFloat32, type);
  taken_.insert(v);
  return v;
}

void Outline::Capture(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Value& value = outer_.builder.value(outer_.values.at(name));
    context_.values[name] = AddInput(name, value.shape, value.type);
  }
}

Result<std::shared_ptr<const Model>> Outline::Finish(
    std::vector<ValueId> outputs) {
  int count = 0;
  for (ValueId& v : outputs) {
    const std::string name = "result_" + std::to_string(count++);
    MUNJA_ASSIGN_OR_RETURN(
        v, builder_.TakeOutput(name, name, {{name, v}}, &taken_));
  }
  return std::make_shared<const Model>(builder_.Finish(std::move(outputs)));
}

}  // namespace munja::importer::onnx
