// Lowers HAL operations to operators of the .tflite schema, which the runtime
// has kernels for. The others are computed in hal/eval.
#ifndef MUNJA_HAL_LOWER_LOWERING_H_
#define MUNJA_HAL_LOWER_LOWERING_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "hal/model.h"

namespace munja::hal {

// float16 is computed as float32. kUnsupported for types that the schema lacks.
Result<ElementType> SchemaType(int32_t type);

// The bytes of a value in its schema type: float16 becomes float32.
std::vector<uint8_t> SchemaBytes(int32_t type, std::span<const uint8_t> bytes);

// Static knowledge of an operand when its operation is lowered.
struct Known {
  bool is_absent = false;  // An omitted optional input.
  bool has_value = false;
  std::span<const uint8_t> bytes;  // The value, in the HAL's type.
  // In the HAL's words, 0 where not known. Those of an input whose value is
  // known are all known, and 0 means 0.
  Dimensions dimensions;
};

// The operations of one subgraph on their way: reads their operands, appends
// nodes. Value i of the result is operand i; others follow.
class Lowering {
 public:
  // known: one for each operand. The values of inputs that are known may be
  // looked at (axes, sizes): the result then holds for them only.
  Lowering(const Subgraph& from, std::span<const Known> known,
           graph::Subgraph& to)
      : from_(from), known_(known), to_(to) {}

  // Values for all operands, then nodes for all operations.
  Status Run();

  // Bodies of loops (subgraphs of the result) that must output all their
  // inputs: a HAL loop's body leaves out what it does not change.
  const std::vector<int>& forwarded() const { return forwarded_; }
  void Forward(int body) { forwarded_.push_back(body); }

  // The operation being lowered.
  int inputs() const { return static_cast<int>(op_->inputs.size()); }
  int outputs() const { return static_cast<int>(op_->outputs.size()); }
  int32_t type() const { return op_->type; }
  std::string name() const;  // "CONV_2D"
  // Beyond the list: false, and the fallback.
  bool has(int i) const;
  const Operand& operand(int i) const;
  // Dimensions of input i; empty: not even the rank is known.
  std::vector<int32_t> Dims(int i) const;
  // Dimensions of the operand that became this value.
  std::vector<int32_t> DimsOf(graph::ValueId operand) const;
  int64_t Int(int i, int64_t fallback = 0) const;
  float Float(int i, float fallback = 0.0f) const;
  std::vector<int64_t> Ints(int i) const;
  // Width or height of the image in input 0; 0: unknown.
  int32_t Extent(bool is_nchw, bool is_width) const;
  // Which subgraph of the result input i calls.
  int64_t Called(int i) const;
  graph::ValueId in(int i) const;  // kNoValue when absent.
  graph::ValueId out(int i) const;
  graph::Value& value(graph::ValueId v) { return to_.values[v]; }
  const graph::Value& value(graph::ValueId v) const { return to_.values[v]; }

  // Constants.
  graph::ValueId Ints32(const std::vector<int32_t>& values, bool is_scalar);
  graph::ValueId Scalar(float number);
  // A value like this one, of unknown shape.
  graph::ValueId Like(graph::ValueId v, std::string name);
  void Emit(std::string op, graph::Attributes attributes,
            std::vector<graph::ValueId> inputs,
            std::vector<graph::ValueId> outputs);
  // Apply to the node emitted last.
  void SetVersion(int version) { to_.nodes.back().version = version; }
  void SetCustomOptions(std::vector<uint8_t> options) {
    to_.nodes.back().custom_options = std::move(options);
  }
  // Tensors of the node emitted last that only carry quantization.
  void SetIntermediates(std::vector<graph::ValueId> values) {
    to_.nodes.back().intermediates = std::move(values);
  }
  graph::ValueId Intermediate(ElementType type, float scale, int32_t zero);
  // The input of the helper (an ADD of zero) that made the value, or the value.
  graph::ValueId BeforeHelper(graph::ValueId v) const;
  // It is an input that one operation reads once, so that its later value is
  // not visible.
  bool IsFedToOne(graph::ValueId v) const;
  graph::ValueId Transposed(graph::ValueId v,
                            const std::vector<int32_t>& order);
  // Input i in NHWC, and output 0 so that what is written arrives in the
  // layout asked for.
  graph::ValueId Nhwc(graph::ValueId v, bool is_nchw);
  graph::ValueId FromNhwc(graph::ValueId v, bool is_nchw);

 private:
  Status AddValue(size_t index);
  bool IsReadOnce(graph::ValueId v) const;
  // The bytes of input i; where they are not known, is_asked_too_much_.
  std::span<const uint8_t> BytesOf(int i) const;

  const Subgraph& from_;
  const std::span<const Known> known_;
  graph::Subgraph& to_;
  const Operation* op_ = nullptr;
  mutable bool is_asked_too_much_ = false;  // For a value that is not known.
  std::vector<int> forwarded_;
};

// A whole model. inputs: what is known of the inputs of the main subgraph, or
// none. kUnsupported where an operation cannot be lowered, or only with static
// values of its inputs that are missing.
Result<graph::Graph> Lower(const Model& model, std::span<const Known> inputs);

using LowerFunction = Status (*)(Lowering& l);
// Rows of operations.cc; null when there is none.
LowerFunction FindLowering(int32_t type);
// Operations with windows, in windows.cc.
LowerFunction FindWindowLowering(int32_t type);
// Operations of recurrent networks, in sequences.cc.
LowerFunction FindSequenceLowering(int32_t type);

graph::Attributes With(
    std::initializer_list<std::pair<std::string_view, graph::AttributeValue>>
        entries);

// The fused activation: "NONE", "RELU", "RELU_N1_TO_1" or "RELU6".
Result<std::string> FusedActivation(int64_t code);
// The activation of a recurrent operation: these, "TANH" or "LOGISTIC".
Result<std::string> ActivationOf(int64_t code);

}  // namespace munja::hal

#endif  // MUNJA_HAL_LOWER_LOWERING_H_
