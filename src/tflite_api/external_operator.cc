#include "tflite_api/external_operator.h"

#include <algorithm>
#include <climits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "tflite/option_table.h"
#include "tflite_api/builtin_data.h"
#include "tflite_api/context.h"
#include "tflite_api/external_kernel.h"
#include "tflite_api/operator.h"

namespace munja::compat {
namespace {

// A subgraph of the node and its tensors alone: an operator sees nothing else.
graph::Subgraph Alone(const ops::NodeInfo& info) {
  graph::Subgraph own;
  std::map<graph::ValueId, graph::ValueId> numbers;
  graph::Node node = info.node();
  const auto take = [&](graph::ValueId& id, const graph::Value& value) {
    const auto [it, is_new] =
        numbers.emplace(id, static_cast<graph::ValueId>(own.values.size()));
    if (is_new) own.values.push_back(value);
    id = it->second;
  };
  for (int i = 0; i < info.inputs(); ++i)
    if (const graph::Value* value = info.input(i))
      take(node.inputs[static_cast<size_t>(i)], *value);
  for (int i = 0; i < info.outputs(); ++i) {
    graph::ValueId& id = node.outputs[static_cast<size_t>(i)];
    if (id != graph::kNoValue) take(id, info.output(i));
  }
  node.intermediates.clear();
  own.nodes.push_back(std::move(node));
  return own;
}

std::string NameOf(const graph::Node& node) {
  return node.is_custom ? "custom operator '" + node.op + "'"
                        : "operator " + node.op;
}

// The struct that a builtin operator gets has no room for anything else, and
// what our passes add (a fused activation, say) changes the meaning.
Status CheckAttributes(const graph::Node& node) {
  const tflite::Operator* const op =
      tflite::FindOperator(std::string_view(node.op));
  if (op == nullptr) return Unsupported(node.op + " is not an operator");
  for (const auto& [name, value] : node.attributes) {
    const auto has_name = [&wanted = name](const tflite::OptionField& field) {
      return field.name == wanted;
    };
    if (op->options == nullptr ||
        std::none_of(op->options->fields.begin(), op->options->fields.end(),
                     has_name))
      return Unsupported(node.op + " has an option '" + name +
                         "' that TensorFlow Lite does not have");
  }
  return Status();
}

Result<std::unique_ptr<ops::Kernel>> Make(
    const TfLiteRegistration& registration, const ops::NodeInfo& info,
    const std::shared_ptr<SharedState>& shared) {
  std::string name = NameOf(info.node());
  if (!HasInvoke(registration))
    return Unsupported("Encountered unresolved custom op: " + info.node().op);
  if (!info.node().intermediates.empty())
    return Unsupported(name + ": intermediate tensors are not supported");
  for (const graph::ValueId v : info.node().outputs)
    if (v == graph::kNoValue) return Malformed(name + " lacks an output");
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<GraphContext> made,
                         GraphContext::Make(Alone(info), shared));
  std::shared_ptr<GraphContext> context = std::move(made);
  const graph::Node& node = context->subgraph().nodes[0];
  auto external = std::make_unique<ExternalNode>(
      *context, registration, std::move(name), node.inputs, node.outputs);
  std::shared_ptr<const BuiltinData> data;
  if (node.is_custom) {
    const auto length = node.custom_options.size();
    const void* const options =
        length > 0 ? node.custom_options.data() : nullptr;
    external->c().custom_initial_data = options;
    external->c().custom_initial_data_size = static_cast<int>(length);
    MUNJA_RETURN_IF_ERROR(
        external->Init(static_cast<const char*>(options), length));
  } else {
    MUNJA_RETURN_IF_ERROR(CheckAttributes(node));
    MUNJA_ASSIGN_OR_RETURN(BuiltinData own, BuiltinData::Make(node));
    data = std::make_shared<const BuiltinData>(std::move(own));
    external->c().builtin_data = data->get();
    MUNJA_RETURN_IF_ERROR(
        external->Init(static_cast<const char*>(data->get()), 0));
  }
  return std::unique_ptr<ops::Kernel>(std::make_unique<ExternalKernel>(
      context, std::move(external), node.inputs, node.outputs,
      std::move(data)));
}

}  // namespace

runtime::Resolver::Operator WrapRegistration(
    const TfLiteRegistration& registration,
    std::shared_ptr<SharedState> shared) {
  runtime::Resolver::Operator op;
  op.min_version = 0;
  op.max_version = INT_MAX;
  op.is_stateful = true;
  const auto maker = [registration](std::shared_ptr<SharedState> all) {
    return [registration, all = std::move(all)](const ops::NodeInfo& info) {
      return Make(registration, info, all);
    };
  };
  if (shared == nullptr)
    op.for_session = [maker](std::shared_ptr<void>& all) {
      if (all == nullptr) all = std::make_shared<SharedState>();
      return maker(std::static_pointer_cast<SharedState>(all));
    };
  op.make = maker(std::move(shared));
  return op;
}

}  // namespace munja::compat
