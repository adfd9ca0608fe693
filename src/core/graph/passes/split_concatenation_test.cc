#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::DataOf;
using ::testing::ElementsAre;
using testing::GraphBuilder;
using testing::Listing;

const testing::Options kSplitChannels = {{"axis", int64_t{3}}};

TEST(SplitConcatenationTest, EachMap_GetsItsOwnConvolution) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 8});
  const ValueId y = b.Input("y", {1, kDynamic, kDynamic, 16});
  const ValueId joined = b.Add("j", "CONCATENATION", {x, y}, kSplitChannels);
  b.Output(b.Conv("c", joined, 24, 4,
                  {{"fused_activation_function", std::string("RELU")}}));
  EXPECT_EQ(After(b, "split_concatenation"),
            "c/maps_0 = CONV_2D(x, c_w/from_0, -) padding=\"SAME\"\n"
            "c = CONV_2D(y, c_w/from_8, c_b, c/maps_0) "
            "fused_activation_function=\"RELU\" has_residual=true "
            "padding=\"SAME\"\n");
}

// Channels are the last axis, counted from either end.
TEST(SplitConcatenationTest, MapsJoinedAlongChannels_AreSplit) {
  for (const int64_t axis : {0, 1, 2, 3, -1, -2, -3, -4}) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 4, 4, 8});
    const ValueId joined =
        b.Add("j", "CONCATENATION", {x, x}, {{"axis", axis}});
    b.Output(b.Conv("c", joined, 16, 4));
    EXPECT_EQ(After(b, "split_concatenation").find("CONCATENATION") !=
                  std::string::npos,
              axis != 3 && axis != -1)
        << axis;
  }
}

TEST(SplitConcatenationTest, Weights_AreCutByChannel) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 2, 2, 8});
  const ValueId joined = b.Add("j", "CONCATENATION", {x, x}, kSplitChannels);
  std::vector<float> data(2 * 16);
  std::iota(data.begin(), data.end(), 0.0f);
  const ValueId w = b.Floats("w", {2, 1, 1, 16}, data);
  b.Output(b.Add("c", "CONV_2D", {joined, w}));
  (void)After(b, "split_concatenation");
  EXPECT_THAT(
      DataOf(b.sub(), "w/from_0"),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
  EXPECT_THAT(DataOf(b.sub(), "w/from_8"),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29,
                          30, 31));
}

TEST(SplitConcatenationTest, Residual_BeginsTheSum) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 4, 4, 8});
  const ValueId r = b.Input("r", {1, 4, 4, 8});
  const ValueId joined = b.Add("j", "CONCATENATION", {x, x}, kSplitChannels);
  b.Output(b.Conv("c", joined, 16, 8, {{"has_residual", true}}));
  b.sub().nodes.back().inputs.push_back(r);
  EXPECT_EQ(After(b, "split_concatenation"),
            "c/maps_0 = CONV_2D(x, c_w/from_0, -, r) has_residual=true "
            "padding=\"SAME\"\n"
            "c = CONV_2D(x, c_w/from_8, c_b, c/maps_0) has_residual=true "
            "padding=\"SAME\"\n");
}

TEST(SplitConcatenationTest, OtherPatterns_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 4, 4, 8});
  const ValueId thin = b.Input("thin", {1, 4, 4, 4});
  // Another axis, few channels, more results than channels, a second reader.
  b.Output(b.Conv("c1",
                  b.Add("j1", "CONCATENATION", {x, x}, {{"axis", int64_t{1}}}),
                  8, 4));
  b.Output(b.Conv("c2", b.Add("j2", "CONCATENATION", {x, thin}, kSplitChannels),
                  12, 4));
  b.Output(b.Conv("c3", b.Add("j3", "CONCATENATION", {x, x}, kSplitChannels),
                  16, 32));
  const ValueId shared = b.Add("j4", "CONCATENATION", {x, x}, kSplitChannels);
  b.Output(shared);
  b.Output(b.Conv("c4", shared, 16, 4));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "split_concatenation"), before);
}

}  // namespace
}  // namespace munja::graph
