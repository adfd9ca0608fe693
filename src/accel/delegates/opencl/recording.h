// Recording: a partition as a list of kernel launches. It needs no device: a
// node is supported if it can be recorded.
#ifndef MUNJA_DELEGATES_OPENCL_RECORDING_H_
#define MUNJA_DELEGATES_OPENCL_RECORDING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "delegates/opencl/byte_weights.h"
#include "delegates/opencl/kernels/sources.h"
#include "graph/graph.h"
#include "kernels/elementwise/activation.h"
#include "ops/op.h"
#include "runtime/node_context.h"
#include "runtime/shape_inference.h"
#include "tensor/view.h"

namespace munja::delegates::opencl {

// Produces the values of a constant when a device needs them.
using MakeNumbers = std::function<Result<std::vector<float>>()>;

// Memory on the device.
struct BufferSpec {
  enum Kind {
    kInput,     // Input `at` of the partition.
    kValue,     // Written by a launch.
    kConstant,  // Values that do not depend on shapes: `key` names them.
    kTable,     // Integers of these shapes.
  } kind = kValue;
  // Element type: the plan's storage type, always float, or int8 (the values
  // are integers).
  enum Storage { kReal, kFloat, kByte } storage = kReal;
  int64_t elements = 0;
  int at = 0;
  std::string key;
  // Produces the values of a constant; empty key: for this recording only.
  MakeNumbers numbers;
  std::vector<int32_t> table;
};

struct BufferArgument {
  int buffer = 0;  // Index in Recording::buffers.
  bool is_written = false;
};
using Argument = std::variant<BufferArgument, int32_t, float>;

struct Launch {
  Family family = Family::kMove;
  const char* kernel = "";
  std::vector<Argument> arguments;
  int64_t items = 0;
  bool is_by_group = false;  // One item for a group.
  // Its weights are int8, with the steps of their channels as one more
  // argument.
  bool has_byte_weights = false;
  int node = 0;  // Index in the subgraph.
  int64_t multiply_accumulates = 0;

  // The next three arguments: what the kernels' activate() takes.
  void Append(const kernels::Activation& activation);
};

struct Recording {
  std::vector<BufferSpec> buffers;
  std::vector<Launch> launches;
  std::vector<int> inputs, outputs;  // Buffers of the partition's values.
  std::map<graph::ValueId, int> buffer_of;
};

// Records the nodes of a subgraph one by one.
class Recorder {
 public:
  // All outlive the recorder. Weights without scales stay floats.
  Recorder(const graph::Subgraph& subgraph,
           const runtime::ShapeInference& known, const ScalesOfWeights& scales)
      : subgraph_(subgraph), known_(known), scales_(scales) {}

  // The value is input `at` of the partition.
  Status AddInput(graph::ValueId value, int at);
  // Appends the launches of the node. The failure is the reason it is not
  // supported.
  Status Add(int node);
  Result<Recording> Finish(std::span<const graph::ValueId> outputs);

  // The node being recorded. Inputs beyond its list count as absent.
  const graph::Node& node() const { return *node_; }
  int inputs() const { return static_cast<int>(node_->inputs.size()); }
  bool has(int i) const {
    return i < inputs() && node_->inputs[i] != graph::kNoValue;
  }
  bool is_constant(int i) const {
    return has(i) && known_.data(node_->inputs[i]) != nullptr;
  }
  // Known, with a number of elements that fits a kernel's int.
  Result<Shape> ShapeOf(int i) const;
  Result<Shape> OutputShape(int i = 0) const;
  // The values of a float32 or float16 constant, which outlive the recorder.
  Result<MakeNumbers> Numbers(int i) const;
  // The integers of input i, which are static.
  Result<std::vector<int32_t>> Integers(int i) const;
  // Scales of input i, the weights of a layer; null: stored as they are.
  const std::vector<float>* ByteScalesOf(int i) const;
  // The shapes and state of the runtime's CPU kernel for the node.
  Result<std::unique_ptr<runtime::NodeContext>> PrepareOnCpu() const;

  Result<BufferArgument> In(int i);
  Result<BufferArgument> Out(int i = 0);
  // Numbers made out of input i (a constant) in the way that `way` names, the
  // same wherever both are.
  Result<BufferArgument> Constant(
      int i, std::string_view way, int64_t elements, MakeNumbers numbers,
      BufferSpec::Storage storage = BufferSpec::kReal);
  // Values for these shapes only.
  BufferArgument Fixed(std::vector<float> numbers);
  BufferArgument Table(std::vector<int32_t> numbers);
  // The output is the input under another shape.
  Status Alias(int output, int input);
  // With the number of items as the first argument unless it is by group.
  void Emit(Launch launch);

 private:
  Result<MakeNumbers> NumbersOfValue(graph::ValueId v,
                                     const std::string& what) const;
  Result<int> BufferOf(graph::ValueId v);
  int AddBuffer(BufferSpec spec);

  const graph::Subgraph& subgraph_;
  const runtime::ShapeInference& known_;
  const ScalesOfWeights& scales_;
  Recording recording_;
  std::map<graph::ValueId, int> buffer_of_;
  std::map<std::string, int> constants_;
  const graph::Node* node_ = nullptr;
  int number_ = 0;
};

// Values of a float32 or float16 constant; kUnsupported for other types.
Result<std::vector<float>> NumbersOf(ElementType type, const void* data,
                                     int64_t elements);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_RECORDING_H_
