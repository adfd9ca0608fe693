#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;
using testing::Options;

const Options kChannels = {{"axis", int64_t{3}}};

// x, and the pixels of its half resized to twice their size.
struct Pyramid {
  explicit Pyramid(const Options& rule = {}) {
    const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 3});
    fine = b.Conv("fine", x, 3, 16);
    coarse = b.Conv("coarse", x, 3, 8,
                    {{"stride_h", int64_t{2}}, {"stride_w", int64_t{2}}});
    size = b.Input("size", {2}, ElementType::kInt32);
    large = b.Add("large", "RESIZE_NEAREST_NEIGHBOR", {coarse, size}, rule);
  }
  ValueId Join(const Options& axis = kChannels) {
    return b.Add("joined", "CONCATENATION", {large, fine}, axis);
  }
  GraphBuilder b;
  ValueId fine, coarse, size, large;
};

std::string Unchanged(GraphBuilder& b) {
  const std::string before = Listing(b.sub());
  return After(b, "fuse_concatenation") == before ? "" : "changed";
}

TEST(FuseConcatenationTest, Convolution_ReadsTheMaps) {
  Pyramid p;
  p.b.Output(p.b.Conv("y", p.Join(), 24, 4,
                      {{"fused_activation_function", std::string("RELU")}}));
  EXPECT_EQ(After(p.b, "fuse_concatenation"),
            "fine = CONV_2D(x, fine_w, fine_b) padding=\"SAME\"\n"
            "coarse = CONV_2D(x, coarse_w, coarse_b) padding=\"SAME\" "
            "stride_h=2 stride_w=2\n"
            "y = CONCAT_CONV_2D(y_w, y_b, coarse, size, fine, -) "
            "align_corners=false channels=[8, 16] "
            "fused_activation_function=\"RELU\" half_pixel_centers=false "
            "padding=\"SAME\"\n");
}

TEST(FuseConcatenationTest, MapsOfOneChannel_AreMaps) {
  Pyramid p;
  const ValueId thin = p.b.Conv("thin", p.fine, 16, 1);
  const ValueId joined =
      p.b.Add("joined", "CONCATENATION", {p.large, thin}, kChannels);
  p.b.Output(p.b.Conv("y", joined, 9, 4));
  EXPECT_NE(After(p.b, "fuse_concatenation").find("channels=[8, 1]"),
            std::string::npos);
}

// A resized map that something else reads is there anyway.
TEST(FuseConcatenationTest, SharedResizedMaps_AreReadDirectly) {
  Pyramid p;
  const ValueId again =
      p.b.Add("again", "RESIZE_NEAREST_NEIGHBOR", {p.coarse, p.size});
  const ValueId all =
      p.b.Add("all", "CONCATENATION", {p.large, again}, kChannels);
  p.b.Output(p.b.Conv("y", all, 16, 4));
  p.b.Output(p.large);
  EXPECT_NE(After(p.b, "fuse_concatenation")
                .find("y = CONCAT_CONV_2D(y_w, y_b, large, -, coarse, size) "
                      "align_corners=false channels=[8, 8]"),
            std::string::npos);
}

TEST(FuseConcatenationTest, DifferentResizeRules_AreNotFused) {
  Pyramid p({{"half_pixel_centers", true}});
  const ValueId size = p.b.Ints("other_size", {2}, {8, 8});
  const ValueId other =
      p.b.Add("other", "RESIZE_NEAREST_NEIGHBOR", {p.coarse, size});
  const ValueId joined =
      p.b.Add("all", "CONCATENATION", {p.large, other}, kChannels);
  p.b.Output(p.b.Conv("y", joined, 16, 4));
  EXPECT_NE(
      After(p.b, "fuse_concatenation")
          .find("other = RESIZE_NEAREST_NEIGHBOR(coarse, other_size)\n"
                "y = CONCAT_CONV_2D(y_w, y_b, coarse, size, other, -) "
                "align_corners=false channels=[8, 8] half_pixel_centers=true"),
      std::string::npos);
}

