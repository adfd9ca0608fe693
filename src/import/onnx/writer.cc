#include "import/onnx/writer.h"

#include <algorithm>
#include <memory>

#include "import/direct.h"

namespace munja::foreign::onnx {
namespace {

const Dims kNoDims;

graph::Attributes Collect(Settings settings) {
  graph::Attributes a;
  for (const Named& s : settings) a.Set(s.name, s.value);
  return a;
}

bool IsFuncOfFloat(ElementType type) { return type == ElementType::kFloat32; }

}  // namespace

ValueId Writer::Need(size_t i) {
  if (!has(i)) Damaged("lacks input " + std::to_string(i));
  return in(i);
}

const Dims& Writer::shape(ValueId v) const {
  return v == kNoValue ? kNoDims : context_.ShapeOf(v);
}

ElementType Writer::type(ValueId v) const {
  return v == kNoValue ? ElementType::kFloat32 : context_.builder.value(v).type;
}

const Tensor* Writer::constant(ValueId v) const {
  return v == kNoValue ? nullptr : context_.builder.constant(v);
}

int64_t Writer::Int(const char* attribute, int64_t fallback) {
  const Result<int64_t> r = op_.attributes.Int(attribute, fallback);
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? *r : fallback;
}

double Writer::Float(const char* attribute, double fallback) {
  const Result<double> r = op_.attributes.Float(attribute, fallback);
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? *r : fallback;
}

std::string Writer::Text(const char* attribute, const char* fallback) {
  Result<std::string> r = op_.attributes.Text(attribute, fallback);
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? std::move(*r) : fallback;
}

Int64s Writer::Ints(const char* attribute) {
  Result<Int64s> r = op_.attributes.Ints(attribute);
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? std::move(*r) : Int64s();
}

Int64s Writer::Ints(const char* attribute, size_t input, bool* present) {
  bool given = false;
  Result<Int64s> r = context_.Ints(op_, attribute, input, &given);
  if (present != nullptr) *present = given;
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? std::move(*r) : Int64s();
}

double Writer::Number(const char* attribute, size_t input, double fallback) {
  const Result<double> r = context_.Number(op_, attribute, input, fallback);
  if (!r.ok()) Keep(r.status().Clone());
  return r.ok() ? *r : fallback;
}

int64_t Writer::Axis(int64_t axis, int64_t rank) {
  const Result<int64_t> r = NormalizeAxis(axis, static_cast<size_t>(rank));
  if (!r.ok()) {
    Keep(r.status().Clone());
    return 0;
  }
  return *r;
}

Dims Writer::Static(ValueId v) {
  const Dims& dims = shape(v);
  if (!IsStatic(dims)) Refuse("an input of unknown size");
  return dims;
}

void Writer::Refuse(const std::string& what) {
  Keep(Unsupported(Describe(op_) + ": " + what));
}

void Writer::Damaged(const std::string& what) {
  Keep(Malformed(Describe(op_) + ": " + what));
}

ValueId Writer::Scalar(double value, ElementType type) {
  if (type == ElementType::kFloat32)
    return Constant(Tensor::Floats({}, {static_cast<float>(value)}));
  return Constant(Tensor::Integers({}, {static_cast<int64_t>(value)}, type));
}

ValueId Writer::List(const Int64s& values, ElementType type) {
  return Constant(
      Tensor::Integers({static_cast<int64_t>(values.size())}, values, type));
}

ValueId Writer::Constant(Tensor tensor) {
  if (!ok()) return kNoValue;
  return context_.builder.AddConstant("", std::move(tensor));
}

ValueId Writer::Take(Result<ValueId> result) {
  if (result.ok()) return *result;
  Keep(std::move(result).TakeStatus());
  return kNoValue;
}

ValueId Writer::Neutral(const char* op, Values inputs, Settings settings) {
  if (!ok()) return kNoValue;
  return Take(context_.Step(op_, op, op, std::move(inputs), Collect(settings)));
}

Values Writer::TfliteMany(const char* op, Values inputs,
                          std::vector<ElementType> types, Settings settings,
                          std::vector<Dims> shapes) {
  if (!ok()) return Values(types.size(), kNoValue);
  return Direct(op, std::move(inputs), std::move(types), Collect(settings),
                std::move(shapes), false, false);
}

Values Writer::CustomMany(const char* op, Values inputs,
                          std::vector<ElementType> types,
                          const graph::Attributes& options,
                          std::vector<Dims> shapes) {
  return Direct(op, std::move(inputs), std::move(types), options,
                std::move(shapes), true, false);
}

ValueId Writer::Custom(const char* op, Values inputs, ElementType type,
                       const graph::Attributes& options) {
  return Direct(op, std::move(inputs), {type}, options, {}, true, false)[0];
}

ValueId Writer::Tflite(const char* op, Values inputs, ElementType type,
                       Settings settings, bool elementwise) {
  return Direct(op, std::move(inputs), {type}, Collect(settings), {}, false,
                elementwise)[0];
}

Values Writer::Direct(const char* op, Values inputs,
                      std::vector<ElementType> types,
                      graph::Attributes attributes, std::vector<Dims> shapes,
                      bool is_custom, bool is_elementwise) {
  Values none(types.size(), kNoValue);
  if (!ok()) return none;
  auto direct = std::make_shared<foreign::Direct>();
  std::vector<std::string> names;
  const std::string base = op_.outputs.empty() ? op_.name : op_.outputs[0];
  for (size_t i = 0; i < types.size(); ++i)
    names.push_back(base + "/" + op + (i > 0 ? std::to_string(i) : ""));
  direct->types = std::move(types);
  direct->shapes = std::move(shapes);
  direct->is_custom = is_custom;
  if (std::string(op) == "BROADCAST_TO") direct->version = 2;  // Its first.
  direct->is_elementwise = is_elementwise;
  Node node;
  node.op = op;
  node.name = base + "/" + op;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.direct = std::move(direct);
  Result<Values> made = context_.builder.AddNode(std::move(node), names);
  if (made.ok()) return std::move(*made);
  Keep(std::move(made).TakeStatus());
  return none;
}

ElementType Writer::Wide(ElementType type) const {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUInt8:
    case ElementType::kInt16:
    case ElementType::kUInt16:
    case ElementType::kBool:
      return ElementType::kInt32;
    case ElementType::kUInt32:
    case ElementType::kUInt64:
      return ElementType::kInt64;
    default:
      return type;
  }
}

