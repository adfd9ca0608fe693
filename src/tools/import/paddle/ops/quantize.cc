// Quantized networks: quantize, dequantize and both in one. Paddle keeps the
// integers as floats, and its scale is the maximum of the values.
#include <cmath>

#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

// Rounds to steps: ties to even, or away from 0.
ValueId RoundSteps(Writer& w, ValueId y, double most, int64_t rounding) {
  if (rounding == 0)
    return w.Neutral("Clip", {w.Tflite("ROUND", {y}, kF32, {}, true)},
                     {{"min", -most - 1}, {"max", most}});
  y = w.Neutral("Clip", {y}, {{"min", -most}, {"max", most}});
  const ValueId up = w.Unary("Floor", w.Add(w.Unary("Abs", y), 0.5));
  return w.Select(w.Compare("LESS", y, w.Scalar(0)), w.Unary("Neg", up), up);
}

// The largest integer of N bits.
double Most(Writer& w, int64_t bits) {
  if (bits < 2 || bits > 16) w.Damaged("bits ", bits);
  return w.ok() ? std::ldexp(1.0, static_cast<int>(bits - 1)) - 1 : 127;
}

// One scale per position along the axis, shaped for broadcasting with x.
ValueId Along(Writer& w, ValueId scales, ValueId x, int64_t axis) {
  if (!w.ok()) return kNoValue;
  Dims dims(static_cast<size_t>(w.rank(x)), 1);
  const int64_t at = w.Axis(axis, w.rank(x));
  if (!w.ok()) return kNoValue;
  dims[static_cast<size_t>(at)] = -1;
  return w.Reshape(scales, dims);
}

// One scale, or one per position along the operator's axis; and the number of
// steps per side.
struct Scheme {
  ValueId step = kNoValue;  // Shaped to go beside x.
  double one = 0;           // Not 0: the only step, a constant.
  double most = 127;        // Steps on a side.
};

Scheme ReadScheme(Writer& w, const Operation& op, ValueId x) {
  Scheme s;
  const int64_t bits = w.Given(op.attributes.Int("bit_length", 8));
  const int64_t axis = w.Given(op.attributes.Int("quant_axis", 0));
  if (w.Given(Flag(op, {"only_observer"}, false))) w.Refuse("only_observer");
  const ValueId scale = w.Need("Scale");
  if (!w.ok()) return s;
  // Integers lie around 0.
  const Tensor* zero = nullptr;
  if (w.has("ZeroPoint")) {
    zero = w.constant(w.Need("ZeroPoint"));
    if (zero == nullptr) w.Refuse("a zero point computed at run time");
  }
  if (zero != nullptr) {
    bool all = true;
    for (const float v : zero->floats) all &= v == 0;
    for (const int64_t v : zero->integers) all &= v == 0;
    if (!all) w.Refuse("a zero point that is not 0");
  }
  if (!w.ok()) return s;
  s.most = Most(w, bits);
  Dims dims;
  if (axis >= 0) {
    if (axis >= w.rank(x)) w.Damaged("quant_axis ", axis);
    if (!w.ok()) return s;
    dims.assign(static_cast<size_t>(w.rank(x)), 1);
    dims[static_cast<size_t>(axis)] = -1;
  }
  s.step = w.Reshape(w.Mul(w.Cast(scale, kF32), 1 / s.most), dims);
  const Tensor* known = w.constant(scale);
  if (axis < 0 && known != nullptr && known->elements() == 1 &&
      !known->is_integer && known->floats[0] > 0 &&
      std::isfinite(known->floats[0]))
    s.one = static_cast<double>(static_cast<float>(known->floats[0] / s.most));
  return s;
}

}  // namespace

