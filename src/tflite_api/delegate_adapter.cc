#include "tflite_api/delegate_adapter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/shape_inference.h"
#include "tflite_api/context.h"
#include "tflite_api/delegate_calls.h"
#include "tflite_api/delegate_kernel.h"
#include "tflite_api/graph_nodes.h"
#include "tflite_api/tensor_mirror.h"

namespace munja::compat {
namespace {

using runtime::Partition;

constexpr char kUnnamed[] = "tflite";

bool HaveSameFunctions(const TfLiteRegistration& a,
                       const TfLiteRegistration& b) {
  return a.init == b.init && a.free == b.free && a.prepare == b.prepare &&
         a.invoke == b.invoke &&
         a.registration_external == b.registration_external;
}

std::set<int> NodesOf(const TfLiteDelegate& delegate, ExternalNode& kernel) {
  const auto nodes = SpanOf(NodesToReplace(delegate, kernel.c().builtin_data));
  return {nodes.begin(), nodes.end()};
}

// The session hands over what its own nodes read; constants are in the context.
Status CheckInputs(const graph::Subgraph& subgraph, const Partition& partition,
                   const TfLiteIntArray* inputs) {
  for (const int t : SpanOf(inputs)) {
    const bool is_given =
        std::find(partition.inputs.begin(), partition.inputs.end(), t) !=
        partition.inputs.end();
    if (!is_given && !subgraph.values[static_cast<size_t>(t)].constant)
      return Unsupported("tensor " + std::to_string(t) +
                         ", which the delegate made an input of the nodes, is "
                         "not one of theirs in the model");
  }
  return Status();
}

// Objects that live as long as a kernel.
struct Kept {
  std::shared_ptr<TfLiteDelegate> delegate;
  OwnedParams params;
};

class DelegateAdapter final : public runtime::Delegate {
 public:
  DelegateAdapter(std::shared_ptr<TfLiteDelegate> delegate, std::string name,
                  std::shared_ptr<SharedState> shared)
      : delegate_(std::move(delegate)),
        name_(name.empty() ? kUnnamed : std::move(name)),
        shared_(std::move(shared)) {}

  std::string_view name() const override { return name_; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) override;
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const Partition& partition) override;
  bool is_stateful() const override { return true; }

 private:
  // The changes that Prepare made to a subgraph.
  struct Claimed {
    std::shared_ptr<GraphContext> context;
    std::map<int, TfLiteRegistration> registrations;  // By node that it took.
  };
  Status ShowShapes(GraphContext& context) const;
  // A kernel for nodes that were not replaced together.
  Result<std::unique_ptr<ExternalNode>> Start(const graph::Graph& graph,
                                              const Claimed& claimed,
                                              const NodeGroup& group,
                                              void* params);

  std::shared_ptr<TfLiteDelegate> delegate_;
  const std::string name_;
  const std::shared_ptr<SharedState> shared_;
  std::map<const graph::Subgraph*, Claimed> claimed_;
};

// Gives all tensors the shapes that they have when inputs of any size have
// size 1: a delegate looks at them while it prepares.
Status DelegateAdapter::ShowShapes(GraphContext& context) const {
  const graph::Subgraph& subgraph = context.subgraph();
  const auto is_fixed = [](const graph::Value& value) {
    return value.has_shape && value.shape.is_static();
  };
  if (std::all_of(subgraph.values.begin(), subgraph.values.end(), is_fixed))
    return Status();
  runtime::ShapeInference inference(subgraph);
  for (const graph::ValueId v : subgraph.inputs) {
    if (inference.knows(v)) continue;
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(context.tensor(v)->dims));
    inference.Set(v, shape);
  }
  std::vector<int> all(subgraph.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  inference.Run(all);
  constexpr int64_t kTakesAny =
      kTfLiteDelegateFlagsAllowDynamicTensors |
      kTfLiteDelegateFlagsHintFullyDelegatedToSingleDelegate;
  const graph::ValueId dynamic = inference.dynamic();
  if (dynamic != graph::kNoValue && (FlagsOf(*delegate_) & kTakesAny) == 0)
    return Unsupported(
        "Attempting to use a delegate that only supports static-sized tensors "
        "with a graph that has dynamic-sized tensors (tensor#" +
        std::to_string(dynamic) + " is a dynamic-sized tensor)");
  for (size_t v = 0; v < subgraph.values.size(); ++v) {
    const auto id = static_cast<graph::ValueId>(v);
    if (subgraph.values[v].constant || !inference.knows(id)) continue;
    MUNJA_RETURN_IF_ERROR(context.SetShape(id, inference.shape(id)));
  }
  return Status();
}

Result<std::vector<runtime::Delegate::NodeSupport>>
DelegateAdapter::CheckSupport(const graph::Graph& graph,
                              const graph::Subgraph& subgraph) {
  claimed_.erase(&subgraph);
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<GraphContext> made,
                         GraphContext::Make(subgraph, shared_));
  Claimed claimed;
  claimed.context = std::move(made);
  GraphContext& context = *claimed.context;
  MUNJA_RETURN_IF_ERROR(ShowShapes(context));
  context.Open(&graph);
  const TfLiteStatus status = CallPrepare(context.c(), delegate_.get());
  context.Close();
  const std::string reports = context.TakeReports();
  if (status != kTfLiteOk)
    return Unavailable("failed to prepare" +
                       (reports.empty() ? "" : ": " + reports));
  std::vector<NodeSupport> support(subgraph.nodes.size());
  for (const auto& kernel : context.replacements()) {
    for (const int n : NodesOf(*delegate_, *kernel)) {
      claimed.registrations.emplace(n, kernel->registration());
      // A later replacement may have taken a replacement.
      if (static_cast<size_t>(n) < support.size())
        support[n].is_supported = true;
    }
  }
  for (NodeSupport& node : support)
    if (!node.is_supported)
      node.reason = reports.empty() ? "it did not claim the node" : reports;
  claimed_[&subgraph] = std::move(claimed);
  return support;
}

