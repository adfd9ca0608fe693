#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "import/paddle/writer.h"

namespace munja::foreign::paddle {

// The element type of a constant: a number in the old format, a word in the
// new one. Floats when nothing is said.
Result<bool> IsIntegerConstant(const Operation& op) {
  const graph::AttributeValue* v = op.attributes.Find("dtype");
  if (v == nullptr) return false;
  if (const auto* number = std::get_if<int64_t>(v)) {
    const auto raw = *number >= 0 && *number < 64
                         ? ToRawType(static_cast<int32_t>(*number))
                         : std::nullopt;
    if (raw) return !IsFloat(*raw);
  } else if (const auto* text = std::get_if<std::string>(v)) {
    return text->find("float") == std::string::npos;
  }
  return Unsupported(op, ": this element type");
}

namespace {

// The constants of a program are settings; weights come from the other file.
constexpr int64_t kMostElements = 1 << 20;

// Of truth values: 0 in the old format.
bool IsTruth(const Operation& op) {
  const graph::AttributeValue* v = op.attributes.Find("dtype");
  if (v == nullptr) return false;
  const auto* number = std::get_if<int64_t>(v);
  const auto* text = std::get_if<std::string>(v);
  return number != nullptr ? *number == 0 : text != nullptr && *text == "bool";
}

Result<Tensor> Filled(const Operation& op, Dims shape, double value,
                      bool integer) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(shape).With(op));
  if (count > kMostElements)
    return Unsupported(op, ": a constant of ", count, " elements");
  if (!integer)
    return Tensor::Floats(std::move(shape),
                          std::vector<float>(count, static_cast<float>(value)));
  if (!(value >= -9e18 && value <= 9e18))
    return Malformed(op, ": its value is no integer");
  return Tensor::Integers(
      std::move(shape),
      std::vector<int64_t>(count, static_cast<int64_t>(value)),
      IsTruth(op) ? ElementType::kBool : ElementType::kInt64);
}

Result<double> FillValue(const Operation& op) {
  // The text is exact where it is given.
  MUNJA_ASSIGN_OR_RETURN(const std::string text,
                         op.attributes.Text("str_value", ""));
  if (text.empty()) return op.attributes.Float("value", 0);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0)
    return Malformed(op, ": its value is '", text, "'");
  return value;
}

}  // namespace

Status FillConstant(Context& context, const Operation& op) {
  bool present = false;
  MUNJA_ASSIGN_OR_RETURN(Dims shape,
                         context.Ints(op, {"ShapeTensor", "ShapeTensorList"},
                                      {"shape"}, &present));
  MUNJA_ASSIGN_OR_RETURN(const bool integer, IsIntegerConstant(op));
  if (op.inputs.contains("ValueTensor")) {
    Writer w(context, op);
    const ValueId value = w.Reshape(w.Need("ValueTensor"), Dims());
    const ElementType type = IsTruth(op) ? ElementType::kBool
                             : integer   ? kI64
                                         : kF32;
    return w.Done("Out", w.Expand(w.Cast(value, type), shape));
  }
  MUNJA_ASSIGN_OR_RETURN(const double value, FillValue(op));
  MUNJA_ASSIGN_OR_RETURN(Tensor t,
                         Filled(op, std::move(shape), value, integer));
  return context.Bind(op, "Out",
                      context.builder.AddConstant(op.name, std::move(t)));
}

// One size is that of the batch: the first states of recurrent networks.
Status FillLike(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId like, context.One(op, "Input"));
  MUNJA_ASSIGN_OR_RETURN(Dims shape, op.attributes.Ints("shape"));
  MUNJA_ASSIGN_OR_RETURN(int64_t from, op.attributes.Int("input_dim_idx", 0));
  MUNJA_ASSIGN_OR_RETURN(int64_t to, op.attributes.Int("output_dim_idx", 0));
  const Dims& given = context.ShapeOf(like);
  MUNJA_ASSIGN_OR_RETURN(from, NormalizeAxis(from, given.size()).With(op));
  MUNJA_ASSIGN_OR_RETURN(to, NormalizeAxis(to, shape.size()).With(op));
  if (given[from] < 0) return Unsupported(op, ": a batch that is not known");
  shape[to] = given[from];
  MUNJA_ASSIGN_OR_RETURN(const double value, FillValue(op));
  MUNJA_ASSIGN_OR_RETURN(const bool integer, IsIntegerConstant(op));
  MUNJA_ASSIGN_OR_RETURN(Tensor t,
                         Filled(op, std::move(shape), value, integer));
  return context.Bind(op, "Out",
                      context.builder.AddConstant(op.name, std::move(t)));
}

Result<Tensor> ListedValues(const Operation& op, bool integer) {
  const graph::AttributeValue* found = nullptr;
  for (const char* name :
       {"fp32_values", "fp64_values", "fp16_values", "int32_values",
        "int64_values", "bool_values", "values", "value"}) {
    const graph::AttributeValue* v = op.attributes.Find(name);
    if (v == nullptr) continue;
    const auto* ints = std::get_if<std::vector<int64_t>>(v);
    const auto* floats = std::get_if<std::vector<double>>(v);
    if ((ints != nullptr && !ints->empty()) ||
        (floats != nullptr && !floats->empty()) || found == nullptr)
      found = v;
  }
  if (found == nullptr) return Malformed(op, " has no values");
  Tensor t;
  t.is_integer = integer;
  if (integer) t.type = ElementType::kInt64;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(found)) {
    if (integer)
      t.integers = *ints;
    else
      t.floats.assign(ints->begin(), ints->end());
  } else if (const auto* floats = std::get_if<std::vector<double>>(found)) {
    if (integer) return Malformed(op, ": its values are no integers");
    t.floats.assign(floats->begin(), floats->end());
  } else {
    return Malformed(op, ": its values are no list");
  }
  const int64_t count = static_cast<int64_t>(t.elements());
  t.shape = {count};
  if (op.attributes.Has("shape")) {
    MUNJA_ASSIGN_OR_RETURN(t.shape, op.attributes.Ints("shape"));
    MUNJA_ASSIGN_OR_RETURN(const int64_t want, CountElements(t.shape).With(op));
    if (want != count)
      return Malformed(op, ": ", count, " values for shape ",
                       ToString(t.shape));
  }
  return t;
}

Status AssignValue(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const bool integer, IsIntegerConstant(op));
  MUNJA_ASSIGN_OR_RETURN(Tensor t, ListedValues(op, integer));
  if (IsTruth(op)) t.type = ElementType::kBool;
  return context.Bind(op, "Out",
                      context.builder.AddConstant(op.name, std::move(t)));
}

}  // namespace munja::foreign::paddle