// Quantization of the older kind, stored as floats: by a scale left by
// training, or by the maximum of the values (abs_max). Operators with
// "dequantize" in their name output the dequantized values.
Status FakeQuantize(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const double most = Most(w, w.Given(op.attributes.Int("bit_length", 8)));
  const int64_t rounding = w.Given(op.attributes.Int("round_type", 1));
  const bool is_learned = op.type.find("moving_average") != op.type.npos ||
                          op.type.find("range") != op.type.npos;
  const bool by_channel = op.type.find("channel_wise") != op.type.npos;
  if (is_learned && !w.Given(Flag(op, {"is_test"}, false)))
    w.Refuse("a scale that is learned");
  if (!w.ok()) return w.Done();
  ValueId scale, beside;
  if (is_learned) {
    scale = w.Reshape(w.Need("InScale"), {1});
    beside = w.Reshape(scale, Dims());
  } else if (by_channel) {
    const int64_t axis =
        w.Axis(w.Given(op.attributes.Int("quant_axis", 0)), w.rank(x));
    Int64s others;
    for (int64_t i = 0; i < w.rank(x); ++i)
      if (i != axis) others.push_back(i);
    scale = w.Unary("Abs", x);
    if (!others.empty()) scale = w.Reduce("REDUCE_MAX", scale, others, false);
    beside = Along(w, scale, x, axis);
  } else {
    scale =
        w.Reshape(w.Reduce("REDUCE_MAX", w.Unary("Abs", x), {}, false), {1});
    beside = w.Reshape(scale, Dims());
  }
  // Nothing is divided by 0.
  constexpr double kLeast = 1e-6;
  beside = w.Select(w.Compare("LESS_EQUAL", beside, w.Scalar(kLeast)),
                    w.Add(beside, kLeast), beside);
  const ValueId step = w.Mul(beside, 1 / most);
  ValueId y = RoundSteps(w, w.Div(x, step), most, rounding);
  if (op.type.find("dequantize") != op.type.npos) y = w.Mul(y, step);
  w.Set("OutScale", scale);
  return w.Done("Out", y);
}

Status FakeDequantize(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X"), scale = w.Need("Scale");
  const double range = w.Given(op.attributes.Float("max_range", 127));
  if (!(range > 0)) w.Damaged("max_range");
  return w.Done("Out", w.Mul(w.Mul(w.Cast(x, kF32), w.Reshape(scale, Dims())),
                             1 / range));
}

// One scale for each channel, and maybe one of the input besides.
Status FakeDequantizeChannels(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  const Values scales = w.Given(context.All(op, "Scales"));
  const Int64s bits = w.Given(op.attributes.Ints("quant_bits"));
  int64_t axis = w.Given(op.attributes.Int("quant_axis", 0));
  if (scales.empty() || scales.size() > 2) w.Damaged("no scales");
  // The channels of a layer's output come after its first axes.
  if (scales.size() == 2)
    axis = w.Given(op.attributes.Int("x_num_col_dims", 1));
  x = w.Cast(x, kF32);
  for (size_t i = 0; i < scales.size() && w.ok(); ++i) {
    const ValueId scale =
        i == 0 ? Along(w, scales[i], x, axis) : w.Reshape(scales[i], Dims());
    const double most = Most(w, i < bits.size() ? bits[i] : 8);
    x = w.Mul(x, w.Mul(scale, 1 / most));
  }
  return w.Done("Out", x);
}

Status QuantizeLinear(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t rounding = w.Given(op.attributes.Int("round_type", 0));
  if (!w.Given(Flag(op, {"is_test"}, true)))
    w.Refuse("a scale that is learned");
  const Scheme s = ReadScheme(w, op, x);
  if (!w.ok()) return w.Done();
  const ValueId y = RoundSteps(w, w.Div(x, s.step), s.most, rounding);
  if (s.one > 0 && s.most == 127 && rounding == 0)
    context.stored[y] = {x, s.one};
  return w.Done("Y", y);
}

// For values quantized with the same scale, returns the original values
// rounded: the pair tells an integer operator next to it what to compute with.
Status DequantizeLinear(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  if (!w.ok()) return w.Done();
  const Scheme s = ReadScheme(w, op, x);
  if (!w.ok()) return w.Done();
  const auto made = context.stored.find(x);
  if (made == context.stored.end() || made->second.scale != s.one)
    return w.Done("Y", w.Mul(w.Cast(x, kF32), s.step));
  ValueId& y = made->second.restored;
  if (y == kNoValue)
    y = w.Neutral(
        "FakeQuantize", {made->second.real},
        {{"scale", s.one}, {"zero", 0.0}, {"min", -128.0}, {"max", 127.0}});
  return w.Done("Y", y);
}

}  // namespace munja::importer::paddle
