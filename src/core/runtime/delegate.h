// Delegate: takes over part of a graph inside this process.
#ifndef MUNJA_RUNTIME_DELEGATE_H_
#define MUNJA_RUNTIME_DELEGATE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "ops/op.h"

namespace munja::runtime {

// A group of nodes that runs as one: nothing outside of it lies between two of
// its nodes on any path.
struct Partition {
  std::vector<int> nodes;  // Numbers in the subgraph, in its order.
  // Values that the nodes read from outside (constants are not listed), and
  // values they write that others read or the subgraph outputs.
  std::vector<graph::ValueId> inputs, outputs;
};

// A key=value pair by which a program that knows only a delegate's name
// configures it.
struct DelegateOption {
  std::string key, value;
};

// One object serves one session and its forks (or several sessions, where it
// says so), which keep it alive. A session
// asks CheckSupport once for each subgraph, then Compile once for each
// partition; the kernels are shared by all forks unless they are stateful, in
// which case a fork asks again. CheckSupport and Compile are never called by
// two threads at once.
class Delegate {
 public:
  virtual ~Delegate() = default;
  virtual std::string_view name() const = 0;

  // Whether the delegate runs a node and, for reports, why not.
  struct NodeSupport {
    bool is_supported = false;
    std::string reason;
  };
  // One entry for each node. `subgraph` is one of the graph's, perhaps with
  // constants folded; its operators are those of the schema. After a failure,
  // which is logged, the whole subgraph runs on the CPU.
  virtual Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) = 0;

  // A kernel whose inputs and outputs are those of the partition, in that
  // order. When this fails, or the kernel's Prepare or Eval does, the nodes
  // run on the CPU with the same answer, and the reason is logged. As with
  // operators, kNeedsValues from a Prepare without the values of the inputs
  // means "call me again with them, before each Eval".
  virtual Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const Partition& partition) = 0;

  struct Limits {
    int max_partitions = 0;  // The largest ones are kept. 0: any number.
    int min_nodes = 1;       // Smaller partitions stay on the CPU.
  };
  virtual Limits limits() const { return {}; }

  // Kernels keep state of their own between calls: forks must not share them.
  virtual bool is_stateful() const { return false; }
  // An Eval that fails may work later: each one asks the kernel first.
  // Otherwise the first failure decides for its plan.
  virtual bool may_recover() const { return false; }
  // It keeps nothing of a session, so that others may be made with it.
  virtual bool serves_many_sessions() const { return false; }
  // Kernels can handle variables, which they get as inputs whose data they
  // may write and find again in the next run. Otherwise nodes that touch one
  // stay on the CPU whatever CheckSupport says.
  virtual bool takes_variables() const { return false; }
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_DELEGATE_H_
