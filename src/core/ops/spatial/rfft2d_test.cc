#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(TestTensor input, int32_t rows, int32_t columns) {
  TestNode node;
  node.op = "RFFT2D";
  node.inputs = {std::move(input), Ints(Shape{2}, {rows, columns}).Constant()};
  node.outputs = {{ElementType::kComplex64}};
  return node;
}

// By the definition; what lies outside of the image is 0.
std::vector<float> BySum(const std::vector<float>& image, int in_rows,
                         int in_columns, int rows, int columns) {
  std::vector<float> out;
  for (int v = 0; v < rows; ++v) {
    for (int u = 0; u <= columns / 2; ++u) {
      std::complex<double> sum = 0.0;
      for (int y = 0; y < std::min(rows, in_rows); ++y)
        for (int x = 0; x < std::min(columns, in_columns); ++x)
          sum += static_cast<double>(image[y * in_columns + x]) *
                 std::polar(1.0, -2.0 * std::numbers::pi *
                                     (static_cast<double>(v) * y / rows +
                                      static_cast<double>(u) * x / columns));
      out.push_back(static_cast<float>(sum.real()));
      out.push_back(static_cast<float>(sum.imag()));
    }
  }
  return out;
}

TEST(Rfft2d, RandomInput_MatchesTheDefinition) {
  struct Case {
    int in_rows, in_columns, rows, columns;
  };
  for (const Case& c : {Case{4, 8, 4, 8}, Case{3, 5, 4, 8}, Case{9, 9, 2, 4},
                        Case{5, 5, 1, 1}, Case{1, 8, 1, 16}}) {
    const auto count = static_cast<size_t>(c.in_rows * c.in_columns);
    const std::vector<float> a = RandomFloats(count, 1);
    const std::vector<float> b = RandomFloats(count, 2);
    std::vector<float> both = a;
    both.insert(both.end(), b.begin(), b.end());
    auto want = BySum(a, c.in_rows, c.in_columns, c.rows, c.columns);
    const auto more = BySum(b, c.in_rows, c.in_columns, c.rows, c.columns);
    want.insert(want.end(), more.begin(), more.end());
    ExpectOutput<float>(
        MakeNode(Floats(Shape{2, c.in_rows, c.in_columns}, both), c.rows,
                 c.columns),
        Shape{2, c.rows, c.columns / 2 + 1}, want, 1e-5);
  }
}

TEST(Rfft2d, InvalidNodes_AreRefused) {
  const TestTensor x = Floats(Shape{2, 2}, {1, 2, 3, 4});
  ExpectRefused(MakeNode(x, 3, 4), Code::kMalformed, "power of two");
  ExpectRefused(MakeNode(x, 4, 0), Code::kMalformed, "power of two");
  ExpectRefused(MakeNode(x, 1 << 20, 1 << 20), Code::kUnsupported, "too large");
  ExpectRefused(MakeNode(Floats(Shape{4}, Count(4)), 2, 2), Code::kMalformed,
                "shape 4");
  TestNode bad = MakeNode(x, 2, 2);
  bad.outputs = {{ElementType::kFloat32}};
  ExpectRefused(bad, Code::kUnsupported, "the output is float32");
}

}  // namespace
}  // namespace munja::ops