ValueId Writer::Cast(ValueId v, ElementType to) {
  if (!ok() || type(v) == to) return v;
  return Tflite("CAST", {v}, to,
                {{"in_data_type", std::string(SchemaName(type(v)))},
                 {"out_data_type", std::string(SchemaName(to))}},
                true);
}

ValueId Writer::Binary(const char* op, ValueId a, ValueId b) {
  if (!ok()) return kNoValue;
  if (IsFuncOfFloat(type(a)) && IsFuncOfFloat(type(b)))
    return Neutral(op, {a, b});
  const ElementType own = type(a), wide = Wide(own);
  const std::string name = op;
  const bool fuses = name != "Max" && name != "Min" && name != "Pow";
  const char* builtin = name == "Add"   ? "ADD"
                        : name == "Sub" ? "SUB"
                        : name == "Mul" ? "MUL"
                        : name == "Div" ? "DIV"
                        : name == "Max" ? "MAXIMUM"
                        : name == "Min" ? "MINIMUM"
                                        : "POW";
  const Values inputs = {Cast(a, wide), Cast(b, wide)};
  const ValueId y =
      fuses ? Tflite(builtin, inputs, wide,
                     {{"fused_activation_function", std::string("NONE")}}, true)
            : Tflite(builtin, inputs, wide, {}, true);
  return Cast(y, own);
}

