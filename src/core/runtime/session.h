// Session: a compiled model ready to run.
#ifndef MUNJA_RUNTIME_SESSION_H_
#define MUNJA_RUNTIME_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "tensor/view.h"

namespace munja::runtime {

struct TensorInfo {
  std::string name;
  ElementType type = ElementType::kFloat32;
  Shape shape;  // kDynamic where any size is taken.
  Quantization quantization;
  bool has_shape = true;  // false: any rank is taken, `shape` says nothing.
  // For an output with the best classes (SessionOptions::top_k): how
  // many there are. 0: the output is what the model says.
  int64_t classes = 0;
};

class Delegate;
class Resolver;

// The number format of convolutions and matrix products.
enum class Precision {
  kFloat32,
  // 16-bit floats where the processor has instructions for them (see
  // kernels/gemm/half_gemm.h) and weights are float constants; else as
  // kFloat32, and the log says so. Tensors stay float32.
  kReduced,
  // float32, and convolutions by no algorithm with fewer products.
  kDirect,
};

struct SessionOptions {
  // They are offered the nodes in this order; each sees what those before it
  // left. The graph is cleaned before (dead and constant nodes go), and what
  // stays on the CPU is fused after that.
  std::vector<std::shared_ptr<Delegate>> delegates;
  // Null: the operators of ops.def.
  std::shared_ptr<const Resolver> resolver;
  // Threads to share a run with; null: the session runs on the calling thread.
  std::shared_ptr<ThreadPool> pool;
  // Plans (one for each set of input shapes) kept at most; the least recently
  // used one is dropped first.
  int max_plans = 8;
  bool run_passes = true;          // Fuse and fold before planning.
  bool reference_kernels = false;  // Reference kernels: slow, an oracle.
  Precision precision = Precision::kFloat32;  // Reference kernels: always.
  bool profile = false;                       // Count time for each node.
  // Float outputs whose last dimension the model states, n, and counts classes
  // give only the best of each row, so many (at most 5; 0: all), with their
  // values, best first and of equals the first: [..., n] becomes
  // [..., 2 * top_k]. Where the value is a softmax, the row is never
  // stored, and classes with less than 1e-4 of the best one's are left out:
  // zeros. NaN counts as less than everything; class 0 with NaN where all
  // are NaN. Outputs that this cannot be said of stay as they are.
  int top_k = 0;
  // Float inputs that nothing but one QUANTIZE to 8 or 16 bits by one scale
  // reads are taken as what it would make of them; inputs() states type, scale
  // and zero point. Not where there are delegates, or operators that replace
  // built-in ones.
  bool stored_inputs = false;
  int subgraph = 0;
  // Variables of the model that are inputs, too, are changed where the caller
  // has them. Otherwise the session copies them first.
  bool changes_given_variables = false;
};

// One row of the profile: a node, summed over the runs since the last reset.
struct NodeProfile {
  std::string op, name, shapes;
  double milliseconds = 0;           // Sum over `runs`.
  int64_t multiply_accumulates = 0;  // Per run.
  int64_t bytes = 0;  // Bytes of its inputs, constants included, and outputs.
  // Type that it multiplies: kInt8, kInt16 (by 8-bit weights) or kFloat32.
  ElementType computes_in = ElementType::kFloat32;
  int runs = 0;
};

// Where one node of the model runs.
struct NodeOwner {
  int subgraph = 0;
  int node = 0;          // As the model numbers them.
  std::string op, name;  // The name is that of its first output.
  std::string owner;     // A delegate's name; "cpu"; "none": it never runs.
  int partition = -1;    // The delegate's partition, from 0; -1: in none.
  std::string reason;    // Why not elsewhere, or not as planned.
};

// Memory of a session, in bytes.
struct MemoryUse {
  size_t arena = 0;           // The largest plan and callees.
  size_t packed_weights = 0;  // Shared by all forks.
};

// Not thread-safe: one caller at a time. Fork() gives another one that shares
// the weights and can run at the same time.
class Session {
 public:
  virtual ~Session() = default;
  virtual std::span<const TensorInfo> inputs() const = 0;
  virtual std::span<const TensorInfo> outputs() const = 0;
  // Runs on dense tensors given in the order of inputs(). They are read in
  // place, and may be outputs of the run before. The views returned lie in the
  // session's memory and hold until the next call. Errors:
  // kInvalidArgument (count, type or shape does not fit the model),
  // kOutOfMemory, kUnsupported; kCancelled and kTimedOut, between nodes and in
  // the midst of them, where the thread's Control (base/control.h) says so:
  // what variables hold then is anybody's guess.
  virtual Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) = 0;
  // Makes the plan for these shapes without running: the first run then
  // allocates nothing. Gives the output shapes; kNeedsValues where they, or
  // shapes between, come with a run's values. For a model that is known to
  // run node by node (see docs/explanation/architecture.md) nothing is made,
  // and the shapes are those that the model states, with kDynamic where it does
  // not.
  virtual Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) = 0;
  // Shares program and packed weights; own memory, own plans, and threads of
  // its own (null: the calling thread).
  virtual Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const = 0;
  virtual std::vector<NodeProfile> Profile() const = 0;
  virtual void ResetProfile() = 0;
  virtual MemoryUse memory() const = 0;
  // Every node of the subgraphs that the session can reach, where delegates
  // were given; reasons of failures as of now.
  virtual std::vector<NodeOwner> Owners() const { return {}; }
  // Makes the model forget what its variables (the state of a recurrent
  // network) and resources kept from earlier runs. Forks have their own.
  virtual void ResetVariables() {}
};

// `graph` must have passed graph::Verify. Operators that are missing are all
// named in one kUnsupported message.
Result<std::unique_ptr<Session>> CreateSession(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options);

// As Session::Owners(), without operators for the nodes that stay on the CPU:
// for reports on models that cannot run here.
Result<std::vector<NodeOwner>> ReportOwners(const graph::Graph& graph,
                                            const SessionOptions& options);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_SESSION_H_
