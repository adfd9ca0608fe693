// GraphNodes: the nodes of a subgraph and the order in which they run, as a
// delegate of the TensorFlow Lite C API sees and changes them.
#ifndef MUNJA_TFLITE_API_GRAPH_NODES_H_
#define MUNJA_TFLITE_API_GRAPH_NODES_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/delegate.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/builtin_data.h"
#include "tflite_api/operator.h"

namespace munja::compat {

// Nodes that can run as one. Tensors are ascending, each listed once; inputs
// name constants too.
struct NodeGroup {
  std::vector<int> nodes, inputs, outputs;
};

// The group that a partition of the subgraph is.
NodeGroup GroupOf(const graph::Subgraph& subgraph,
                  const runtime::Partition& partition);

// The parameters that a kernel for the group gets, in one block that free()
// ends: TfLiteDelegateParams, or TfLiteOpaqueDelegateParams for a delegate that
// was made of a builder. Null when there is no memory.
void* NewParams(const NodeGroup& group, TfLiteDelegate* delegate);
const TfLiteIntArray* NodesToReplace(const TfLiteDelegate& delegate,
                                     const void* params);
const TfLiteIntArray* InputsOf(const TfLiteDelegate& delegate,
                               const void* params);

// Frees what NewParams made.
struct FreeParams {
  void operator()(void* params) const;
};
using OwnedParams = std::unique_ptr<void, FreeParams>;

class GraphNodes {
 public:
  // The subgraph outlives the object. Nodes whose options do not fit the
  // structs of the C API show none (builtin_data is null).
  static Result<std::unique_ptr<GraphNodes>> Make(
      const graph::Subgraph& subgraph);
  ~GraphNodes();
  GraphNodes(const GraphNodes&) = delete;
  GraphNodes& operator=(const GraphNodes&) = delete;

  size_t size() const { return entries_.size(); }
  // Null when there is no such node. Addresses hold.
  TfLiteNode* node(int number);
  TfLiteRegistration* registration(int number);
  // The node's registration as an object without functions. Its address holds;
  // null when there is no such node.
  TfLiteOperator* ShowOperator(int number);
  // Numbers in the order of execution. Holds until the next call; null when
  // there is no memory.
  TfLiteIntArray* ExecutionPlan();

  // The groups into which these nodes fall. kInvalidArgument: one is not in
  // the execution plan.
  Result<std::vector<NodeGroup>> Partition(std::span<const int> wanted) const;
  // The same as an array of the C API. Holds until the next call.
  Result<std::span<TfLiteDelegateParams>> Preview(std::span<const int> wanted);

  // One node for each of the groups, which Partition gave, takes its place in
  // the plan. `registration` is what others then see.
  Status Replace(const std::vector<NodeGroup>& groups,
                 const TfLiteRegistration& registration,
                 TfLiteDelegate* delegate);

 private:
  struct Entry {
    TfLiteNode node{};
    TfLiteRegistration registration{};
    std::unique_ptr<BuiltinData> data;
    OwnedParams params;
    std::unique_ptr<TfLiteOperator> shown;
    graph::Node as_node;  // For partitioning: operator, inputs, outputs.
  };

  explicit GraphNodes(const graph::Subgraph& subgraph) : subgraph_(subgraph) {}
  Status Add(const graph::Node& node);
  // The plan as a subgraph whose nodes are those of the plan, in its order,
  // with the inputs that they have now.
  graph::Subgraph Planned() const;
  Result<std::vector<bool>> Wanted(std::span<const int> numbers) const;
  void ForgetPreview();

  const graph::Subgraph& subgraph_;
  std::deque<Entry> entries_;
  std::vector<int> plan_;
  TfLiteIntArray* shown_plan_ = nullptr;
  std::vector<TfLiteDelegateParams> preview_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_GRAPH_NODES_H_
