// GELU from a table, for kernels whose results are rounded to 16 bits: x times
// the normal distribution function, which is a quadratic polynomial in each of
// 32 segments. The absolute error is below 5e-5.
#ifndef MUNJA_KERNELS_ELEMENTWISE_GELU_TABLE_H_
#define MUNJA_KERNELS_ELEMENTWISE_GELU_TABLE_H_

namespace munja::kernels {

// Segment i, of this width, lies around (i - 16) * kGeluStep.
inline constexpr float kGeluStep = 0.296875f;
// Smaller inputs are clamped to this one, where the function is 0 within the
// error.
inline constexpr float kGeluLow = -16 * kGeluStep;
// Beyond, the distribution function is 1.
inline constexpr float kGeluHigh = 15 * kGeluStep;

// c0[i] + x (c1[i] + x c2[i]).
struct GeluTable {
  alignas(64) float c0[32], c1[32], c2[32];
};

namespace gelu_table {

// (1 + erf(x / sqrt(2))) / 2 by its power series, which 80 terms bring to 1e-10
// for |x| < 5.
constexpr double NormalDistribution(double x) {
  double term = x, sum = 0;
  for (int n = 0; n < 80; ++n) {
    sum += term / (2 * n + 1);
    term *= -x * x / (2 * (n + 1));
  }
  return 0.5 + sum * 0.3989422804014327;
}

constexpr GeluTable Make() {
  GeluTable table = {};
  table.c0[31] = 1.0f;
  for (int i = 1; i < 31; ++i) {
    // Through the values at the three Chebyshev nodes of the segment.
    const double center = (i - 16) * double{kGeluStep};
    const double reach = 0.8660254037844386 * 0.5 * double{kGeluStep};
    const double below = NormalDistribution(center - reach);
    const double middle = NormalDistribution(center);
    const double above = NormalDistribution(center + reach);
    const double slope = (above - below) / (2 * reach);
    const double bend = (above + below - 2 * middle) / (2 * reach * reach);
    table.c0[i] = static_cast<float>(middle - center * (slope - center * bend));
    table.c1[i] = static_cast<float>(slope - 2 * center * bend);
    table.c2[i] = static_cast<float>(bend);
  }
  return table;
}

}  // namespace gelu_table

inline constexpr GeluTable kGeluTable = gelu_table::Make();

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_GELU_TABLE_H_