Result<std::unique_ptr<ExternalNode>> DelegateAdapter::Start(
    const graph::Graph& graph, const Claimed& claimed, const NodeGroup& group,
    void* params) {
  const TfLiteRegistration* registration = nullptr;
  for (const int n : group.nodes) {
    const auto it = claimed.registrations.find(n);
    if (it == claimed.registrations.end() ||
        (registration != nullptr &&
         !HaveSameFunctions(*registration, it->second)))
      return Unsupported("the nodes belong to different kernels");
    registration = &it->second;
  }
  if (registration == nullptr) return InvalidArgument("there are no nodes");
  GraphContext& context = *claimed.context;
  for (const int t : group.outputs)
    MUNJA_RETURN_IF_ERROR(context.SetDelegate(t, delegate_.get()));
  auto kernel = std::make_unique<ExternalNode>(context, *registration,
                                               KernelName(*registration),
                                               group.inputs, group.outputs);
  kernel->c().builtin_data = params;
  kernel->c().delegate = delegate_.get();
  context.Open(&graph);
  const Status status = kernel->Init(static_cast<const char*>(params), 0);
  context.Close();
  if (!status.ok()) return status.Clone();
  return kernel;
}

Result<std::unique_ptr<ops::Kernel>> DelegateAdapter::Compile(
    const graph::Graph& graph, const graph::Subgraph& subgraph,
    const Partition& partition) {
  const auto found = claimed_.find(&subgraph);
  if (found == claimed_.end())
    return InvalidArgument("the subgraph was not checked");
  const std::shared_ptr<GraphContext>& context = found->second.context;
  const std::set<int> wanted(partition.nodes.begin(), partition.nodes.end());
  auto& made = context->replacements();
  const auto it =
      std::find_if(made.begin(), made.end(), [&](const auto& kernel) {
        return NodesOf(*delegate_, *kernel) == wanted;
      });
  auto kept = std::make_shared<Kept>();
  kept->delegate = delegate_;
  std::unique_ptr<ExternalNode> kernel;
  if (it != made.end()) {
    kernel = std::move(*it);
    made.erase(it);
  } else {
    // The session has other partitions than the delegate was told of: another
    // delegate was first, or a node has to stay on the CPU.
    const NodeGroup group = GroupOf(context->subgraph(), partition);
    kept->params.reset(NewParams(group, delegate_.get()));
    if (kept->params == nullptr) return OutOfMemory("a delegate's parameters");
    MUNJA_ASSIGN_OR_RETURN(
        kernel, Start(graph, found->second, group, kept->params.get()));
  }
  MUNJA_RETURN_IF_ERROR(
      CheckInputs(context->subgraph(), partition,
                  InputsOf(*delegate_, kernel->c().builtin_data)));
  return std::unique_ptr<ops::Kernel>(std::make_unique<DelegateKernel>(
      context, std::move(kernel), partition, delegate_.get(), std::move(kept)));
}

}  // namespace

Result<std::shared_ptr<runtime::Delegate>> WrapDelegate(
    TfLiteDelegate* delegate, std::string name,
    std::shared_ptr<SharedState> shared) {
  return WrapDelegate(
      std::shared_ptr<TfLiteDelegate>(delegate, [](TfLiteDelegate*) {}),
      std::move(name), std::move(shared));
}

Result<std::shared_ptr<runtime::Delegate>> WrapDelegate(
    std::shared_ptr<TfLiteDelegate> delegate, std::string name,
    std::shared_ptr<SharedState> shared) {
  if (delegate == nullptr) return InvalidArgument("Null delegate.");
  if (!HasPrepare(*delegate))
    return InvalidArgument("the delegate has no Prepare");
  return std::shared_ptr<runtime::Delegate>(std::make_shared<DelegateAdapter>(
      std::move(delegate), std::move(name), std::move(shared)));
}

}  // namespace munja::compat