TEST(FuseConcatenationTest, OtherPatterns_AreLeftUnchanged) {
  {  // Joined by rows.
    Pyramid p;
    const ValueId rows = p.Join({{"axis", int64_t{1}}});
    p.b.Output(p.b.Conv("y", rows, 24, 4));
    EXPECT_EQ(Unchanged(p.b), "");
  }
  {  // Read by another node, too.
    Pyramid p;
    const ValueId joined = p.Join();
    p.b.Output(p.b.Conv("y", joined, 24, 4));
    p.b.Output(joined);
    EXPECT_EQ(Unchanged(p.b), "");
  }
  {  // A 3x3 convolution of stride 2 reads half of the pixels: enlarging by 2
     // only repeats them.
    Pyramid p;
    p.b.Output(p.b.Conv("y", p.Join(), 24, 4,
                        {{"stride_h", int64_t{2}}, {"stride_w", int64_t{2}}}));
    EXPECT_EQ(Unchanged(p.b), "");
  }
  {  // Weights for other channels: two groups.
    Pyramid p;
    p.b.Output(p.b.Conv("y", p.Join(), 12, 4));
    EXPECT_EQ(Unchanged(p.b), "");
  }
  {  // Whatever the file claims about the channels.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, kDynamic});
    const ValueId u = b.Add("u", "SOMETHING", {x});
    b.value(u).shape = Shape{1, 8, 8, 12};
    const ValueId joined = b.Add("joined", "CONCATENATION", {u, u}, kChannels);
    b.Output(b.Conv("y", joined, 24, 4));
    EXPECT_EQ(Unchanged(b), "");
  }
  {  // The operator is not there.
    Pyramid p;
    p.b.Output(p.b.Conv("y", p.Join(), 24, 4));
    const std::string before = Listing(p.b.sub());
    PassOptions options;
    options.has_op = [](std::string_view) { return false; };
    EXPECT_EQ(After(p.b, "fuse_concatenation", options), before);
  }
}

// The same pyramid of int8, joined and convolved with stride 2.
struct QuantizedPyramid : Pyramid {
  QuantizedPyramid() {
    joined = Join();
    y = b.Conv("y", joined, 24, 4,
               {{"stride_h", int64_t{2}}, {"stride_w", int64_t{2}}});
    b.Output(y);
    for (const ValueId v : {fine, coarse, large, joined, y}) {
      b.value(v).type = ElementType::kInt8;
      b.value(v).quantization = {{0.5f}, {3}, 0};
    }
    Value& weights = b.value(b.sub().nodes.back().inputs[1]);
    weights.type = ElementType::kInt8;
    weights.quantization = {{0.5f}, {0}, 0};
  }
  ValueId joined, y;
};

TEST(FuseConcatenationTest, IntegerWindows_ReadMapsOfEqualQuantization) {
  {
    QuantizedPyramid p;
    EXPECT_NE(After(p.b, "fuse_concatenation")
                  .find("y = CONCAT_CONV_2D(y_w, y_b, coarse, size, fine, -)"),
              std::string::npos);
  }
  {  // The map as it is has another scale than what it is enlarged to.
    QuantizedPyramid p;
    p.b.value(p.coarse).quantization.scales[0] = 0.25f;
    EXPECT_NE(After(p.b, "fuse_concatenation")
                  .find("y = CONCAT_CONV_2D(y_w, y_b, large, -, fine, -)"),
              std::string::npos);
  }
  {  // One part is rescaled.
    QuantizedPyramid p;
    p.b.value(p.fine).quantization.zero_points[0] = 4;
    EXPECT_EQ(Unchanged(p.b), "");
  }
  {  // Nothing is brought into another form for a window of one pixel.
    QuantizedPyramid p;
    p.b.value(p.b.sub().nodes.back().inputs[1]).shape = Shape{4, 1, 1, 24};
    EXPECT_EQ(Unchanged(p.b), "");
  }
}

// split_concatenation sees to these.
TEST(FuseConcatenationTest, PlainMaps_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 16});
  const ValueId joined =
      b.Add("joined", "CONCATENATION", {b.Add("r", "RELU", {x}), x}, kChannels);
  b.Output(b.Conv("y", joined, 32, 8));
  EXPECT_EQ(Unchanged(b), "");
}

}  // namespace
}  // namespace munja::graph
