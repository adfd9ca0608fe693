// Recurrent layers.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

using Ints = std::vector<int64_t>;

// Absent or all zero, as the neutral operator begins.
Status NeedZero(const Context& context, const Operator& op, size_t input,
                const char* what) {
  const ValueId id = op.input(input);
  if (id == kNoValue) return {};
  const Tensor* t = context.builder.constant(id);
  if (t == nullptr) return Unsupported(op, ": ", what, " computed at run time");
  for (const float v : t->floats)
    if (v != 0) return Unsupported(op, ": ", what, " is not zero");
  return {};
}

// Y_h [directions, batch, hidden] of [steps, batch, directions * hidden]: the
// output of each direction at its last step.
Result<ValueId> LastStep(Context& context, const Operator& op, ValueId y,
                         int64_t directions, bool reverse) {
  const int64_t hidden = context.ShapeOf(y).back() / directions;
  std::vector<ValueId> parts;
  for (int64_t d = 0; d < directions; ++d) {
    const bool backward = d == 1 || reverse;
    graph::Attributes slice, axis;
    slice.Set("axes", Ints{0, 2});
    slice.Set("starts", Ints{backward ? 0 : -1, d * hidden});
    slice.Set("ends", Ints{backward ? 1 : INT64_MAX, (d + 1) * hidden});
    slice.Set("steps", Ints{1, 1});
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId part,
        context.Step(op, "last", "Slice", {y}, std::move(slice)));
    parts.push_back(part);
  }
  if (directions == 1) return parts[0];
  graph::Attributes axis;
  axis.Set("axis", int64_t{0});
  return context.Step(op, "both", "Concat", std::move(parts), std::move(axis));
}

}  // namespace

bool HasDefaultActivations(const Operator& op) {
  const auto* given = op.Texts("activations");
  if (given == nullptr) return true;
  constexpr std::string_view kStandard[] = {"sigmoid", "tanh", "tanh"};
  for (size_t i = 0; i < given->size(); ++i) {
    std::string name = (*given)[i];
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (name != kStandard[i % 3]) return false;
  }
  return true;
}

Status Lstm(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const std::string direction,
                         op.attributes.Text("direction", "forward"));
  MUNJA_ASSIGN_OR_RETURN(const int64_t layout, op.attributes.Int("layout", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t coupled,
                         op.attributes.Int("input_forget", 0));
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return Malformed(op, ": direction ", direction);
  for (const char* name : {"clip", "activation_alpha", "activation_beta"})
    if (op.attributes.Has(name)) return Unsupported(op, ": ", name);
  if (layout != 0 || coupled != 0)
    return Unsupported(op, ": layout or input_forget");
  if (!HasDefaultActivations(op)) return Unsupported(op, ": activations");
  if (op.input(4) != kNoValue) return Unsupported(op, ": lengths of sequences");
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 5, "the first state"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 6, "the first cell"));
  MUNJA_RETURN_IF_ERROR(NeedZero(context, op, 7, "a peephole"));
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < 4; ++i) {
    const ValueId id = op.input(i);
    if (id == kNoValue && i < 3) return Malformed(op, " lacks input ", i);
    if (id == kNoValue) continue;
    if (i > 0 && context.builder.constant(id) == nullptr)
      return Unsupported(op, ": weights computed at run time");
    inputs.push_back(id);
  }
  graph::Attributes a;
  a.Set("reverse", int64_t{direction == "reverse"});
  const Dims weights = context.ShapeOf(inputs[1]);
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId y,
      context.Step(op, "sequence", "LSTM", std::move(inputs), std::move(a)));
  const int64_t directions = weights[0];
  if (op.outputs.size() > 1 && !op.outputs[1].empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId last,
        LastStep(context, op, y, directions, direction == "reverse"));
    context.builder.Rename(last, op.outputs[1]);
    MUNJA_RETURN_IF_ERROR(context.Bind(op, 1, last));
  }
  if (op.outputs[0].empty()) return {};
  // [steps, batch, directions * hidden] -> [steps, directions, batch, hidden].
  graph::Attributes apart, turned;
  apart.Set("shape",
            Ints{0, 0, directions, context.ShapeOf(y).back() / directions});
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId parts,
      context.Step(op, "directions", "Reshape", {y}, std::move(apart)));
  turned.Set("perm", Ints{0, 2, 1, 3});
  return context.Emit(op, "Transpose", {parts}, std::move(turned));
}

