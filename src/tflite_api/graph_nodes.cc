#include "tflite_api/graph_nodes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "runtime/delegation.h"
#include "runtime/partition.h"
#include "tensorflow/lite/builtin_ops.h"
#include "tflite_api/delegate_calls.h"
#include "tflite_api/tensor_mirror.h"

namespace munja::compat {
namespace {

// The operator name of nodes that stand in for replaced ones. Not a builtin's
// name: only its tensors tell its effects.
constexpr char kReplacement[] = "delegate";

TfLiteIntArray* PutArray(const std::vector<int>& numbers, char** at) {
  auto* array = reinterpret_cast<TfLiteIntArray*>(*at);
  array->size = static_cast<int>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), array->data);
  *at += TfLiteIntArrayGetSizeInBytes(array->size);
  return array;
}

}  // namespace

NodeGroup GroupOf(const graph::Subgraph& subgraph,
                  const runtime::Partition& partition) {
  NodeGroup group;
  group.nodes = partition.nodes;
  std::vector<bool> is_written(subgraph.values.size());
  for (const int n : partition.nodes) {
    for (const graph::ValueId v : subgraph.nodes[n].outputs)
      if (v != graph::kNoValue) is_written[v] = true;
  }
  for (const int n : partition.nodes) {
    for (const graph::ValueId v : subgraph.nodes[n].inputs)
      if (v != graph::kNoValue && !is_written[v]) group.inputs.push_back(v);
  }
  group.outputs.assign(partition.outputs.begin(), partition.outputs.end());
  for (std::vector<int>* list : {&group.inputs, &group.outputs}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return group;
}

void* NewParams(const NodeGroup& group, TfLiteDelegate* delegate) {
  const TfLiteOpaqueDelegateBuilder* const builder = BuilderOf(*delegate);
  const size_t head = builder != nullptr ? sizeof(TfLiteOpaqueDelegateParams)
                                         : sizeof(TfLiteDelegateParams);
  size_t bytes = head;
  for (const auto* list : {&group.nodes, &group.inputs, &group.outputs})
    bytes += TfLiteIntArrayGetSizeInBytes(static_cast<int>(list->size()));
  char* const block = static_cast<char*>(std::malloc(bytes));
  if (block == nullptr) return nullptr;
  char* at = block + head;
  TfLiteIntArray* const nodes = PutArray(group.nodes, &at);
  TfLiteIntArray* const inputs = PutArray(group.inputs, &at);
  TfLiteIntArray* const outputs = PutArray(group.outputs, &at);
  if (builder != nullptr) {
    new (block) TfLiteOpaqueDelegateParams{delegate, builder->data, nodes,
                                           inputs, outputs};
  } else {
    new (block) TfLiteDelegateParams{delegate, nodes, inputs, outputs};
  }
  return block;
}

const TfLiteIntArray* NodesToReplace(const TfLiteDelegate& delegate,
                                     const void* params) {
  return BuilderOf(delegate) != nullptr
             ? static_cast<const TfLiteOpaqueDelegateParams*>(params)
                   ->nodes_to_replace
             : static_cast<const TfLiteDelegateParams*>(params)
                   ->nodes_to_replace;
}

const TfLiteIntArray* InputsOf(const TfLiteDelegate& delegate,
                               const void* params) {
  return BuilderOf(delegate) != nullptr
             ? static_cast<const TfLiteOpaqueDelegateParams*>(params)
                   ->input_tensors
             : static_cast<const TfLiteDelegateParams*>(params)->input_tensors;
}

void FreeParams::operator()(void* params) const { std::free(params); }

Result<std::unique_ptr<GraphNodes>> GraphNodes::Make(
    const graph::Subgraph& subgraph) {
  std::unique_ptr<GraphNodes> nodes(new GraphNodes(subgraph));
  for (const graph::Node& node : subgraph.nodes) {
    nodes->plan_.push_back(static_cast<int>(nodes->entries_.size()));
    MUNJA_RETURN_IF_ERROR(nodes->Add(node));
  }
  return nodes;
}

GraphNodes::~GraphNodes() {
  ForgetPreview();
  TfLiteIntArrayFree(shown_plan_);
  for (Entry& entry : entries_) {
    for (TfLiteIntArray* list :
         {entry.node.inputs, entry.node.outputs, entry.node.intermediates,
          entry.node.temporaries})
      TfLiteIntArrayFree(list);
  }
}

Status GraphNodes::Add(const graph::Node& node) {
  Entry& entry = entries_.emplace_back();
  entry.as_node.op = node.op;
  entry.as_node.is_custom = node.is_custom;
  entry.as_node.inputs = node.inputs;
  entry.as_node.outputs = node.outputs;
  entry.node.inputs = ArrayOf(node.inputs);
  entry.node.outputs = ArrayOf(node.outputs);
  entry.node.intermediates = ArrayOf(node.intermediates);
  entry.node.temporaries = TfLiteIntArrayCreate(0);
  if (entry.node.inputs == nullptr || entry.node.outputs == nullptr ||
      entry.node.intermediates == nullptr || entry.node.temporaries == nullptr)
    return OutOfMemory("the tensor lists of a node");
  entry.registration.version = node.version;
  if (runtime::DelegatedKernelOf(node) >= 0) {
    // Another delegate took it before.
    entry.registration.builtin_code = kTfLiteBuiltinDelegate;
    entry.registration.custom_name = node.op.c_str();
    return Status();
  }
  if (node.is_custom) {
    entry.registration.builtin_code = kTfLiteBuiltinCustom;
    entry.registration.custom_name = node.op.c_str();
    entry.node.custom_initial_data = node.custom_options.data();
    entry.node.custom_initial_data_size =
        static_cast<int>(node.custom_options.size());
    return Status();
  }
  entry.registration.builtin_code = BuiltinCode(node);
  auto data = BuiltinData::Make(node);
  if (data.ok()) {
    entry.data = std::make_unique<BuiltinData>(std::move(*data));
    entry.node.builtin_data = entry.data->get();
  } else if (data.status().code() == Code::kOutOfMemory) {
    return std::move(data).TakeStatus();
  }
  return Status();
}

TfLiteNode* GraphNodes::node(int number) {
  if (number < 0 || static_cast<size_t>(number) >= entries_.size())
    return nullptr;
  return &entries_[static_cast<size_t>(number)].node;
}

TfLiteRegistration* GraphNodes::registration(int number) {
  if (number < 0 || static_cast<size_t>(number) >= entries_.size())
    return nullptr;
  return &entries_[static_cast<size_t>(number)].registration;
}

TfLiteOperator* GraphNodes::ShowOperator(int number) {
  const TfLiteRegistration* const op = registration(number);
  if (op == nullptr) return nullptr;
  std::unique_ptr<TfLiteOperator>& shown =
      entries_[static_cast<size_t>(number)].shown;
  if (shown == nullptr) {
    shown.reset(
        new TfLiteOperator{static_cast<TfLiteBuiltinOperator>(op->builtin_code),
                           op->custom_name != nullptr ? op->custom_name : "",
                           op->version, nullptr});
    shown->node_index = number;
  }
  return shown.get();
}

TfLiteIntArray* GraphNodes::ExecutionPlan() {
  TfLiteIntArrayFree(shown_plan_);
  shown_plan_ = ArrayOf(plan_);
  return shown_plan_;
}

graph::Subgraph GraphNodes::Planned() const {
  graph::Subgraph planned;
  planned.values = subgraph_.values;
  planned.inputs = subgraph_.inputs;
  planned.outputs = subgraph_.outputs;
  const auto count = static_cast<int>(subgraph_.values.size());
  for (const int n : plan_) {
    const Entry& entry = entries_[static_cast<size_t>(n)];
    planned.nodes.push_back(entry.as_node);
    // A delegate may have given the node other inputs, as constants in place
    // of what is computed from them.
    const std::span<const int> inputs = SpanOf(entry.node.inputs);
    if (std::all_of(inputs.begin(), inputs.end(), [&](int t) {
          return t >= kTfLiteOptionalTensor && t < count;
        }))
      planned.nodes.back().inputs.assign(inputs.begin(), inputs.end());
  }
  return planned;
}

Result<std::vector<bool>> GraphNodes::Wanted(
    std::span<const int> numbers) const {
  std::vector<bool> wanted(plan_.size());
  for (const int number : numbers) {
    const auto it = std::find(plan_.begin(), plan_.end(), number);
    if (it == plan_.end())
      return InvalidArgument("node " + std::to_string(number) +
                             " is not in the execution plan");
    wanted[static_cast<size_t>(it - plan_.begin())] = true;
  }
  return wanted;
}

Result<std::vector<NodeGroup>> GraphNodes::Partition(
    std::span<const int> wanted) const {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<bool> flags, Wanted(wanted));
  const graph::Subgraph planned = Planned();
  std::vector<NodeGroup> groups;
  for (const runtime::Partition& partition :
       runtime::PartitionNodes(planned, flags)) {
    groups.push_back(GroupOf(planned, partition));
    for (int& n : groups.back().nodes) n = plan_[static_cast<size_t>(n)];
  }
  return groups;
}

