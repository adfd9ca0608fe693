#include "import/onnx/context.h"

namespace munja::foreign::onnx {

Handler FindHandler(const std::string& type) {
  struct Row {
    const char* type;
    Handler handler;
  };
  static constexpr Row kRows[] = {
      {"Relu", Plain},
      {"Sigmoid", Plain},
      {"Tanh", Plain},
      {"Exp", Plain},
      {"Log", Plain},
      {"Sqrt", Plain},
      {"Reciprocal", Plain},
      {"Abs", Plain},
      {"Neg", Plain},
      {"Floor", Plain},
      {"Ceil", Plain},
      {"Sin", Plain},
      {"Cos", Plain},
      {"Erf", Plain},
      {"PRelu", Plain},
      {"MatMul", Plain},
      {"Shape", Plain},
      {"Identity", Alias},
      {"Dropout", Alias},
      {"Cast", Cast},
      {"Constant", Constant},
      {"LeakyRelu", Activation},
      {"Elu", Activation},
      {"HardSigmoid", Activation},
      {"HardSwish", Activation},
      {"Gelu", Activation},
      {"Clip", Clip},
      {"Add", Binary},
      {"Sub", Binary},
      {"Mul", Binary},
      {"Div", Binary},
      {"Max", Binary},
      {"Min", Binary},
      {"Pow", Binary},
      {"Conv", Convolution},
      {"ConvTranspose", Convolution},
      {"MaxPool", Pool},
      {"AveragePool", Pool},
      {"GlobalAveragePool", GlobalPool},
      {"GlobalMaxPool", GlobalPool},
      {"ReduceMean", Reduce},
      {"ReduceSum", Reduce},
      {"ReduceMax", Reduce},
      {"ReduceMin", Reduce},
      {"ArgMax", ArgMax},
      {"Softmax", Softmax},
      {"BatchNormalization", Normalization},
      {"LayerNormalization", Normalization},
      {"Gemm", Gemm},
      {"Resize", Resize},
      {"Upsample", Resize},
      {"Concat", Concat},
      {"Split", Split},
      {"Slice", Slice},
      {"Squeeze", Squeeze},
      {"Unsqueeze", Squeeze},
      {"Reshape", Reshape},
      {"Flatten", Flatten},
      {"Transpose", Transpose},
      {"Pad", Pad},
      {"Gather", Gather},
      {"Tile", Tile},
      {"ConstantOfShape", ConstantOfShape},
      {"Expand", Expand},
      {"DepthToSpace", DepthToSpace},
      {"LSTM", Lstm},
      {"Softplus", Composed},
      {"Softsign", Composed},
      {"Mish", Composed},
      {"LogSoftmax", Composed},
      {"ReduceL2", Composed},
      {"ReduceSumSquare", Composed},
      {"Sum", Sum},
      {"Mean", Sum},
      {"InstanceNormalization", InstanceNormalization},
  };
  for (const Row& row : kRows)
    if (type == row.type) return row.handler;
  return nullptr;
}

std::string Describe(const Operator& op) {
  const std::string& name =
      op.name.empty() && !op.outputs.empty() ? op.outputs[0] : op.name;
  return op.type + " '" + name + "'";
}

Status Context::Bind(const Operator& op, size_t output, ValueId value) {
  if (op.outputs.size() <= output || op.outputs[output].empty())
    return Malformed(Describe(op) + " has no output");
  if (!values.emplace(op.outputs[output], value).second)
    return Malformed(Describe(op) + ": '" + op.outputs[output] +
                     "' is written twice");
  return {};
}

Status Context::Emit(const Operator& op, std::string name,
                     std::vector<ValueId> inputs,
                     graph::Attributes attributes) {
  if (op.outputs.empty()) return Malformed(Describe(op) + " has no output");
  MUNJA_ASSIGN_OR_RETURN(const ValueId value,
                         builder.Add(std::move(name), std::move(inputs),
                                     std::move(attributes), op.outputs[0]));
  return Bind(op, 0, value);
}

Result<ValueId> Context::Step(const Operator& op, const char* what,
                              std::string name, std::vector<ValueId> inputs,
                              graph::Attributes attributes) {
  if (op.outputs.empty()) return Malformed(Describe(op) + " has no output");
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
    return Unsupported(Describe(op) + ": " + attribute +
                       " computed at run time");
  }
  if (!t->is_integer)
    return Malformed(Describe(op) + ": " + attribute + " are not integers");
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
    return Unsupported(Describe(op) + ": " + attribute +
                       " computed at run time");
  if (t->elements() != 1)
    return Malformed(Describe(op) + ": " + attribute + " is not one number");
  return t->is_integer ? static_cast<double>(t->integers[0])
                       : static_cast<double>(t->floats[0]);
}

Result<int64_t> Context::SoftmaxAxis(const Operator& op) const {
  const Dims& shape = ShapeOf(op.inputs[0]);
  const bool flattens = opset < 13;
  MUNJA_ASSIGN_OR_RETURN(int64_t axis,
                         op.attributes.Int("axis", flattens ? 1 : -1));
  MUNJA_ASSIGN_OR_RETURN(axis,
                         NormalizeAxis(axis, shape.size()).With(Describe(op)));
  // Before operator set 13 all axes from this one on count as one.
  for (size_t i = axis + 1; flattens && i < shape.size(); ++i)
    if (shape[i] != 1) return Unsupported(Describe(op) + ": over several axes");
  return axis;
}

}  // namespace munja::foreign::onnx
