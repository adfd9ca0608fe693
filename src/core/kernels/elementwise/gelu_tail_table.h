// GELU's tail from a table, to the precision of float32: a erfc(a / sqrt(2)) /
// 2 for 0 <= a <= kGeluTailEnd, a polynomial of degree 4 in each of 32
// segments. GELU is max(x, 0) less the tail at |x|. The absolute error is below
// 3e-8.
#ifndef MUNJA_KERNELS_ELEMENTWISE_GELU_TAIL_TABLE_H_
#define MUNJA_KERNELS_ELEMENTWISE_GELU_TAIL_TABLE_H_

namespace munja::kernels {

// Beyond, the tail is below 1e-8.
inline constexpr float kGeluTailEnd = 6.0f;
// Segment i lies around i / kGeluTailSegments.
inline constexpr float kGeluTailSegments = 31 / kGeluTailEnd;

// c[0][i] + f (c[1][i] + f (...)) with f = a kGeluTailSegments - i.
struct GeluTailTable {
  alignas(64) float c[5][32];
};

namespace gelu_tail {

// e^y for y <= 0, from the series of a 1024th of it.
constexpr double Exp(double y) {
  double term = 1, sum = 1;
  for (int n = 1; n < 12; ++n) {
    term *= y / 1024 / n;
    sum += term;
  }
  for (int i = 0; i < 10; ++i) sum *= sum;
  return sum;
}

// erfc(a / sqrt(2)) / 2: near 0 by its power series, which cancels farther out;
// there by Laplace's continued fraction (Abramowitz and Stegun, 26.2.14).
constexpr double Tail(double a) {
  constexpr double kDensityAt0 = 0.3989422804014327;  // 1 / sqrt(2 pi).
  if (a < 2) {
    double term = a, sum = 0;
    for (int n = 0; n < 60; ++n) {
      sum += term / (2 * n + 1);
      term *= -a * a / (2 * (n + 1));
    }
    return 0.5 - sum * kDensityAt0;
  }
  double fraction = 0;
  for (int n = 150; n > 0; --n) fraction = n / (a + fraction);
  return kDensityAt0 * Exp(-a * a / 2) / (a + fraction);
}

// Through the values at the five Chebyshev nodes of each segment: 0 and two
// pairs, of which sums give the even coefficients and differences the odd ones.
constexpr GeluTailTable Make() {
  constexpr double kNear = 0.29389262614623657, kFar = 0.47552825814757677;
  GeluTailTable table = {};
  for (int i = 0; i < 32; ++i) {
    const auto value = [i](double f) {
      const double a = (i + f) / double{kGeluTailSegments};
      return a * Tail(a);
    };
    const double middle = value(0);
    const auto even = [&](double f) {
      return ((value(f) + value(-f)) / 2 - middle) / (f * f);
    };
    const auto odd = [&](double f) { return (value(f) - value(-f)) / (2 * f); };
    const double squares = kFar * kFar - kNear * kNear;
    const double c4 = (even(kFar) - even(kNear)) / squares;
    const double c3 = (odd(kFar) - odd(kNear)) / squares;
    table.c[0][i] = static_cast<float>(middle);
    table.c[1][i] = static_cast<float>(odd(kNear) - c3 * kNear * kNear);
    table.c[2][i] = static_cast<float>(even(kNear) - c4 * kNear * kNear);
    table.c[3][i] = static_cast<float>(c3);
    table.c[4][i] = static_cast<float>(c4);
  }
  return table;
}

}  // namespace gelu_tail

inline constexpr GeluTailTable kGeluTailTable = gelu_tail::Make();

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_GELU_TAIL_TABLE_H_
