#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;
using testing::Options;

// MEAN over `axes` of a convolution of `kernel` taps.
struct Squeeze {
  Squeeze(int kernel, int in, int out, const std::vector<int32_t>& axes,
          Options options = {}) {
    x = b.Input("x", {1, kDynamic, kDynamic, in});
    const ValueId w = b.Floats("w", {out, kernel, kernel, in},
                               std::vector<float>(out * kernel * kernel * in));
    options.push_back({"padding", std::string("SAME")});
    y = b.Add("y", "CONV_2D", {x, w}, options);
    const auto count = static_cast<int32_t>(axes.size());
    m = b.Add("m", "MEAN", {y, b.Ints("axes", {count}, axes)},
              {{"keep_dims", true}});
    b.Output(b.Add("z", "MUL", {y, m}));
  }
  bool IsLeft() {
    const std::string before = Listing(b.sub());
    return After(b, "commute_mean") == before;
  }
  GraphBuilder b;
  ValueId x, y, m;
};

TEST(CommuteMeanTest, MeanOfAConvolution_BecomesConvolutionOfTheMean) {
  Squeeze s(1, 4, 8, {2, 1});
  EXPECT_EQ(After(s.b, "commute_mean"),
            "y = CONV_2D(x, w) padding=\"SAME\"\n"
            "m/before = MEAN(x, axes) keep_dims=true\n"
            "m = CONV_2D(m/before, w) padding=\"SAME\"\n"
            "z = MUL(y, m)\n");
}

TEST(CommuteMeanTest, OtherPatterns_AreLeftUnchanged) {
  EXPECT_TRUE(Squeeze(3, 4, 8, {1, 2}).IsLeft());
  EXPECT_TRUE(Squeeze(1, 4, 8, {1}).IsLeft());
  EXPECT_TRUE(Squeeze(1, 4, 8, {1, 2, 3}).IsLeft());
  EXPECT_TRUE(Squeeze(1, 4, 8, {1, 2}, {{"stride_w", int64_t{2}}}).IsLeft());
  EXPECT_TRUE(Squeeze(1, 4, 8, {1, 2},
                      {{"fused_activation_function", std::string("RELU")}})
                  .IsLeft());
  // More to read than before.
  EXPECT_TRUE(Squeeze(1, 20, 8, {1, 2}).IsLeft());
}

}  // namespace
}  // namespace munja::graph
