// Neural Networks HAL operations in the operators of the .tflite schema.
#ifndef MUNJA_TESTS_CONFORMANCE_NN_LOWERING_H_
#define MUNJA_TESTS_CONFORMANCE_NN_LOWERING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "conformance/nn_example.h"
#include "graph/graph.h"

namespace munja::conformance {

// float16 is computed as float32: the criteria for it are far wider.
// kUnsupported for types without a twin.
Result<ElementType> TwinType(const std::string& nn_type);

// Bytes of such a tensor; float16 values are rounded to float16 first.
std::vector<uint8_t> Encode(const NnOperand& operand, const NnBuffer& values);

// One operation on its way: reads its operands, appends nodes.
class NnLowering {
 public:
  NnLowering(const NnSpec& spec, const NnExample& example, const NnGraph& from,
             graph::Subgraph& to)
      : spec_(spec), example_(example), from_(from), to_(to) {}

  // Values for all operands, then nodes for all operations.
  Status Run();

  // Bodies of loops (subgraphs of the result) that must give out all they take
  // in: a HAL loop's body leaves out what it does not change.
  const std::vector<int>& forwarded() const { return forwarded_; }
  void Forward(int body) { forwarded_.push_back(body); }

  // Of the operation being lowered.
  int inputs() const { return static_cast<int>(op_->inputs.size()); }
  int outputs() const { return static_cast<int>(op_->outputs.size()); }
  const std::string& type() const { return op_->type; }
  // Beyond the list: false, and the fallback.
  bool has(int i) const;
  const NnOperand& operand(int i) const;
  int64_t Int(int i, int64_t fallback = 0) const;
  float Float(int i, float fallback = 0.0f) const;
  std::vector<int64_t> Ints(int i) const;
  graph::ValueId in(int i) const;  // kNoValue when absent.
  graph::ValueId out(int i) const;
  graph::Value& value(graph::ValueId v) { return to_.values[v]; }

  // A constant.
  graph::ValueId Ints32(const std::vector<int32_t>& values, bool is_scalar);
  // A value like this one, of unknown shape.
  graph::ValueId Like(graph::ValueId v, std::string name);
  void Emit(std::string op, graph::Attributes attributes,
            std::vector<graph::ValueId> inputs,
            std::vector<graph::ValueId> outputs);
  // Of the node emitted last.
  void SetCustomOptions(std::vector<uint8_t> options) {
    to_.nodes.back().custom_options = std::move(options);
  }
  // Tensors of the node emitted last that only carry quantization.
  void SetIntermediates(std::vector<graph::ValueId> values) {
    to_.nodes.back().intermediates = std::move(values);
  }
  graph::ValueId Intermediate(ElementType type, float scale, int32_t zero);
  // What a helper ADD of a constant makes the value of, or the value.
  graph::ValueId BeforeHelper(graph::ValueId v) const;
  graph::ValueId Transposed(graph::ValueId v, std::vector<int32_t> order);
  // Input i in NHWC, and output 0 so that what is written arrives in the
  // layout asked for.
  graph::ValueId Nhwc(graph::ValueId v, bool is_nchw);
  graph::ValueId FromNhwc(graph::ValueId v, bool is_nchw);

 private:
  Status AddValue(const NnOperand& operand, bool is_main_input);

  const NnSpec& spec_;
  const NnExample& example_;
  const NnGraph& from_;
  graph::Subgraph& to_;
  const NnOperation* op_ = nullptr;
  std::vector<bool> is_absent_;
  std::vector<int> forwarded_;
};

// The whole example. kUnsupported "NAME has no twin" for operations that the
// schema does not have.
Result<graph::Graph> Lower(const NnSpec& spec, const NnExample& example);

// Rows of nn_operations.cc; null when there is no twin.
using NnLower = Status (*)(NnLowering& l);
NnLower FindNnOperation(std::string_view type);

// Operations of recurrent networks, in nn_sequences.cc.
NnLower FindNnSequence(std::string_view type);

// "NONE", "RELU", "RELU_N1_TO_1", "RELU6".
Result<std::string> ActivationOf(int64_t code);

}  // namespace munja::conformance

#endif  // MUNJA_TESTS_CONFORMANCE_NN_LOWERING_H_
