#include <gtest/gtest.h>

#include <string>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

const testing::Options kValidPadding = {{"padding", std::string("VALID")}};

TEST(FusePaddingTest, PadBeforeConvolution_IsFused) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, 8, 1});
  const ValueId p =
      b.Add("p", "PAD", {x, b.Ints("pads", {4, 2}, {0, 0, 1, 2, 3, 4, 0, 0})});
  b.Output(b.Conv("y", p, 1, 1, kValidPadding));
  EXPECT_EQ(After(b, "fuse_padding"),
            "y = CONV_2D(x, y_w, y_b) pad_bottom=2 pad_left=3 pad_right=4 "
            "pad_top=1 padding=\"EXPLICIT\"\n");
}

TEST(FusePaddingTest, PadOfPad_AddsUp) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId pads = b.Ints("pads", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0});
  const ValueId p = b.Add("p", "PADV2", {x, pads, b.Floats("zero", {}, {0})});
  b.Output(b.Conv("y", b.Add("q", "PAD", {p, pads}), 1, 1, kValidPadding));
  PassOptions options;
  ASSERT_TRUE(RunPasses(b.graph(), options).ok());
  EXPECT_EQ(Listing(b.sub()),
            "y = CONV_2D(x, y_w, y_b) pad_bottom=2 pad_left=2 pad_right=2 "
            "pad_top=2 padding=\"EXPLICIT\"\n");
}

TEST(FusePaddingTest, IntegersOfOneScale_AreFused) {
  const auto listing = [](int64_t zero_before) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 1}, ElementType::kInt8);
    const ValueId p = b.Add(
        "p", "PAD", {x, b.Ints("pads", {4, 2}, {0, 0, 1, 2, 3, 4, 0, 0})});
    const ValueId y = b.Conv("y", p, 1, 1, kValidPadding);
    b.value(x).quantization = {{0.5f}, {zero_before}, 0};
    for (const ValueId v : {p, y}) {
      b.value(v).type = ElementType::kInt8;
      b.value(v).quantization = {{0.5f}, {3}, 0};
    }
    b.Output(y);
    return After(b, "fuse_padding");
  };
  EXPECT_EQ(listing(3),
            "y = CONV_2D(x, y_w, y_b) pad_bottom=2 pad_left=3 pad_right=4 "
            "pad_top=1 padding=\"EXPLICIT\"\n");
  // The padding value is not the zero point of the input.
  EXPECT_NE(listing(4).find("PAD"), std::string::npos);
}

TEST(FusePaddingTest, OtherPadding_IsLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId pads = b.Ints("pads", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0});
  const ValueId p = b.Add("p", "PAD", {x, pads});
  b.Output(b.Conv("same", p, 1, 1));  // SAME depends on the padded size.
  b.Output(b.Add("pool", "MAX_POOL_2D", {p}, kValidPadding));
  b.Output(b.Conv("ones",
                  b.Add("q", "PADV2", {x, pads, b.Floats("one", {}, {1})}), 1,
                  1, kValidPadding));
  b.Output(b.Conv(
      "deep",
      b.Add("r", "PAD", {x, b.Ints("c", {4, 2}, {0, 0, 0, 0, 0, 0, 1, 1})}), 3,
      1, kValidPadding));
  b.Output(b.Conv(
      "crop",
      b.Add("s", "PAD", {x, b.Ints("d", {4, 2}, {0, 0, -1, 0, 0, 0, 0, 0})}), 1,
      1, kValidPadding));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fuse_padding"), before);
}

// Each of the eight numbers alone: only those of height and width can move.
TEST(FusePaddingTest, PadOfOtherDimensions_IsLeftUnchanged) {
  for (size_t i = 0; i < 8; ++i) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 1});
    std::vector<int32_t> pads(8, 0);
    pads[i] = 1;
    const ValueId p = b.Add("p", "PAD", {x, b.Ints("pads", {4, 2}, pads)});
    b.Output(b.Conv("y", p, i >= 6 ? 2 : 1, 1, kValidPadding));
    const bool stays = i < 2 || i >= 6;
    EXPECT_EQ(After(b, "fuse_padding").find("PAD(") != std::string::npos, stays)
        << "number " << i;
  }
}

}  // namespace
}  // namespace munja::graph