Result<std::span<TfLiteDelegateParams>> GraphNodes::Preview(
    std::span<const int> wanted) {
  ForgetPreview();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<NodeGroup> groups,
                         Partition(wanted));
  for (const NodeGroup& group : groups) {
    preview_.push_back({nullptr, ArrayOf(group.nodes), ArrayOf(group.inputs),
                        ArrayOf(group.outputs)});
    const TfLiteDelegateParams& params = preview_.back();
    if (params.nodes_to_replace == nullptr || params.input_tensors == nullptr ||
        params.output_tensors == nullptr)
      return OutOfMemory("the preview of a partitioning");
  }
  return std::span<TfLiteDelegateParams>(preview_);
}

void GraphNodes::ForgetPreview() {
  for (const TfLiteDelegateParams& params : preview_) {
    TfLiteIntArrayFree(params.nodes_to_replace);
    TfLiteIntArrayFree(params.input_tensors);
    TfLiteIntArrayFree(params.output_tensors);
  }
  preview_.clear();
}

Status GraphNodes::Replace(const std::vector<NodeGroup>& groups,
                           const TfLiteRegistration& registration,
                           TfLiteDelegate* delegate) {
  const graph::Subgraph planned = Planned();
  std::vector<runtime::Partition> partitions;
  std::vector<int> replacement;  // By group.
  for (const NodeGroup& group : groups) {
    runtime::Partition& partition = partitions.emplace_back();
    for (const int n : group.nodes) {
      const auto it = std::find(plan_.begin(), plan_.end(), n);
      partition.nodes.push_back(static_cast<int>(it - plan_.begin()));
    }
    graph::Node node;
    node.op = kReplacement;
    node.is_custom = true;
    node.inputs.assign(group.inputs.begin(), group.inputs.end());
    node.outputs.assign(group.outputs.begin(), group.outputs.end());
    replacement.push_back(static_cast<int>(entries_.size()));
    MUNJA_RETURN_IF_ERROR(Add(node));
    Entry& entry = entries_.back();
    entry.registration = registration;
    entry.params.reset(NewParams(group, delegate));
    if (entry.params == nullptr) return OutOfMemory("a delegate's parameters");
    entry.node.builtin_data = entry.params.get();
    entry.node.custom_initial_data = nullptr;
    entry.node.delegate = delegate;
  }
  std::vector<int> plan;
  for (const runtime::ScheduledItem& item :
       runtime::Schedule(planned, partitions)) {
    const auto index = static_cast<size_t>(item.index);
    plan.push_back(item.is_partition ? replacement[index] : plan_[index]);
  }
  plan_ = std::move(plan);
  return Status();
}

}  // namespace munja::compat
