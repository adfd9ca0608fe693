#include "kernels/gemm/gemm_pair.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/buffer.h"
#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class GemmPairTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(GemmPairTest);

struct Case {
  size_t m, k, middle, n;
};
constexpr Case kCases[] = {{1, 1, 1, 1},      {50, 32, 64, 32},
                           {97, 48, 96, 48},  {30, 160, 320, 160},
                           {200, 5, 700, 19}, {13, 7, 0, 3}};

struct Operands {
  explicit Operands(const Case& c)
      : a(Random(c.m * c.k, 1)),
        first(Random(c.k * c.middle, 2)),
        second(Random(c.middle * c.n, 3)),
        first_bias(Random(c.middle, 4)),
        second_bias(Random(c.n, 5)),
        residual(Random(c.m * c.n, 6)) {}
  std::vector<float> a, first, second, first_bias, second_bias, residual;
};

std::vector<float> RunPair(const Case& c, const Operands& o,
                           ActivationKind middle, bool in_place, int threads) {
  const auto first =
      PackedMatrix::Pack(o.first.data(), c.k, c.middle, c.middle, 1);
  const auto second =
      PackedMatrix::Pack(o.second.data(), c.middle, c.n, c.n, 1);
  const auto bytes = GemmPairScratchBytes(c.middle, threads);
  EXPECT_TRUE(first.ok() && second.ok() && bytes.ok());
  auto scratch = Buffer::Allocate(*bytes);
  EXPECT_TRUE(scratch.ok());
  std::vector<float> out =
      in_place ? o.residual : std::vector<float>(c.m * c.n);
  ThreadPool pool(threads);
  GemmPair(o.a.data(), c.k, c.m,
           {first->view(),
            second->view(),
            {o.first_bias.data(), nullptr, {middle}},
            {o.second_bias.data(),
             in_place ? out.data() : o.residual.data(),
             {ActivationKind::kRelu}}},
           out.data(), c.n, scratch->data(), pool);
  return out;
}

// The sums of the middle err by rounding, which the second product adds up.
TEST_P(GemmPairTest, MatchesReference) {
  for (const Case& c : kCases) {
    const Operands o(c);
    for (const auto middle : {ActivationKind::kNone, ActivationKind::kGelu}) {
      const std::vector<float> got = RunPair(c, o, middle, false, 1);
      std::vector<float> want(c.m * c.n);
      reference::GemmPair(
          o.a.data(), c.k, c.m, o.first.data(), c.k, c.middle,
          {o.first_bias.data(), nullptr, {middle}}, o.second.data(), c.n,
          {o.second_bias.data(), o.residual.data(), {ActivationKind::kRelu}},
          want.data(), c.n);
      // Every one of (k + 2) (middle + 2) roundings, of numbers below k.
      const double tolerance =
          1.2e-7 * static_cast<double>((c.k + 2) * (c.middle + 2));
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(got[i], want[i], tolerance) << c.m << " at " << i;
    }
  }
}

TEST_P(GemmPairTest, SameBitsOnAnyNumberOfThreadsAndInPlace) {
  for (const Case& c : kCases) {
    const Operands o(c);
    const auto one = RunPair(c, o, ActivationKind::kGelu, false, 1);
    EXPECT_EQ(one, RunPair(c, o, ActivationKind::kGelu, false, 3));
    EXPECT_EQ(one, RunPair(c, o, ActivationKind::kGelu, true, 2));
  }
}

}  // namespace
}  // namespace munja::kernels
