// Networks that were quantized: integers and what they stand for. Paddle keeps
// the integers as floats, and its scale is the greatest number there is.
#include <cmath>
#include <string>
#include <vector>

#include "import/paddle/writer.h"

namespace munja::foreign::paddle {
namespace {

// One scale, or one for each place along the operator's axis; by how many steps
// there are on a side.
struct Scheme {
  ValueId step = kNoValue;  // Shaped to go beside x.
  double one = 0;           // Not 0: the only step, a constant.
  double most = 127;        // Steps on a side.
};

Scheme ReadScheme(Writer& w, const Operation& op, ValueId x) {
  Scheme s;
  const int64_t bits = w.Given(op.attributes.Int("bit_length", 8));
  const int64_t axis = w.Given(op.attributes.Int("quant_axis", 0));
  if (bits < 2 || bits > 16) w.Damaged("bit_length " + std::to_string(bits));
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
  s.most = std::ldexp(1.0, static_cast<int>(bits - 1)) - 1;
  Dims dims;
  if (axis >= 0) {
    if (axis >= w.rank(x)) w.Damaged("quant_axis " + std::to_string(axis));
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

Status QuantizeLinear(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  const int64_t rounding = w.Given(op.attributes.Int("round_type", 0));
  if (!w.Given(Flag(op, {"is_test"}, true)))
    w.Refuse("a scale that is learned");
  const Scheme s = ReadScheme(w, op, x);
  if (!w.ok()) return w.Done();
  ValueId y = w.Div(x, s.step);
  if (rounding == 0) {  // Halves go to the even integer.
    y = w.Neutral("Clip", {w.Tflite("ROUND", {y}, kF32, {}, true)},
                  {{"min", -s.most - 1}, {"max", s.most}});
  } else {  // Halves go away from 0.
    y = w.Neutral("Clip", {y}, {{"min", -s.most}, {"max", s.most}});
    const ValueId up = w.Unary("Floor", w.Add(w.Unary("Abs", y), 0.5));
    y = w.Select(w.Compare("LESS", y, w.Scalar(0)), w.Unary("Neg", up), up);
  }
  if (s.one > 0 && s.most == 127 && rounding == 0)
    context.stored[y] = {x, s.one};
  return w.Done("Y", y);
}

// Of what was stored by the same scale these numbers, rounded: the pair says
// what an integer operator beside it computes with.
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

}  // namespace munja::foreign::paddle
