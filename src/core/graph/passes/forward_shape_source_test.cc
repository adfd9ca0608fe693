#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

// STRIDED_SLICE(SHAPE(x))[from : to].
ValueId Size(GraphBuilder& b, ValueId x, int from = 1, int to = 3) {
  return b.Add("size", "STRIDED_SLICE",
               {b.Add("shape", "SHAPE", {x}), b.Ints("from", {1}, {from}),
                b.Ints("to", {1}, {to}), b.Ints("step", {1}, {1})});
}

TEST(ForwardShapeSourceTest, ImageWithSeveralReaders_SizeIsReadAtTheSource) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const ValueId half = b.Conv(
      "half", x, 4, 8, {{"stride_h", int64_t{2}}, {"stride_w", int64_t{2}}});
  const ValueId y = b.Add("y", "RELU", {b.Conv("t", half, 8, 2)});
  b.Output(b.Add("z", "RESIZE_NEAREST_NEIGHBOR", {x, Size(b, y)}));
  b.Output(y);
  b.Output(b.Add("v", "TANH", {half}));
  EXPECT_EQ(After(b, "forward_shape_source"),
            "half = CONV_2D(x, half_w, half_b) padding=\"SAME\" stride_h=2 "
            "stride_w=2\n"
            "t = CONV_2D(half, t_w, t_b) padding=\"SAME\"\n"
            "y = RELU(t)\n"
            "shape = SHAPE(half)\n"
            "size = STRIDED_SLICE(shape, from, to, step)\n"
            "z = RESIZE_NEAREST_NEIGHBOR(x, size)\n"
            "v = TANH(half)\n");
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "forward_shape_source"), before);
}

// It would only be the next that has a second reader.
TEST(ForwardShapeSourceTest, ImageWithOneReader_IsLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const ValueId y = b.Conv("y", b.Conv("one", x, 4, 4), 4, 2);
  b.Output(b.Add("z", "RESIZE_NEAREST_NEIGHBOR", {y, Size(b, y)}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "forward_shape_source"), before);
}

TEST(ForwardShapeSourceTest, OtherDimensionsAndSharedShapes_AreLeftUnchanged) {
  for (const bool is_read : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
    const ValueId y = b.Conv("y", x, 4, 2);
    b.Output(b.Add("v", "TANH", {x}));
    // With the channels.
    const ValueId size = is_read ? Size(b, y) : Size(b, y, 2, 4);
    b.Output(b.Add("z", "RESIZE_NEAREST_NEIGHBOR", {x, size}));
    if (is_read) b.Output(b.sub().nodes[2].outputs[0]);
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "forward_shape_source"), before);
  }
}

}  // namespace
}  // namespace munja::graph
