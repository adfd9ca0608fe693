// Recording: what a partition does on a device, as a list of kernel launches.
// It is made without a device: judging a node is recording it and looking
// whether that works.
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

// Makes the numbers of a constant when a device is about to hold them.
using MakeNumbers = std::function<Result<std::vector<float>>()>;

// Memory on the device.
struct BufferSpec {
  enum Kind {
    kInput,     // Of the partition: number `at`.
    kValue,     // Written by a launch.
    kConstant,  // Numbers that do not depend on shapes: `key` names them.
    kTable,     // Integers of these shapes.
  } kind = kValue;
  // What it holds: numbers as the plan stores them, floats whatever that is, or
  // int8 (the numbers are whole).
  enum Storage { kReal, kFloat, kByte } storage = kReal;
  int64_t elements = 0;
  int at = 0;
  std::string key;
  // Makes the numbers of a constant; empty key: they hold for this recording
  // only.
  MakeNumbers numbers;
  std::vector<int32_t> table;
};

struct BufferArgument {
  int buffer = 0;  // Of Recording::buffers.
  bool is_written = false;
};
using Argument = std::variant<BufferArgument, int32_t, float>;

struct Launch {
  Family family = Family::kMove;
  const char* kernel = "";
  std::vector<Argument> arguments;
  int64_t items = 0;
  bool is_by_group = false;  // One item for a group.
  // Its weights are bytes, with the steps of their channels as an argument
  // more.
  bool has_byte_weights = false;
  int node = 0;  // Of the subgraph.
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

  // The value comes from outside, as number `at`.
  Status AddInput(graph::ValueId value, int at);
  // Appends what the node is. The failure is why it cannot be.
  Status Add(int node);
  Result<Recording> Finish(std::span<const graph::ValueId> outputs);

  // Of the node being recorded. Inputs are absent beyond the list, too.
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
  // The numbers of a constant of float32 or float16, which outlive the
  // recorder.
  Result<MakeNumbers> Numbers(int i) const;
  // The integers of input i, which are known before the run.
  Result<std::vector<int32_t>> Integers(int i) const;
  // Of input i, the weights of a layer; null: they are held as they are.
  const std::vector<float>* ByteScalesOf(int i) const;
  // As the runtime's kernel for the CPU prepared the node: shapes, and the
  // state that it made.
  Result<std::unique_ptr<runtime::NodeContext>> PrepareOnCpu() const;

  Result<BufferArgument> In(int i);
  Result<BufferArgument> Out(int i = 0);
  // Numbers made out of input i (a constant) in the way that `way` names, the
  // same wherever both are.
  Result<BufferArgument> Constant(
      int i, std::string_view way, int64_t elements, MakeNumbers numbers,
      BufferSpec::Storage storage = BufferSpec::kReal);
  // Numbers of these shapes only.
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

// Numbers of a constant of float32 or float16; kUnsupported for other types.
Result<std::vector<float>> NumbersOf(ElementType type, const void* data,
                                     int64_t elements);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_RECORDING_H_
