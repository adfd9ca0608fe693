#include "import/onnx/context.h"

#include "import/onnx/operators.h"

namespace munja::importer::onnx {

Handler FindHandler(const std::string& type) {
#define ONNX_OPERATOR(name, function) \
  if (type == #name) return function;
#include "import/onnx/operators.def"
#undef ONNX_OPERATOR
  return nullptr;
}

const Tensor* Operator::TensorAttribute(const std::string& attribute) const {
  AttributeLog::Note(attribute);
  const auto it = tensors.find(attribute);
  return it == tensors.end() ? nullptr : &it->second;
}

const std::vector<std::string>* Operator::Texts(
    const std::string& attribute) const {
  AttributeLog::Note(attribute);
  const auto it = texts.find(attribute);
  return it == texts.end() ? nullptr : &it->second;
}

std::string Describe(const Operator& op) {
  const std::string& name =
      op.name.empty() && !op.outputs.empty() ? op.outputs[0] : op.name;
  return op.type + " '" + name + "'";
}

Status Context::Bind(const Operator& op, size_t output, ValueId value) {
  if (op.outputs.size() <= output || op.outputs[output].empty())
    return Malformed(op, " has no output");
  if (!values.emplace(op.outputs[output], value).second)
    return Malformed(op, ": '", op.outputs[output], "' is written twice");
  return {};
}

Status Context::Emit(const Operator& op, std::string name,
                     std::vector<ValueId> inputs,
                     graph::Attributes attributes) {
  if (op.outputs.empty()) return Malformed(op, " has no output");
  MUNJA_ASSIGN_OR_RETURN(const ValueId value,
                         builder.Add(std::move(name), std::move(inputs),
                                     std::move(attributes), op.outputs[0]));
  return Bind(op, 0, value);
}

Result<ValueId> Context::Step(const Operator& op, const char* what,
                              std::string name, std::vector<ValueId> inputs,
                              graph::Attributes attributes) {
  if (op.outputs.empty()) return Malformed(op, " has no output");
  return builder.Add(std::move(name), std::move(inputs), std::move(attributes),
                     op.outputs[0] + "/" + what);
}

Result<std::vector<int64_t>> Context::Ints(const Operator& op,
                                           const char* attribute, size_t input,
                                           bool* present) const {
  *present = op.attributes.Has(attribute);
  if (*present) return op.attributes.Ints(attribute);
  const ValueId id = op.input(input);
  if (id == kNoValue) return std::vector<int64_t>();
  *present = true;
  const Tensor* t = builder.constant(id);
  if (t == nullptr) {
    // Computed from shapes that are known.
    std::vector<int64_t> numbers;
    for (const ShapeEntry& e : builder.Entries(id))
      if (e.tensor == kNoValue) numbers.push_back(e.number);
    if (!numbers.empty() && numbers.size() == builder.Entries(id).size())
      return numbers;
    return Unsupported(op, ": ", attribute, " computed at run time");
  }
  if (!t->is_integer)
    return Malformed(op, ": ", attribute, " are not integers");
  return t->integers;
}

Result<double> Context::Number(const Operator& op, const char* attribute,
                               size_t input, double fallback) const {
  if (op.attributes.Has(attribute))
    return op.attributes.Float(attribute, fallback);
  const ValueId id = op.input(input);
  if (id == kNoValue) return fallback;
  const Tensor* t = builder.constant(id);
  if (t == nullptr)
    return Unsupported(op, ": ", attribute, " computed at run time");
  if (t->elements() != 1)
    return Malformed(op, ": ", attribute, " is not a single value");
  return t->is_integer ? static_cast<double>(t->integers[0])
                       : static_cast<double>(t->floats[0]);
}

}  // namespace munja::importer::onnx
