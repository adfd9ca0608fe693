// State of the translation of ONNX operators.
#ifndef MUNJA_IMPORT_ONNX_CONTEXT_H_
#define MUNJA_IMPORT_ONNX_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/compose/source_attributes.h"
#include "import/ir/builder.h"
#include "import/onnx/translate.h"

namespace munja::onnx {
class GraphProto;
}

namespace munja::importer::onnx {

// One node of the file, its names resolved.
struct Operator {
  std::string type, name;
  SourceAttributes attributes;            // Numbers, texts and lists of them.
  std::map<std::string, Tensor> tensors;  // Tensor attributes.
  std::map<std::string, std::vector<std::string>> texts;  // Lists of texts.
  std::map<std::string, const munja::onnx::GraphProto*> graphs;
  std::vector<ValueId> inputs;  // kNoValue where absent.
  std::vector<std::string> outputs;

  ValueId input(size_t i) const {
    return i < inputs.size() ? inputs[i] : kNoValue;
  }
  // Null when the attribute is absent.
  const Tensor* TensorAttribute(const std::string& attribute) const;
  const std::vector<std::string>* Texts(const std::string& attribute) const;
};

std::string Describe(const Operator& op);

// Integers that an operator stored, by one scale and zero point.
struct StoredValue {
  ValueId real;  // The source of the quantized values.
  float scale = 1;
  int64_t zero = 0;
};

class Context {
 public:
  Context(ModelBuilder* model, int64_t version)
      : builder(*model), opset(version) {}

  ModelBuilder& builder;
  int64_t opset;  // Operator set of the current node.
  std::map<std::string, ValueId> values;
  std::set<std::string> read;  // Names that a node, or the caller, reads.
  ExternalData external;       // Tensor data in other files.
  // Nodes of branches and bodies so far, which a small file may have many of.
  std::shared_ptr<int64_t> written = std::make_shared<int64_t>(0);
  // Elements of what ConstantOfShape made so far, likewise.
  std::shared_ptr<int64_t> filled = std::make_shared<int64_t>(0);

  // Quantized values: int8 and uint8 outputs of QuantizeLinear and its
  // variants.
  std::map<ValueId, StoredValue> stored;
  // Their dequantized values, once requested.
  std::map<ValueId, ValueId> restored;

  bool IsRead(const std::string& name) const { return read.contains(name); }
  const Dims& ShapeOf(ValueId id) const { return builder.value(id).shape; }
  // Binds the name to the value. kMalformed when it is taken.
  Status Bind(const Operator& op, size_t output, ValueId value);
  // Adds a node whose result is output 0.
  Status Emit(const Operator& op, std::string name, std::vector<ValueId> inputs,
              graph::Attributes attributes = {});
  // Adds a node in the middle of an operator.
  Result<ValueId> Step(const Operator& op, const char* what, std::string name,
                       std::vector<ValueId> inputs,
                       graph::Attributes attributes = {});
  // Integers given by an attribute (older operator sets) or a constant input.
  // `present`: they were given at all. kUnsupported when they are computed at
  // run time.
  Result<std::vector<int64_t>> Ints(const Operator& op, const char* attribute,
                                    size_t input, bool* present) const;
  // A single number, likewise.
  Result<double> Number(const Operator& op, const char* attribute, size_t input,
                        double fallback) const;
};

using Handler = Status (*)(Context&, const Operator&);
// Null when the operator is not supported.
Handler FindHandler(const std::string& type);

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_CONTEXT_H_
