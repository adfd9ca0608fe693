// Interface of an operator on the CPU: one file per operator, one row in
// ops.def.
//
//   Make     once per node, when a session is created: parse attributes, refuse
//            unsupported nodes, pack constant weights. The kernel that it
//            returns never changes again and is shared by every plan and
//            thread.
//   Prepare  once for each set of input shapes: check shapes, give the output
//            shapes, ask for scratch memory, compute tables into a State.
//            Returns one of three results: ready (ok); kNeedsValues when the
//            values of an input whose data is null decide, and it is then
//            called again, before every Eval, with the data there; or, with any
//            other code, why this node cannot be computed.
//   Eval     once per run: arithmetic only. No allocation, and no checks except
//            of tensor values that are used as indices.
//
// Two kinds of kernels go beyond that: those whose output shapes only Eval
// finds out (DeferOutputShape, ResizeOutput: WHERE, UNIQUE), and those that
// need more than their tensors (needs_host: IF, WHILE, variables).
#ifndef MUNJA_OPS_OP_H_
#define MUNJA_OPS_OP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "tensor/shape.h"
#include "tensor/view.h"

namespace munja::ops {

// Session options that concern kernels.
struct MakeOptions {
  // Run the reference implementation of each kernel: slow, obvious, an oracle.
  bool reference_kernels = false;
  // Compute in 16-bit floats where the CPU and the kernel support them: see
  // product.h.
  bool reduced_precision = false;
  // Use convolution algorithms with fewer multiplications, which round
  // differently, where they are faster: see kernels/conv/winograd.h.
  bool fewer_products = true;
};

// A node while its kernel is made.
class NodeInfo {
 public:
  NodeInfo(const graph::Subgraph& subgraph, const graph::Node& node,
           const MakeOptions& options)
      : subgraph_(subgraph), node_(node), options_(options) {}
  const graph::Node& node() const { return node_; }
  const graph::Attributes& attributes() const { return node_.attributes; }
  const MakeOptions& options() const { return options_; }
  int inputs() const { return static_cast<int>(node_.inputs.size()); }
  int outputs() const { return static_cast<int>(node_.outputs.size()); }
  // Null when the optional input is absent or beyond the list.
  const graph::Value* input(int i) const;
  const graph::Value& output(int i) const;
  // A tensor that only tells how the inside of the operator is quantized; null
  // when absent or beyond the list.
  const graph::Value* intermediate(int i) const;
  // The constant input's data as a view, or data == nullptr when input i is
  // absent or not a constant.
  TensorView constant(int i) const;
  // That many inputs, of which the first `min_inputs` are not absent, and
  // outputs; kMalformed otherwise.
  Status CheckArity(int min_inputs, int max_inputs, int outputs) const;

 private:
  const graph::Subgraph& subgraph_;
  const graph::Node& node_;
  const MakeOptions& options_;
};

// Anything Prepare computes for Eval; belongs to one plan.
class State {
 public:
  virtual ~State() = default;
};

// State that outlives a run and that all subgraphs of a session share:
// variables, hash tables, what ran once.
class Resources {
 public:
  // The number of the resource of this name: from 0 on, always the same.
  int32_t Id(std::string_view name);
  // The content kept under this number, for the operator that owns it to fill;
  // null when there is no such number.
  std::unique_ptr<State>* Find(int32_t id);
  // Forgets all content; numbers stay.
  void Clear();

 private:
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<State>> contents_;
};

// Services of the session that a kernel may use.
class Host {
 public:
  virtual ~Host() = default;
  // Runs subgraph `index` of the model. The inputs may be outputs of the call
  // of this subgraph before, never of others. The outputs hold until it runs
  // again, which other subgraphs may cause that call it.
  virtual Result<std::span<const TensorView>> Call(
      int index, std::span<const TensorView> inputs) = 0;
  virtual Resources& resources() = 0;
};

class PrepareContext {
 public:
  virtual ~PrepareContext() = default;
  // Type and shape are final. data is null unless the value is static:
  // a constant, or integers computed from shapes.
  virtual const TensorView& input(int i) const = 0;
  virtual int inputs() const = 0;
  virtual bool has_input(int i) const = 0;
  // Type and quantization are those of the graph; the shape is not set yet.
  virtual const TensorView& output(int i) const = 0;
  // Every output must be given a static shape, or be deferred.
  virtual Status SetOutputShape(int i, const Shape& shape) = 0;
  // Eval will call ResizeOutput for output i, which has no data before that.
  virtual void DeferOutputShape(int i) = 0;
  // Bytes that Eval gets as scratch(): 64-byte aligned, not zeroed, shared
  // with other nodes of the plan.
  virtual void RequestScratch(size_t bytes) = 0;
  // Output i may lie in the memory of input j if nothing reads that later.
  virtual void AllowInPlace(int output, int input) = 0;
  virtual void SetState(std::unique_ptr<State> state) = 0;
  // Maximum number of threads of a run: scratch memory is needed for each.
  virtual int threads() const = 0;
};

// One of several operators that a kernel runs, as a delegate's do, in one Eval.
struct PartTime {
  std::string op, name, shapes;  // As in a profile.
  double milliseconds = 0;       // Measured by its executor.
  int64_t multiply_accumulates = 0, bytes = 0;
};

class EvalContext {
 public:
  virtual ~EvalContext() = default;
  virtual const TensorView& input(int i) const = 0;  // has_input(i) holds
  virtual int inputs() const = 0;
  virtual bool has_input(int i) const = 0;
  virtual const TensorView& output(int i) const = 0;
  virtual void* scratch() const = 0;
  virtual const State* state() const = 0;
  virtual ThreadPool& pool() const = 0;
  // For deferred outputs, once: output(i) then has shape and memory. `bytes`
  // counts only for types whose elements have no fixed size (strings).
  virtual Status ResizeOutput(int i, const Shape& shape, size_t bytes = 0) = 0;
  // Null unless the kernel needs_host().
  virtual Host* host() const = 0;
  // Empty, for a kernel that can time its parts; null if no times are
  // requested.
  virtual std::vector<PartTime>* part_times() const { return nullptr; }
};

class RowKernel;  // row_kernel.h

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Prepare(PrepareContext& context) const = 0;
  virtual Status Eval(EvalContext& context) const = 0;
  // Multiply-accumulates of one run with these shapes (after Prepare); 0 where
  // the count is meaningless. For reports.
  virtual int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const {
    (void)inputs;
    (void)outputs;
    return 0;
  }
  // Bytes of weights that were packed (constants copied).
  virtual size_t packed_bytes() const { return 0; }
  // Eval uses EvalContext::host().
  virtual bool needs_host() const { return false; }
  // This kernel, if it can compute some rows of its output alone; else null.
  virtual const RowKernel* by_rows() const { return nullptr; }
};

struct OpImpl {
  std::string_view name;  // The schema's name.
  int min_version, max_version;
  Result<std::unique_ptr<Kernel>> (*make)(const NodeInfo&);
};

// All rows of ops.def.
std::span<const OpImpl> AllOps();
// Null when there is no such operator.
const OpImpl* FindOp(std::string_view name);

}  // namespace munja::ops

#endif  // MUNJA_OPS_OP_H_