ValueId Writer::Compare(const char* op, ValueId a, ValueId b) {
  ElementType wide = Wide(type(a));
  const std::string name = op;
  if (type(a) == ElementType::kBool && (name == "EQUAL" || name == "NOT_EQUAL"))
    wide = ElementType::kBool;
  return Tflite(op, {Cast(a, wide), Cast(b, wide)}, ElementType::kBool, {},
                true);
}

ValueId Writer::Logical(const char* op, ValueId a, ValueId b) {
  return Tflite(op, {a, b}, ElementType::kBool, {}, true);
}

ValueId Writer::Not(ValueId v) {
  return Tflite("LOGICAL_NOT", {v}, ElementType::kBool, {}, true);
}

ValueId Writer::Select(ValueId condition, ValueId yes, ValueId no) {
  return Tflite("SELECT_V2", {condition, yes, no}, type(yes), {}, true);
}

ValueId Writer::Reduce(const char* op, ValueId v, const Int64s& axes,
                       bool keep) {
  if (!ok()) return kNoValue;
  const std::string name = op;
  if (is_float(v) && name != "REDUCE_PROD")
    return Neutral(name == "SUM"          ? "ReduceSum"
                   : name == "MEAN"       ? "ReduceMean"
                   : name == "REDUCE_MAX" ? "ReduceMax"
                                          : "ReduceMin",
                   {v}, {{"axes", axes}, {"keepdims", int64_t{keep}}});
  const int64_t n = rank(v);
  Int64s all;
  for (const int64_t a : axes) all.push_back(Axis(a, n));
  if (axes.empty())
    for (int64_t i = 0; i < n; ++i) all.push_back(i);
  const ElementType own = type(v), wide = Wide(own);
  return Cast(
      Tflite(op, {Cast(v, wide), List(all)}, wide, {{"keep_dims", keep}}), own);
}

ValueId Writer::Reshape(ValueId v, const Dims& to) {
  if (ok() && shape(v) == to) return v;
  return Neutral("Reshape", {v}, {{"shape", to}});
}

ValueId Writer::Transpose(ValueId v, const Int64s& perm) {
  return Neutral("Transpose", {v}, {{"perm", perm}});
}

ValueId Writer::Concat(Values v, int64_t axis) {
  if (v.size() == 1) return v[0];
  return Neutral("Concat", std::move(v), {{"axis", axis}});
}

ValueId Writer::Slice(ValueId v, const Int64s& axes, const Int64s& starts,
                      const Int64s& ends, const Int64s& steps) {
  return Neutral(
      "Slice", {v},
      {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}});
}

ValueId Writer::Slice(ValueId v, int64_t axis, int64_t start, int64_t end) {
  return Slice(v, {axis}, {start}, {end}, {1});
}

ValueId Writer::Unsqueeze(ValueId v, const Int64s& axes) {
  return Neutral("Unsqueeze", {v}, {{"axes", axes}});
}

ValueId Writer::Squeeze(ValueId v, const Int64s& axes) {
  return Neutral("Squeeze", {v}, {{"axes", axes}});
}

ValueId Writer::Gather(ValueId v, ValueId indices, int64_t axis) {
  return Tflite("GATHER", {v, indices}, type(v),
                {{"axis", axis}, {"batch_dims", int64_t{0}}});
}

ValueId Writer::Expand(ValueId v, const Dims& to) {
  if (ok() && shape(v) == to) return v;
  return Tflite("BROADCAST_TO", {v, List(to)}, type(v));
}

void Writer::Set(size_t output, ValueId v) {
  if (!ok() || !wants(output)) return;
  Keep(context_.Bind(op_, output, v));
}

Status Writer::Done() {
  if (status_.ok()) return {};
  Status failed = std::exchange(status_, Status());
  if (std::string(failed.message()).find(Describe(op_)) != std::string::npos)
    return failed;
  return std::move(failed).With(Describe(op_));
}

}  // namespace munja::foreign::onnx
