#include "kernels/conv/upsampled_conv.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class UpsampledConvTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(UpsampledConvTest);

// A map to be filled with numbers.
struct Part {
  int32_t channels, factor_h, factor_w;
};

struct Problem {
  Problem(const UpsampledConvShape& s, const std::vector<Part>& parts)
      : shape(s) {
    size_t all = 0;
    for (const Part& part : parts) {
      data.push_back(
          Random(static_cast<size_t>(s.batch) * (s.out_h / part.factor_h) *
                     (s.out_w / part.factor_w) * part.channels,
                 static_cast<uint32_t>(data.size() + 7)));
      all += part.channels;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      maps.push_back({data[i].data(), parts[i].channels, parts[i].factor_h,
                      parts[i].factor_w});
    }
    terms = 9 * all + 1;
    weights = Random(9 * all * s.out_c, 1);
    bias = Random(s.out_c, 2);
  }

  std::vector<float> Run(const Activation& activation, int threads,
                         bool with_bias = true) const {
    size_t all = (terms - 1) / 9, before = 0;
    std::vector<PackedUpsampledConv> packed;
    for (const UpsampledMap& map : maps) {
      auto one = PackedUpsampledConv::Pack(weights.data() + before, all,
                                           map.channels, shape.out_c);
      EXPECT_TRUE(one.ok());
      packed.push_back(std::move(*one));
      before += map.channels;
    }
    std::vector<const PackedUpsampledConv*> pointers;
    for (const PackedUpsampledConv& one : packed) pointers.push_back(&one);
    const auto bytes = UpsampledConvScratchBytes(shape, maps, threads);
    EXPECT_TRUE(bytes.ok());
    auto scratch = Buffer::Allocate(*bytes);
    EXPECT_TRUE(scratch.ok());
    ThreadPool pool(threads);
    std::vector<float> out(Size(), 77.0f);
    UpsampledConv(shape, maps, pointers, with_bias ? bias.data() : nullptr,
                  activation, out.data(), scratch->data(), pool);
    return out;
  }

  std::vector<float> Want(const Activation& activation,
                          bool with_bias = true) const {
    std::vector<float> out(Size());
    reference::UpsampledConv(shape, maps, weights.data(),
                             with_bias ? bias.data() : nullptr, activation,
                             out.data());
    return out;
  }

  size_t Size() const {
    return static_cast<size_t>(shape.batch) * shape.out_h * shape.out_w *
           shape.out_c;
  }

  UpsampledConvShape shape;
  std::vector<std::vector<float>> data;
  std::vector<UpsampledMap> maps;
  std::vector<float> weights, bias;
  size_t terms;
};

void CheckUpsampled(const UpsampledConvShape& shape,
                    const std::vector<Part>& parts,
                    const Activation& activation) {
  SCOPED_TRACE(::testing::Message()
               << shape.batch << "x" << shape.out_h << "x" << shape.out_w << "x"
               << shape.out_c << " of " << parts.size() << " maps, the first "
               << parts[0].channels << " by " << parts[0].factor_h << ", "
               << parts[0].factor_w);
  const Problem problem(shape, parts);
  const auto got = problem.Run(activation, 1), want = problem.Want(activation);
  // Additions of terms of size at most 1, in another order than the
  // reference's; the activation adds a few ulp.
  const float terms = static_cast<float>(problem.terms);
  const float tolerance =
      std::numeric_limits<float>::epsilon() * (terms * terms / 4 + 32.0f);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  EXPECT_EQ(got, problem.Run(activation, 3));
}

// One pixel, 5, becomes four; weights 1 to 9. By hand: each output pixel sees
// all four, through the kernel's corner at which it lies.
TEST_P(UpsampledConvTest, SmallCase_MatchesHandComputation) {
  Problem problem({1, 2, 2, 1}, {{1, 2, 2}});
  problem.data[0] = {5};
  problem.maps[0].data = problem.data[0].data();
  problem.weights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  problem.bias = {0.5f};
  const std::vector<float> want = {140.5f, 120.5f, 80.5f, 60.5f};
  EXPECT_EQ(problem.Run({}, 1), want);
  EXPECT_EQ(problem.Want({}), want);
  EXPECT_EQ(problem.Run({}, 1, false)[3], 60.0f);
}

TEST_P(UpsampledConvTest, EveryFactor_MatchesReference) {
  for (int32_t fy = 2; fy <= 5; ++fy) {
    for (int32_t fx = 2; fx <= 9; ++fx)
      CheckUpsampled({2, fy * 3, fx * 2, 5}, {{3, fy, fx}}, {});
    CheckUpsampled({1, fy, 3 * fy, 16}, {{4, fy, fy}}, {ActivationKind::kRelu});
    CheckUpsampled({1, 2 * fy, fy, 9}, {{4, fy, fy}}, {ActivationKind::kGelu});
  }
}

TEST_P(UpsampledConvTest, EveryWidth_MatchesReference) {
  for (int32_t out_c = 1; out_c <= 40; ++out_c)
    CheckUpsampled({1, 4, 6, out_c}, {{2, 2, 2}}, {ActivationKind::kRelu});
  // More columns than a block of the matrix product.
  CheckUpsampled({1, 4, 134, 3}, {{5, 2, 2}}, {});
}

TEST_P(UpsampledConvTest, SeveralMaps_AreAdded) {
  CheckUpsampled({2, 16, 24, 16}, {{16, 8, 8}, {16, 4, 4}, {16, 2, 2}},
                 {ActivationKind::kRelu});
  CheckUpsampled({1, 12, 12, 7}, {{1, 3, 2}, {9, 2, 3}, {3, 12, 12}}, {});
  CheckUpsampled({1, 6, 6, 3}, std::vector<Part>(kMaxUpsampledMaps, {2, 2, 3}),
                 {ActivationKind::kSigmoid});
}

TEST_P(UpsampledConvTest, RandomProblems_MatchReference) {
  std::mt19937 random(11);
  const auto below = [&](uint32_t n) {
    return static_cast<int32_t>(random() % n);
  };
  for (int i = 0; i < 40; ++i) {
    const int32_t unit_h = 1 + below(4), unit_w = 1 + below(6);
    UpsampledConvShape shape;
    shape.batch = 1 + below(2);
    shape.out_h = 24 * unit_h;
    shape.out_w = 24 * unit_w;
    shape.out_c = 1 + below(24);
    const int32_t factors[] = {2, 3, 4, 6, 8, 12, 24};
    std::vector<Part> parts(1 + below(4));
    for (Part& part : parts)
      part = {1 + below(9), factors[below(7)], factors[below(7)]};
    CheckUpsampled(
        shape, parts,
        {below(2) == 0 ? ActivationKind::kNone : ActivationKind::kRelu});
  }
}

}  // namespace
}  // namespace munja::kernels
