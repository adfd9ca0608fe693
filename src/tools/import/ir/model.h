// Model: the importer's IR, one neutral vocabulary for all formats. Tensors are
// laid out as in ONNX (NCHW, NCW) and operators have ONNX names and meanings,
// but every setting that ONNX gives by a constant input (axes, pads, sizes,
// bounds) is an attribute here, and the differences between operator set
// versions are gone. Each operator: shapes/shape_inference.cc.
#ifndef MUNJA_IMPORT_IR_MODEL_H_
#define MUNJA_IMPORT_IR_MODEL_H_

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/attributes.h"
#include "import/ir/tensor.h"

namespace munja::importer {

struct Model;

// Index of a value of a model. Numbers do not convert to it implicitly: where a
// function takes values and numbers, 1 is a number.
class ValueId {
 public:
  constexpr ValueId() = default;
  template <std::integral T>
  constexpr explicit ValueId(T index) : index_(static_cast<int32_t>(index)) {}
  // It serves as an index without more.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator int32_t() const { return index_; }

 private:
  int32_t index_ = -1;
};
inline constexpr ValueId kNoValue;  // An absent optional input.

struct Value {
  std::string name;
  Dims shape;  // The rank is always known; kUnknown for an unknown size.
  bool is_integer = false;
  std::shared_ptr<const Tensor> constant;  // Null: computed at run time.
  ElementType type = ElementType::kFloat32;
};

// An operator of .tflite, or a custom one of ours, used as it is: `op` is its
// name there, and attributes and inputs follow the schema.
struct Direct {
  std::vector<ElementType> types;  // Output types.
  // Known parts of output shapes that depend on values at run time. Empty: the
  // operator determines all shapes before the run.
  std::vector<Dims> shapes;
  bool is_custom = false;
  // Element by element: the axes may lie in any order.
  bool is_elementwise = false;
  int version = 1;
};

struct Node {
  std::string op;
  std::string name;  // For messages: the source's own name of the node.
  graph::Attributes attributes;
  std::vector<ValueId> inputs;  // kNoValue where an optional one is absent.
  std::vector<ValueId> outputs;
  std::shared_ptr<const Direct> direct;  // Null: an operator of this model.
  // "If": the first input is the condition, the others are the inputs of both
  // bodies, the then-branch first. "While": the inputs are the variables, which
  // both bodies take; the first body computes the condition, the second the
  // next values.
  std::vector<std::shared_ptr<const Model>> bodies;
};

struct Model {
  std::string source;  // "ncnn", "ONNX, operator set 14"
  std::vector<Value> values;
  std::vector<Node> nodes;  // In an order in which they can run.
  std::vector<ValueId> inputs, outputs;

  const Value& value(ValueId id) const { return values[id]; }
};

// kUnsupported with the names and counts of all missing operators, if any.
Status RefuseMissing(const char* what,
                     const std::map<std::string, int>& missing);

// "Conv 'conv2d_0'".
std::string Describe(const Node& node);
// The number of nodes and outputs that read each value.
std::vector<int> CountUses(const Model& model);
// Removes nodes whose results are unused.
void RemoveDeadNodes(Model* model);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_MODEL_H_
