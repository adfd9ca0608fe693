// Operators that become custom ones of this library.
#include <string>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {
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

// What stands for alpha and beta where none is given.
double DefaultAlpha(const std::string& name) {
  if (name == "leakyrelu") return 0.01;
  if (name == "hardsigmoid") return 0.2;
  return 1;
}

double DefaultBeta(const std::string& name) {
  return name == "hardsigmoid" ? 0.5 : name == "affine" ? 0 : 1;
}

}  // namespace

Status GridSample(Context& context, const Operator& op) {
  Writer w(context, op);
  const std::string mode = w.Text("mode", "linear");
  graph::Attributes options;
  options.Set("mode", mode == "bilinear"  ? std::string("linear")
                      : mode == "bicubic" ? std::string("cubic")
                                          : mode);
  options.Set("padding", w.Text("padding_mode", "zeros"));
  options.Set("align_corners", w.Int("align_corners", 0));
  const ValueId y =
      w.Custom("MunjaGridSample", {w.Need(0), w.Need(1)}, kF32, options);
  return w.Done(y);
}

Status SelectBoxes(Context& context, const Operator& op) {
  Writer w(context, op);
  bool present = false;
  const Int64s most = w.Ints("max_output_boxes_per_class", 2, &present);
  graph::Attributes options;
  options.Set("most", most.empty() ? int64_t{0} : most[0]);
  options.Set("overlap", w.Number("iou_threshold", 3, 0));
  if (w.has(4)) options.Set("score", w.Number("score_threshold", 4, 0));
  options.Set("center", w.Int("center_point_box", 0));
  return w.Done(w.CustomMany("MunjaSelectBoxes", {w.Need(0), w.Need(1)}, {kI64},
                             options, {{kUnknown, 3}})[0]);
}

Status Unique(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  graph::Attributes options;
  options.Set("sorted", w.Int("sorted", 1));
  Dims shape = {kUnknown};
  if (op.attributes.Has("axis")) {
    const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
    options.Set("axis", axis);
    shape = w.shape(x);
    if (w.ok()) shape[static_cast<size_t>(axis)] = kUnknown;
  }
  const Values y =
      w.CustomMany("MunjaUnique", {x}, {w.type(x), kI64, kI64, kI64}, options,
                   {shape, {kUnknown}, {kUnknown}, {kUnknown}});
  for (size_t i = 0; i < y.size(); ++i) w.Set(i, y[i]);
  return w.Done();
}

Status RoiAlign(Context& context, const Operator& op) {
  Writer w(context, op);
  // Before set 16 there was no half.
  const std::string mode =
      w.Text("coordinate_transformation_mode",
             w.opset() < 16 ? "output_half_pixel" : "half_pixel");
  const std::string kind = w.Text("mode", "avg");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    w.Damaged("coordinate_transformation_mode ", mode);
  if (kind != "avg" && kind != "max") w.Damaged("mode ", kind);
  graph::Attributes options;
  options.Set("height", w.Int("output_height", 1));
  options.Set("width", w.Int("output_width", 1));
  options.Set("samples", w.Int("sampling_ratio", 0));
  options.Set("scale", w.Float("spatial_scale", 1));
  options.Set("half", int64_t{mode == "half_pixel"});
  options.Set("max", int64_t{kind == "max"});
  return w.Done(w.Custom("MunjaRoiAlign",
                         {w.Need(0), w.Need(1), w.Cast(w.Need(2), kI32)}, kF32,
                         options));
}

Status DeformConv(Context& context, const Operator& op) {
  Writer w(context, op);
  if (w.rank(w.Need(0)) != 4)
    w.Refuse("maps of shape ", ToString(w.shape(w.in(0))));
  graph::Attributes options;
  for (const char* name : {"strides", "dilations", "pads"})
    if (op.attributes.Has(name)) options.Set(name, w.Ints(name));
  options.Set("group", w.Int("group", 1));
  options.Set("offset_group", w.Int("offset_group", 1));
  Values inputs = {w.in(0), w.Need(1), w.Need(2), w.in(3), w.in(4)};
  while (inputs.back() == kNoValue && inputs.size() > 3) inputs.pop_back();
  return w.Done(w.Custom("MunjaDeformConv", std::move(inputs), kF32, options));
}

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
  // Numbers are given for those activations alone that take some.
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

// As .tflite's own operators say it where they can: those states are zero at
// first, and the last cell is not asked for.
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

}  // namespace munja::foreign::onnx