namespace {

std::string LowerCase(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::vector<double> Numbers(const Operator& op, const char* name) {
  const graph::AttributeValue* v = op.attributes.Find(name);
  if (v == nullptr) return {};
  if (const auto* d = std::get_if<std::vector<double>>(v)) return *d;
  return {};
}

// The default alpha and beta of each activation.
double DefaultAlpha(const std::string& name) {
  if (name == "leakyrelu") return 0.01;
  if (name == "hardsigmoid") return 0.2;
  return 1;
}

double DefaultBeta(const std::string& name) {
  return name == "hardsigmoid" ? 0.5 : name == "affine" ? 0 : 1;
}

}  // namespace

// RNN, GRU, and LSTM in forms for which .tflite has no operator.
Status AnyRecurrent(Context& context, const Operator& op) {
  Writer w(context, op);
  const std::string direction = LowerCase(w.Text("direction", "forward"));
  const bool lstm = op.type == "LSTM", gru = op.type == "GRU";
  const bool batch_first = w.Int("layout", 0) != 0;
  const size_t functions = lstm ? 3 : gru ? 2 : 1;
  const size_t directions = direction == "bidirectional" ? 2 : 1;
  graph::Attributes options;
  options.Set("kind", op.type);
  options.Set("reverse", int64_t{direction == "reverse"});
  options.Set("clip", w.Float("clip", 0));
  options.Set("linear_before_reset", w.Int("linear_before_reset", 0));
  options.Set("coupled", w.Int("input_forget", 0));
  std::vector<std::string> names;
  if (const auto* given = op.Texts("activations")) names = *given;
  if (names.empty())
    for (size_t i = 0; i < directions * functions; ++i)
      names.emplace_back(op.type != "RNN" && i % functions == 0 ? "sigmoid"
                                                                : "tanh");
  if (names.size() != directions * functions)
    w.Damaged(names.size(), " activations");
  // Parameters are given only for activations that take some.
  const std::vector<double> alpha = Numbers(op, "activation_alpha");
  const std::vector<double> beta = Numbers(op, "activation_beta");
  std::vector<double> alphas, betas;
  std::string text;
  size_t next = 0;
  for (const std::string& given : names) {
    const std::string name = LowerCase(given);
    text += (text.empty() ? "" : " ") + name;
    const bool takes = name == "affine" || name == "leakyrelu" ||
                       name == "thresholdedrelu" || name == "scaledtanh" ||
                       name == "hardsigmoid" || name == "elu";
    alphas.push_back(takes && next < alpha.size() ? alpha[next]
                                                  : DefaultAlpha(name));
    betas.push_back(takes && next < beta.size() ? beta[next]
                                                : DefaultBeta(name));
    if (takes) ++next;
  }
  options.Set("activations", std::move(text));
  options.Set("alpha", std::move(alphas));
  options.Set("beta", std::move(betas));
  ValueId x = w.Need(0);
  if (batch_first) x = w.Transpose(x, {1, 0, 2});
  const auto state = [&](size_t i) {
    if (!w.has(i)) return kNoValue;
    return batch_first ? w.Transpose(w.in(i), {1, 0, 2}) : w.in(i);
  };
  const ValueId lengths =
      w.has(4) ? w.Cast(w.in(4), ElementType::kInt32) : kNoValue;
  Values inputs = {x, w.Need(1), w.Need(2), w.in(3), lengths, state(5)};
  if (lstm) {
    inputs.push_back(state(6));
    inputs.push_back(w.in(7));
  }
  while (inputs.back() == kNoValue && inputs.size() > 3) inputs.pop_back();
  const Values y =
      w.CustomMany("MunjaRecurrent", inputs, {kF32, kF32, kF32}, options);
  w.Set(0, batch_first ? w.Transpose(y[0], {2, 0, 1, 3}) : y[0]);
  w.Set(1, batch_first ? w.Transpose(y[1], {1, 0, 2}) : y[1]);
  if (lstm) w.Set(2, batch_first ? w.Transpose(y[2], {1, 0, 2}) : y[2]);
  return w.Done();
}

// As .tflite's own operators where possible: the initial states are zero and
// the last cell state is not used.
Status LstmAny(Context& context, const Operator& op) {
  const auto zero = [&](size_t i) {
    const ValueId v = op.input(i);
    if (v == kNoValue) return true;
    const Tensor* t = context.builder.constant(v);
    if (t == nullptr) return false;
    for (const float f : t->floats)
      if (f != 0) return false;
    return true;
  };
  const auto is = [&](const char* name, int64_t value) {
    const Result<int64_t> r = op.attributes.Int(name, 0);
    return r.ok() && *r == value;
  };
  bool constant = true;
  for (size_t i = 1; i < 4; ++i)
    constant = constant && (op.input(i) == kNoValue ||
                            context.builder.constant(op.input(i)) != nullptr);
  const bool plain =
      constant && is("layout", 0) && is("input_forget", 0) &&
      !op.attributes.Has("clip") && !op.attributes.Has("activation_alpha") &&
      !op.attributes.Has("activation_beta") && op.input(4) == kNoValue &&
      zero(5) && zero(6) && zero(7) && HasDefaultActivations(op) &&
      (op.outputs.size() < 3 || op.outputs[2].empty() ||
       !context.IsRead(op.outputs[2]));
  return plain ? Lstm(context, op) : AnyRecurrent(context, op);
}

}  // namespace munja::importer::onnx
