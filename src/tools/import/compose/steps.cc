#include "import/compose/steps.h"

#include <algorithm>
#include <memory>

#include "import/direct.h"

namespace munja::importer {
namespace {

const Dims kNoDims;

graph::Attributes Collect(Settings settings) {
  graph::Attributes a;
  for (const Named& s : settings) a.Set(s.name, s.value);
  return a;
}

bool IsFuncOfFloat(ElementType type) { return type == ElementType::kFloat32; }

}  // namespace

const Dims& Steps::shape(ValueId v) const {
  return v == kNoValue ? kNoDims : builder_.value(v).shape;
}

ElementType Steps::type(ValueId v) const {
  return v == kNoValue ? ElementType::kFloat32 : builder_.value(v).type;
}

const Tensor* Steps::constant(ValueId v) const {
  return v == kNoValue ? nullptr : builder_.constant(v);
}

int64_t Steps::Axis(int64_t axis, int64_t rank) {
  const Result<int64_t> r = NormalizeAxis(axis, static_cast<size_t>(rank));
  if (!r.ok()) {
    Keep(r.status().Clone());
    return 0;
  }
  return *r;
}

Dims Steps::Static(ValueId v) {
  const Dims& dims = shape(v);
  if (!IsStatic(dims)) Refuse("an input of unknown size");
  return dims;
}

ValueId Steps::Scalar(double value, ElementType type) {
  if (type == ElementType::kFloat32)
    return Constant(Tensor::Floats({}, {static_cast<float>(value)}));
  return Constant(Tensor::Integers({}, {static_cast<int64_t>(value)}, type));
}

ValueId Steps::List(const Int64s& values, ElementType type) {
  return Constant(
      Tensor::Integers({static_cast<int64_t>(values.size())}, values, type));
}

ValueId Steps::Constant(Tensor tensor) {
  if (!ok()) return kNoValue;
  return builder_.AddConstant("", std::move(tensor));
}

ValueId Steps::Neutral(const char* op, Values inputs, Settings settings) {
  if (!ok()) return kNoValue;
  Result<ValueId> made =
      builder_.Add(op, std::move(inputs), Collect(settings), name_ + "/" + op);
  if (made.ok()) return *made;
  Keep(std::move(made).TakeStatus());
  return kNoValue;
}

Values Steps::TfliteMany(const char* op, Values inputs,
                         std::vector<ElementType> types, Settings settings,
                         std::vector<Dims> shapes) {
  if (!ok()) return Values(types.size(), kNoValue);
  return Direct(op, std::move(inputs), std::move(types), Collect(settings),
                std::move(shapes), false, false);
}

Values Steps::CustomMany(const char* op, Values inputs,
                         std::vector<ElementType> types,
                         const graph::Attributes& options,
                         std::vector<Dims> shapes) {
  return Direct(op, std::move(inputs), std::move(types), options,
                std::move(shapes), true, false);
}

ValueId Steps::Custom(const char* op, Values inputs, ElementType type,
                      const graph::Attributes& options) {
  return Direct(op, std::move(inputs), {type}, options, {}, true, false)[0];
}

ValueId Steps::Tflite(const char* op, Values inputs, ElementType type,
                      Settings settings, bool elementwise) {
  return Direct(op, std::move(inputs), {type}, Collect(settings), {}, false,
                elementwise)[0];
}

Values Steps::Direct(const char* op, Values inputs,
                     std::vector<ElementType> types,
                     graph::Attributes attributes, std::vector<Dims> shapes,
                     bool is_custom, bool is_elementwise) {
  Values none(types.size(), kNoValue);
  if (!ok()) return none;
  auto direct = std::make_shared<importer::Direct>();
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i)
    names.push_back(name_ + "/" + op + (i > 0 ? std::to_string(i) : ""));
  direct->types = std::move(types);
  direct->shapes = std::move(shapes);
  direct->is_custom = is_custom;
  if (std::string(op) == "BROADCAST_TO") direct->version = 2;  // Its first.
  direct->is_elementwise = is_elementwise;
  Node node;
  node.op = op;
  node.name = name_ + "/" + op;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.direct = std::move(direct);
  Result<Values> made = builder_.AddNode(std::move(node), names);
  if (made.ok()) return std::move(*made);
  Keep(std::move(made).TakeStatus());
  return none;
}

