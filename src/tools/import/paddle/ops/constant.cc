// Constants and ranges.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {

// The element type of a constant: an id in the old format, a word in the new
// one. Float by default.
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
constexpr int64_t kMaxConstantElements = 1 << 20;

// The dtype of booleans is 0 in the old format.
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
  if (count > kMaxConstantElements)
    return Unsupported(op, ": a constant of ", count, " elements");
  if (!integer)
    return Tensor::Floats(std::move(shape),
                          std::vector<float>(count, static_cast<float>(value)));
  if (!(value >= -9e18 && value <= 9e18))
    return Malformed(op, ": its value is not an integer");
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
    return Malformed(op, ": its values are not a list");
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

namespace {

// A scalar as the model stores it: a tensor of one element.
ValueId OneNumber(Writer& w, ValueId v) {
  if (w.ok() && w.rank(v) > 0) return w.Reshape(v, {});
  return v;
}

}  // namespace

// An arithmetic sequence up to a limit.
Status Range(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId start = OneNumber(w, w.Need("Start"));
  ValueId end = OneNumber(w, w.Need("End"));
  ValueId step = OneNumber(w, w.Need("Step"));
  if (!w.ok()) return w.Done();
  w.Match(&start, &end);
  w.Match(&start, &step);
  w.Match(&start, &end);
  return w.Done("Out", w.TfliteMany("RANGE", {start, end, step},
                                    {w.type(start)}, {}, {{kUnknown}})[0]);
}

// Each list along an axis of its own.
Status Meshgrid(Context& context, const Operation& op) {
  Writer w(context, op);
  const Values lists = w.Given(context.All(op, "X"));
  Dims to;
  for (const ValueId v : lists) {
    if (w.rank(v) > 1) w.Refuse("a list of shape ", ToString(w.shape(v)));
    to.push_back(w.rank(v) == 0 ? 1 : w.Static(v)[0]);
  }
  for (size_t i = 0; i < lists.size() && w.ok(); ++i) {
    Dims own(lists.size(), 1);
    own[i] = to[i];
    const ValueId grid = w.Expand(w.Reshape(lists[i], own), to);
    if (w.ok()) w.Keep(context.Bind(op, "Out", grid, i));
  }
  return w.Done();
}

// Filled with a value, in the shape of another tensor.
Status FillAnyLike(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  double value = w.Given(op.attributes.Float("value", 0));
  if (const Tensor* t = w.Given(context.Constant(op, "ValueTensor"))) {
    if (t->elements() != 1) w.Damaged("a value of several elements");
    if (w.ok())
      value = t->is_integer ? static_cast<double>(t->integers[0])
                            : static_cast<double>(t->floats[0]);
  }
  if (!w.ok()) return w.Done();
  // -1, or nothing: that of the tensor.
  const graph::AttributeValue* dtype = op.attributes.Find("dtype");
  const auto* code = dtype != nullptr ? std::get_if<int64_t>(dtype) : nullptr;
  ElementType type = w.is_float(x) ? kF32 : kI64;
  if (dtype != nullptr && (code == nullptr || *code >= 0))
    type = w.Given(IsIntegerConstant(op)) ? kI64 : kF32;
  const ValueId number = w.Scalar(value, type);
  if (IsStatic(w.shape(x))) return w.Done("Out", w.Expand(number, w.shape(x)));
  return w.Done("Out", w.TfliteMany("FILL", {w.Neutral("Shape", {x}), number},
                                    {type}, {}, {w.shape(x)})[0]);
}

// Elements above or below a diagonal of matrices become 0.
Status Triangle(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t diagonal = w.Given(op.attributes.Int("diagonal", 0));
  const bool lower = op.type == "tril_triu"
                         ? w.Given(Flag(op, {"lower"}, false))
                         : op.type == "tril";
  const Dims dims = w.Static(x);
  if (!w.ok()) return w.Done();
  if (dims.size() < 2) w.Damaged("no matrix");
  if (!w.ok()) return w.Done();
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  constexpr int64_t kMaxPlaces = 1 << 22;
  if (rows > kMaxPlaces || columns > kMaxPlaces || rows * columns > kMaxPlaces)
    w.Refuse("so large a matrix");
  if (!w.ok()) return w.Done();
  Int64s stays;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      stays.push_back(lower ? c - r <= diagonal : c - r >= diagonal);
  const ValueId mask = w.Constant(
      Tensor::Integers({rows, columns}, std::move(stays), ElementType::kBool));
  return w.Done("Out", w.Select(mask, x, w.Like(x, 0)));
}

// Evenly spaced values from the first to the last.
Status Linspace(Context& context, const Operation& op) {
  Writer w(context, op);
  const auto number = [&](const char* name) {
    const Tensor* t = w.Given(context.Constant(op, name));
    if (t == nullptr || t->elements() != 1) {
      w.Damaged(name, " is not a single value");
      return 0.0;
    }
    return t->is_integer ? static_cast<double>(t->integers[0])
                         : static_cast<double>(t->floats[0]);
  };
  const double first = number("Start"), last = number("Stop");
  const double count = number("Num");
  if (w.Given(IsIntegerConstant(op))) w.Refuse("of integers");
  if (!(count >= 1) || count > (1 << 24)) w.Damaged("Num ", count);
  if (!w.ok()) return w.Done();
  const auto n = static_cast<int64_t>(count);
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>(
        n == 1 ? first
               : first + (last - first) * static_cast<double>(i) /
                             static_cast<double>(n - 1)));
  return w.Done("Out", w.Constant(Tensor::Floats({n}, std::move(values))));
}

}  // namespace munja::importer::paddle
