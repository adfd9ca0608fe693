#include "kernels/classes/rough_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "hwy/tests/hwy_gtest.h"
#include "kernels/testing.h"

namespace munja::kernels {
namespace {

class RoughScoresTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(RoughScoresTest);

// Rows of numbers and the weights of classes.
struct Layer {
  size_t m, k, n;
  std::vector<float> a, b, bias;

  Layer(size_t rows, size_t depth, size_t classes, float spread)
      : m(rows),
        k(depth),
        n(classes),
        a(Random(m * k, 1, 2.0f)),
        b(Random(n * k, 2, spread)),
        bias(Random(n, 3, 2.0f)) {}

  float* row(size_t r) { return a.data() + r * k; }
  // Changes the bias so that the score of a class in row 0 is this.
  void SetScore(size_t cls, float score) {
    double sum = 0;
    for (size_t i = 0; i < k; ++i) sum += double{a[i]} * b[cls * k + i];
    bias[cls] = static_cast<float>(score - sum);
  }
  std::optional<RoughWeights> Rough() const {
    auto made = RoughWeights::Make(b.data(), k, n, 1, k, bias.data());
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }

  std::vector<ArgMaxScore> Screened(size_t count, int threads) const {
    const auto packed = PackedMatrix::Pack(b.data(), k, n, 1, k);
    const auto rough = Rough();
    EXPECT_TRUE(packed.ok() && rough);
    ThreadPool pool(threads);
    auto scratch = Buffer::Allocate(ScreenedScratchBytes(*rough, threads));
    std::vector<ArgMaxScore> out(m * count);
    ScreenedArgMaxScore(a.data(), k, m, packed->view(), bias.data(), *rough,
                        count, out.data(), scratch->data(), pool);
    return out;
  }
  std::vector<ArgMaxScore> Twin(size_t count) const {
    std::vector<ArgMaxScore> out(m * count);
    std::vector<float> scores(n);
    reference::LinearArgMaxScore(a.data(), k, m, b.data(), k, n, 1, k,
                                 bias.data(), scores.data(), count, out.data());
    return out;
  }
};

void ExpectClose(const std::vector<ArgMaxScore>& got,
                 const std::vector<ArgMaxScore>& want,
                 float tolerance = 2e-4f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].index, want[i].index) << i;
    if (std::isnan(want[i].probability)) {
      EXPECT_TRUE(std::isnan(got[i].probability)) << i;
    } else {
      EXPECT_NEAR(got[i].probability, want[i].probability,
                  tolerance * want[i].probability)
          << i;
    }
  }
}

void ExpectSameBits(const std::vector<ArgMaxScore>& got,
                    const std::vector<ArgMaxScore>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].index, want[i].index) << i;
    EXPECT_EQ(got[i].probability, want[i].probability) << i;
  }
}

TEST_P(RoughScoresTest, RandomRows_MatchReference) {
  struct Case {
    size_t m, k, n;
    float spread;  // From flat rows to such with a single choice.
  };
  for (const Case& c : {Case{1, 80, 2772, 0.7f}, Case{50, 80, 2772, 0.4f},
                        Case{97, 80, 513, 0.2f}, Case{13, 7, 2772, 2.0f},
                        Case{60, 64, 6906, 0.02f}, Case{25, 3, 769, 3.0f},
                        Case{0, 4, 600, 1}}) {
    SCOPED_TRACE(::testing::Message() << c.m << "x" << c.k << "x" << c.n);
    const Layer layer(c.m, c.k, c.n, c.spread);
    for (const size_t count : {size_t{1}, size_t{3}, kMostBest}) {
      const auto got = layer.Screened(count, 1);
      ExpectClose(got, layer.Twin(count));
      ExpectSameBits(layer.Screened(count, 3), got);
    }
  }
}

TEST_P(RoughScoresTest, SingleRow_GivesTheSameBits) {
  Layer layer(70, 80, 2772, 0.4f);
  const auto all = layer.Screened(kMostBest, 1);
  layer.a.erase(layer.a.begin(), layer.a.end() - 80);
  layer.m = 1;
  ExpectSameBits(layer.Screened(kMostBest, 1),
                 {all.end() - kMostBest, all.end()});
}

// The last choices are just above the ten thousandth part of the best one that
// makes a choice, by less than products of bytes are off.
TEST_P(RoughScoresTest, LikelyClasses_AreNeverLost) {
  for (size_t at = 0; at < 700; at += 47) {
    Layer layer(1, 80, 2772, 0.4f);
    for (size_t c = 0; c < layer.n; ++c) layer.SetScore(c, -30.0f);
    layer.SetScore(at, 2.0f);
    for (size_t i = 1; i < kMostBest; ++i)
      layer.SetScore(at + 411 * i,
                     2.0f - 9.2f + 0.003f * static_cast<float>(i));
    const auto got = layer.Screened(kMostBest, 1);
    ExpectClose(got, layer.Twin(kMostBest));
    EXPECT_GT(got.back().probability, 0.0f);
  }
}

// A share that no single class has, but all together.
TEST_P(RoughScoresTest, ManyUnlikelyClasses_Count) {
  for (const float below :
       {9.5f, 10.5f, 11.0f, 11.2f, 14.0f, 16.0f, 17.0f, 25.0f, 80.0f}) {
    SCOPED_TRACE(below);
    Layer layer(1, 80, 2772, 0.4f);
    for (size_t c = 0; c < layer.n; ++c) layer.SetScore(c, 3.0f - below);
    layer.SetScore(7, 3.0f);
    ExpectClose(layer.Screened(2, 1), layer.Twin(2), 5e-5f);
  }
}

TEST_P(RoughScoresTest, ValuesOfAllMagnitudes_AreBounded) {
  const float inf = std::numeric_limits<float>::infinity();
  Layer layer(8, 20, 600, 1.0f);
  layer.row(1)[3] = NAN;
  layer.row(2)[5] = inf;
  layer.row(3)[19] = -inf;
  layer.row(4)[0] = 1e4f;
  for (size_t i = 0; i < layer.k; ++i) layer.row(5)[i] = 0.0f;
  for (size_t i = 0; i < layer.k; ++i) layer.row(6)[i] = 1e-30f;
  ExpectClose(layer.Screened(3, 1), layer.Twin(3));
}

TEST_P(RoughScoresTest, UnhelpfulBounds_AreNotUsed) {
  EXPECT_TRUE(Layer(1, 20, 600, 1.0f).Rough());
  EXPECT_FALSE(Layer(1, 20, 40, 1.0f).Rough());
  for (const float odd : {NAN, std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    Layer layer(1, 20, 600, 1.0f);
    layer.b[777] = odd;
    EXPECT_FALSE(layer.Rough());
    layer.b[777] = 1.0f;
    EXPECT_TRUE(layer.Rough());
    layer.bias[99] = odd;
    EXPECT_FALSE(layer.Rough());
  }
}

}  // namespace
}  // namespace munja::kernels