ElementType Steps::Wide(ElementType type) const {
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

ValueId Steps::Cast(ValueId v, ElementType to) {
  if (!ok() || type(v) == to) return v;
  return Tflite("CAST", {v}, to,
                {{"in_data_type", std::string(SchemaName(type(v)))},
                 {"out_data_type", std::string(SchemaName(to))}},
                true);
}

ValueId Steps::Binary(const char* op, ValueId a, ValueId b) {
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

ValueId Steps::Compare(const char* op, ValueId a, ValueId b) {
  ElementType wide = Wide(type(a));
  const std::string name = op;
  if (type(a) == ElementType::kBool && (name == "EQUAL" || name == "NOT_EQUAL"))
    wide = ElementType::kBool;
  return Tflite(op, {Cast(a, wide), Cast(b, wide)}, ElementType::kBool, {},
                true);
}

ValueId Steps::Logical(const char* op, ValueId a, ValueId b) {
  return Tflite(op, {a, b}, ElementType::kBool, {}, true);
}

ValueId Steps::Not(ValueId v) {
  return Tflite("LOGICAL_NOT", {v}, ElementType::kBool, {}, true);
}

ValueId Steps::Select(ValueId condition, ValueId yes, ValueId no) {
  return Tflite("SELECT_V2", {condition, yes, no}, type(yes), {}, true);
}

ValueId Steps::Reduce(const char* op, ValueId v, const Int64s& axes,
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

ValueId Steps::Reshape(ValueId v, const Dims& to) {
  if (ok() && shape(v) == to) return v;
  return Neutral("Reshape", {v}, {{"shape", to}});
}

ValueId Steps::Transpose(ValueId v, const Int64s& perm) {
  return Neutral("Transpose", {v}, {{"perm", perm}});
}

ValueId Steps::Concat(Values v, int64_t axis) {
  if (v.size() == 1) return v[0];
  return Neutral("Concat", std::move(v), {{"axis", axis}});
}

ValueId Steps::Slice(ValueId v, const Int64s& axes, const Int64s& starts,
                     const Int64s& ends, const Int64s& steps) {
  return Neutral(
      "Slice", {v},
      {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}});
}

ValueId Steps::Slice(ValueId v, int64_t axis, int64_t start, int64_t end) {
  return Slice(v, {axis}, {start}, {end}, {1});
}

ValueId Steps::Unsqueeze(ValueId v, const Int64s& axes) {
  return Neutral("Unsqueeze", {v}, {{"axes", axes}});
}

ValueId Steps::Squeeze(ValueId v, const Int64s& axes) {
  return Neutral("Squeeze", {v}, {{"axes", axes}});
}

ValueId Steps::Gather(ValueId v, ValueId indices, int64_t axis) {
  return Tflite("GATHER", {v, indices}, type(v),
                {{"axis", axis}, {"batch_dims", int64_t{0}}});
}

Values Steps::TopK(ValueId v, int64_t k, int64_t axis, bool largest) {
  const int64_t last = rank(v);
  axis = Axis(axis, last);
  if (!ok()) return {kNoValue, kNoValue};
  Int64s perm, back(static_cast<size_t>(last));
  for (int64_t i = 0; i < last; ++i)
    if (i != axis) perm.push_back(i);
  perm.push_back(axis);
  for (size_t i = 0; i < perm.size(); ++i)
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  const ElementType own = type(v), wide = Wide(own);
  v = Cast(Transpose(v, perm), wide);
  // The smallest are the largest of the negative ones.
  const auto negative = [&](ValueId x) {
    return is_float(x) ? Unary("Neg", x) : Tflite("NEG", {x}, wide, {}, true);
  };
  if (!largest) v = negative(v);
  const Values both = TfliteMany(
      "TOPK_V2", {v, Scalar(static_cast<double>(k), kI32)}, {wide, kI32}, {});
  const ValueId best = largest ? both[0] : negative(both[0]);
  return {Transpose(Cast(best, own), back),
          Transpose(Cast(both[1], kI64), back)};
}

ValueId Steps::Expand(ValueId v, const Dims& to) {
  if (ok() && shape(v) == to) return v;
  return Tflite("BROADCAST_TO", {v, List(to)}, type(v));
}

Status Steps::Finish() {
  if (status_.ok()) return {};
  Status failed = std::exchange(status_, Status());
  if (std::string(failed.message()).find(operation_) != std::string::npos)
    return failed;
  return std::move(failed).With(operation_);
}

}  // namespace munja::importer
