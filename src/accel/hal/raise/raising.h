// Translates operators of the .tflite schema to HAL operations: the inverse of
// hal/lower. Nodes that the HAL cannot express are kUnsupported and stay on the
// CPU.
#ifndef MUNJA_HAL_RAISE_RAISING_H_
#define MUNJA_HAL_RAISE_RAISING_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "hal/model.h"
#include "runtime/shape_inference.h"

namespace munja::hal {

// A model made of nodes of a graph. Its constants stay where the graph has them
// (in pools that keep them alive), except small ones.
struct Raised {
  Model model;
  // The graph's values that are the model's inputs and outputs, in its order.
  // A value whose data was known is none: the model then holds for that data
  // only.
  std::vector<graph::ValueId> inputs, outputs;
  std::vector<int> node_of;  // By operation: the node of the graph.
  // Values that are static but not constant, whose data the model depends on.
  std::vector<graph::ValueId> assumed;
};

// The nodes, in an order in which they can run. outputs: the values to return.
// Static nodes become constants of the others. The model is valid. A failure
// names the node.
Result<Raised> Raise(const graph::Subgraph& from,
                     const runtime::ShapeInference& known,
                     std::span<const int> nodes,
                     std::span<const graph::ValueId> outputs);

// Makes float32 of float16 constants that nodes read as floats, as the
// CPU's kernels do: the HAL supports such weights with float16 tensors only.
// Inputs of DEQUANTIZE and CAST stay.
void WidenHalves(graph::Subgraph& subgraph);

// A subgraph while it is translated. Errors are kept: results after one are
// unspecified, and status() returns the first.
class Raising {
 public:
  Raising(const graph::Subgraph& from, const runtime::ShapeInference& known)
      : from_(from), known_(known) {
    raised_.model.subgraphs.resize(1);
  }

  // Appends the operations of the node.
  Status Add(int node);
  Result<Raised> Finish(std::span<const graph::ValueId> outputs);

  // The node being raised. Inputs beyond its list count as absent.
  const graph::Node& node() const { return *node_; }
  int inputs() const { return static_cast<int>(node_->inputs.size()); }
  bool has(int i) const {
    return i < inputs() && node_->inputs[i] != graph::kNoValue;
  }
  const graph::Value& value(int i) const;
  const graph::Value& output(int i = 0) const;
  int64_t Int(std::string_view name, int64_t fallback);
  double Float(std::string_view name, double fallback);
  bool Bool(std::string_view name, bool fallback);
  std::string Text(std::string_view name, std::string_view fallback);
  // The static dimensions of input i (output i), 0 where unknown; empty: not
  // even the rank. Rank 0 is [1], the HAL's lowest rank.
  Dimensions Dims(int i) const;
  Dimensions OutDims(int i = 0) const;
  // Integers of input i, which must be static.
  std::vector<int32_t> Ints(int i);
  // The same for a float.
  float Real(int i);

  // Operands.
  uint32_t in(int i);
  uint32_t out(int i = 0);
  uint32_t Scalar(int32_t value);
  uint32_t Scalar(bool value);
  uint32_t Scalar(float value);
  uint32_t Vector(const std::vector<int32_t>& values, Dimensions dimensions);
  uint32_t Vector(const std::vector<int32_t>& values) {
    return Vector(values, {static_cast<uint32_t>(values.size())});
  }
  // Adds an intermediate operand of the type of output 0.
  uint32_t Between(Dimensions dimensions);
  uint32_t Constant(Operand operand, std::span<const uint8_t> bytes);
  const Operand& operand(uint32_t i) const { return main().operands[i]; }

  void Emit(int32_t type, std::vector<uint32_t> inputs,
            std::vector<uint32_t> outputs);
  // The first reason counts.
  void Refuse(const std::string& reason);
  const Status& status() const { return status_; }

 private:
  Subgraph& main() { return raised_.model.subgraphs[0]; }
  const Subgraph& main() const { return raised_.model.subgraphs[0]; }
  uint32_t OperandOf(graph::ValueId v);
  Dimensions DimsOf(graph::ValueId v) const;
  void SetType(const graph::Value& value, Operand& operand);
  template <class T>
  T Read(Result<T> attribute);

  const graph::Subgraph& from_;
  const runtime::ShapeInference& known_;
  Raised raised_;
  std::map<graph::ValueId, uint32_t> operand_of_;
  const graph::Node* node_ = nullptr;
  int number_ = 0;
  Status status_;
};

using RaiseFunction = void (*)(Raising& r);
// A row of operators.cc; null: the HAL has no such operation.
RaiseFunction FindRaising(std::string_view op);

}  // namespace munja::hal

#endif  // MUNJA_HAL_RAISE_RAISING_H_
