#include "kernels/quant/fixed_point_functions.h"

#include <limits>

#include "kernels/quant/fixed_point.h"

namespace munja::kernels {
namespace {

constexpr int16_t kMax = std::numeric_limits<int16_t>::max();
constexpr int16_t kMin = std::numeric_limits<int16_t>::min();
constexpr int16_t kOneInQ2 = 1 << 13;

int16_t Wrap(int32_t x) { return static_cast<int16_t>(x); }

// (a + b) / 2, half away from zero.
int16_t HalfSum(int16_t a, int16_t b) {
  const int32_t sum = a + b;
  return Wrap((sum + (sum >= 0 ? 1 : -1)) / 2);
}

// x * 2^exponent, saturating; for exponents below 0 rounded half away from
// zero.
int16_t Scale(int16_t x, int exponent) {
  if (exponent <= 0)
    return static_cast<int16_t>(RoundingDivideByPowerOfTwo(x, -exponent));
  const int32_t threshold = (1 << (15 - exponent)) - 1;
  if (x > threshold) return kMax;
  if (x < -threshold) return kMin;
  return Wrap(x * (1 << exponent));
}

// exp(x) for x in [-1/4, 0): Taylor's series around -1/8. Q0.15.
int16_t ExpOfLastQuarter(int16_t a) {
  constexpr int16_t kExpOfMinusEighth = 28918, kThird = 10923;
  const int16_t x = Wrap(a + (1 << 12));
  const int16_t x2 = FixedProduct(x, x);
  const int16_t x3 = FixedProduct(x2, x);
  const int16_t x4 = FixedProduct(x2, x2);
  const int16_t cubic = FixedProduct(Wrap(Scale(x4, -2) + x3), kThird);
  const int16_t tail = Scale(Wrap(cubic + x2), -1);
  return SaturateToInt16(kExpOfMinusEighth +
                         FixedProduct(kExpOfMinusEighth, Wrap(x + tail)));
}

// exp(a) in Q0.15 for a <= 0 with that many integer bits.
int16_t ExpOfNegative(int16_t a, int integer_bits) {
  if (a == 0) return kMax;
  const int fraction = 15 - integer_bits;
  const int32_t quarter = 1 << (fraction - 2);
  const int16_t last = Wrap((a & (quarter - 1)) - quarter);
  int16_t result = ExpOfLastQuarter(Scale(last, integer_bits));
  const int32_t remainder = Wrap(last - a);
  // exp(-2^e) for e from -2 on, in Q0.15.
  constexpr int16_t kExpOfPower[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  for (int e = -2; e <= 4 && e < integer_bits; ++e) {
    if (remainder & (1 << (fraction + e)))
      result = FixedProduct(result, kExpOfPower[e + 2]);
  }
  if (integer_bits > 5 && a < -(1 << (20 - integer_bits))) return 0;
  return result;
}

// 2 / (1 + a) in Q2.13 for a in [0, 1]: Newton and Raphson's division.
int16_t TwiceReciprocalOfOnePlus(int16_t a) {
  const int16_t half_denominator = HalfSum(a, kMax);
  constexpr int16_t k48Over17 = 23130, kMinus32Over17 = -15420;
  int16_t x = Wrap(k48Over17 + FixedProduct(half_denominator, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int16_t error = Wrap(kOneInQ2 - FixedProduct(half_denominator, x));
    x = Wrap(x + Scale(FixedProduct(x, error), 2));
  }
  return x;
}

}  // namespace

int16_t FixedProduct(int16_t a, int16_t b) {
  if (a == kMin && b == kMin) return kMax;
  const int32_t product = a * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return Wrap((product + nudge) / (1 << 15));
}

int16_t FixedSigmoid(int16_t x, int integer_bits) {
  if (x == 0) return 1 << 14;
  const int16_t negative = x > 0 ? Wrap(-x) : x;
  const int16_t positive =
      Scale(TwiceReciprocalOfOnePlus(ExpOfNegative(negative, integer_bits)), 1);
  return x > 0 ? positive : Wrap(kMax - positive);
}

int16_t FixedTanh(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const int16_t negative = x > 0 ? Wrap(-x) : x;
  // exp(-2|x|): the same bits read with one integer bit more.
  const int16_t reciprocal =
      TwiceReciprocalOfOnePlus(ExpOfNegative(negative, integer_bits + 1));
  const int16_t positive = Scale(Wrap(reciprocal - kOneInQ2), 2);
  return x > 0 ? positive : Wrap(-positive);
}

}  // namespace munja::kernels
