// Paddle's operators that move data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/paddle/testing.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;

TEST(PaddleMovement, FlattenByShapeArithmetic_IsReshape) {
  // shape -> slice -> reshape2 with a list of tensors.
  ProgramFile file({-1, 2, 1, 1});
  file.Op("shape", {{"Input", "x"}}, {{"Out", "s"}});
  for (const int i : {0, 1}) {
    const std::string name = "n" + std::to_string(i);
    file.Op("slice", {{"Input", "s"}}, {{"Out", name}},
            {IntsAttr("axes", {0}), IntsAttr("starts", {i}),
             IntsAttr("ends", {i + 1}), IntsAttr("decrease_axis", {0})});
  }
  file.Op("reshape2",
          {{"X", "x"}, {"ShapeTensor", "n0"}, {"ShapeTensor", "n1"}},
          {{"Out", "y"}}, {IntsAttr("shape", {-1, -1})});
  file.Fetch("y");
  Dims shape;
  EXPECT_THAT(file.Run({1, 1, 1, 2}, {3, 4}, &shape), ElementsAre(3, 4));
  EXPECT_EQ(shape, (Dims{1, 2}));
}

TEST(PaddleMovement, FlattenTransposeSqueeze_ByHand) {
  ProgramFile file({-1, 2, 1, 3});
  file.Op("squeeze2", {{"X", "x"}}, {{"Out", "a"}},
          {IntsAttr("axes", {2, 3})});  // Axis 3 is not 1: it stays.
  file.Op("transpose2", {{"X", "a"}}, {{"Out", "b"}},
          {IntsAttr("axis", {0, 2, 1})});
  file.Op("unsqueeze2", {{"X", "b"}}, {{"Out", "c"}},
          {IntsAttr("axes", {0, 0})});
  file.Op("flatten_contiguous_range", {{"X", "c"}}, {{"Out", "y"}},
          {IntAttr("start_axis", 1), IntAttr("stop_axis", 3)});
  file.Fetch("y");
  Dims shape;
  EXPECT_THAT(file.Run({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6}, &shape),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(shape, (Dims{1, 3, 2}));
}

TEST(PaddleMovement, SplitWithRemainder_Concat) {
  ProgramFile file({-1, 5});
  file.Op("split", {{"X", "x"}}, {{"Out", "a"}, {"Out", "b"}},
          {IntsAttr("sections", {2, -1}), IntAttr("axis", 1)});
  file.Op("concat", {{"X", "b"}, {"X", "a"}}, {{"Out", "y"}},
          {IntAttr("axis", 1)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 5}, {1, 2, 3, 4, 5}), ElementsAre(3, 4, 5, 1, 2));
}

TEST(PaddleMovement, Slice_LastElement) {
  ProgramFile file({-1, 4});
  file.Op("slice", {{"Input", "x"}}, {{"Out", "y"}},
          {IntsAttr("axes", {1}), IntsAttr("starts", {-1}),
           IntsAttr("ends", {0}), IntsAttr("decrease_axis", {1})});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 4}, {1, 2, 3, 4}), ElementsAre(4));
}

TEST(PaddleMovement, Stack_AddsAnAxis) {
  ProgramFile file({-1, 2});
  file.Op("square", {{"X", "x"}}, {{"Out", "s"}});
  file.Op("stack", {{"X", "x"}, {"X", "s"}}, {{"Y", "y"}},
          {IntAttr("axis", 1)});
  file.Fetch("y");
  Dims shape;
  EXPECT_THAT(file.Run({1, 2}, {2, 3}, &shape), ElementsAre(2, 3, 4, 9));
  EXPECT_EQ(shape, (Dims{1, 2, 2}));
}

// Each side has another number: top, bottom, left, right.
TEST(PaddleMovement, PadUneven_OfImages) {
  ProgramFile file({-1, 1, 1, 1});
  file.Op("pad2d", {{"X", "x"}}, {{"Out", "y"}},
          {IntsAttr("paddings", {1, 0, 2, 3})});
  file.Fetch("y");
  Dims shape;
  const std::vector<float> y = file.Run({1, 1, 1, 1}, {7}, &shape);
  EXPECT_EQ(shape, (Dims{1, 2, 6, 1}));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i == 8 ? 7 : 0) << i;
}

TEST(PaddleMovement, Pad2d_EveryMode) {
  ProgramFile file({-1, 1, 1, 1});
  file.Op("pad2d", {{"X", "x"}}, {{"Out", "y"}},
          {IntsAttr("paddings", {1, 0, 0, 2}), FloatAttr("pad_value", 7)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 1, 1, 1}, {5}), ElementsAre(7, 7, 7, 5, 7, 7));
}

TEST(PaddleMovement, ArgMax_ByHand) {
  ProgramFile file({-1, 2, 3});
  file.Op("arg_max", {{"X", "x"}}, {{"Out", "a"}},
          {IntAttr("axis", -1), IntAttr("dtype", 3)});
  file.Op("cast", {{"X", "a"}}, {{"Out", "y"}},
          {IntAttr("in_dtype", 3), IntAttr("out_dtype", 5)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 2, 3}, {1, 5, 5, 9, 2, 3}), ElementsAre(1, 0));
}

TEST(PaddleMovement, Constants_OfEveryType) {
  ProgramFile file({-1, 2});
  file.Op("fill_constant", {}, {{"Out", "c"}},
          {IntsAttr("shape", {2}), FloatAttr("value", 2), IntAttr("dtype", 5)});
  Attr values;
  values.set_name("fp32_values");
  values.set_type(4);
  values.add_floats(10);
  values.add_floats(20);
  file.Op("assign_value", {}, {{"Out", "d"}},
          {IntsAttr("shape", {1, 2}), values, IntAttr("dtype", 5),
           IntsAttr("int32_values", {})});
  file.Op("elementwise_mul", {{"X", "x"}, {"Y", "c"}}, {{"Out", "a"}});
  file.Op("elementwise_add", {{"X", "a"}, {"Y", "d"}}, {{"Out", "y"}});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 2}, {1, 2}), ElementsAre(12, 24));
}

TEST(PaddleMovement, Constant_OfNineAxes_IsRefused) {
  Attr value;
  value.set_name("fp32_values");
  value.set_type(4);
  value.add_floats(10);
  ProgramFile filled({-1, 2}), assigned({-1, 2});
  filled.Op("fill_constant", {}, {{"Out", "c"}},
            {IntsAttr("shape", {1, 1, 1, 1, 1, 1, 1, 1, 1}),
             FloatAttr("value", 2), IntAttr("dtype", 5)});
  assigned.Op("assign_value", {}, {{"Out", "c"}},
              {IntsAttr("shape", {1, 1, 1, 1, 1, 1, 1, 1, 1}), value,
               IntAttr("dtype", 5)});
  for (ProgramFile* file : {&filled, &assigned}) {
    file->Op("relu", {{"X", "x"}}, {{"Out", "y"}});
    file->Fetch("y");
    const auto model = file->Import();
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.status().code(), Code::kUnsupported);
    EXPECT_THAT(std::string(model.status().message()),
                ::testing::HasSubstr("9 axes, at most 8"));
  }
}

// One channel for each position of a block; channels interleaved from two
// groups.
TEST(PaddleProgram, ShuffledChannels_ByHand) {
  const std::vector<float> eight = {0, 1, 2, 3, 4, 5, 6, 7};
  ProgramFile pixels({-1, 8, -1, -1});
  pixels.Op("pixel_shuffle", {{"X", "x"}}, {{"Out", "y"}},
            {IntAttr("upscale_factor", 2)});
  pixels.Fetch("y");
  Dims shape;
  EXPECT_THAT(pixels.Run({1, 1, 1, 8}, eight, &shape),
              ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_EQ(shape, (Dims{1, 2, 2, 2}));
  ProgramFile channels({-1, 8, -1, -1});
  channels.Op("channel_shuffle", {{"X", "x"}}, {{"Out", "y"}},
              {IntAttr("groups", 2)});
  channels.Fetch("y");
  EXPECT_THAT(channels.Run({1, 1, 1, 8}, eight),
              ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
}

TEST(PaddleProgram, TileAndExpand_ByHand) {
  const std::vector<float> x = {1, 2, 3, 4};
  Dims shape;
  ProgramFile tile({2, 2, 1});
  tile.Op("tile", {{"X", "x"}}, {{"Out", "y"}},
          {IntsAttr("repeat_times", {2, 2})});
  tile.Fetch("y");
  EXPECT_THAT(tile.Run({2, 2, 1}, x, &shape),
              ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
  EXPECT_EQ(shape, (Dims{2, 4, 2}));
  ProgramFile expand({2, 2, 1});
  expand.Op("expand_v2", {{"X", "x"}}, {{"Out", "y"}},
            {IntsAttr("shape", {-1, 2, 3})});
  expand.Fetch("y");
  EXPECT_THAT(expand.Run({2, 2, 1}, x, &shape),
              ElementsAre(1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4));
  EXPECT_EQ(shape, (Dims{2, 2, 3}));
}

// By the formula, in double.
TEST(PaddleProgram, GroupNorm_ByHand) {
  const std::vector<float> scale = {1, 2, -1, 0.5f}, bias = {0, 1, 2, 3};
  std::vector<float> x;  // [2, 3, 4]: height, width, channels.
  for (int i = 0; i < 24; ++i)
    x.push_back(std::sin(1.3f * static_cast<float>(i)) * 2 + 0.5f);
  for (const int groups : {1, 2, 4, 0}) {
    SCOPED_TRACE(groups);
    const int own = groups == 0 ? 1 : 4 / groups;
    ProgramFile file({-1, 4, -1, -1});
    file.Parameter("scale", {4}, scale);
    file.Parameter("bias", {4}, bias);
    std::vector<Attr> attributes = {FloatAttr("epsilon", 1e-3f)};
    if (groups > 0) attributes.push_back(IntAttr("groups", groups));
    file.Op(groups > 0 ? "group_norm" : "instance_norm",
            {{"X", "x"}, {"Scale", "scale"}, {"Bias", "bias"}}, {{"Y", "y"}},
            attributes);
    file.Fetch("y");
    std::vector<float> expected(x.size());
    for (size_t c = 0; c < 4; ++c) {
      const size_t first = c / static_cast<size_t>(own) * own;
      double sum = 0, squares = 0;
      for (size_t p = 0; p < 6; ++p)
        for (size_t k = first; k < first + own; ++k) {
          const double v = x[p * 4 + k];
          sum += v;
          squares += v * v;
        }
      const double mean = sum / (6 * own);
      const double deviation =
          std::sqrt(squares / (6 * own) - mean * mean + 1e-3);
      for (size_t p = 0; p < 6; ++p)
        expected[p * 4 + c] = static_cast<float>(
            (x[p * 4 + c] - mean) / deviation * scale[c] + bias[c]);
    }
    EXPECT_THAT(file.Run({1, 2, 3, 4}, x),
                ::testing::Pointwise(::testing::FloatNear(1e-5f), expected));
  }
}

TEST(PaddleProgram, ComposedActivations_ByHand) {
  const auto of = [](const char* op, std::vector<Attr> attributes,
                     std::vector<float> x) {
    ProgramFile file({-1, static_cast<int64_t>(x.size())});
    file.Op(op, {{"X", "x"}}, {{"Out", "y"}}, std::move(attributes));
    file.Fetch("y");
    return file.Run({1, static_cast<int64_t>(x.size())}, x);
  };
  const auto near = [](std::vector<double> v) {
    return ::testing::Pointwise(::testing::FloatNear(1e-5f), v);
  };
  const double soft = std::log(1 + std::exp(-2.0));
  EXPECT_THAT(of("softplus", {}, {-2, 100}), near({soft, 100}));
  EXPECT_THAT(of("softplus", {FloatAttr("beta", 2)}, {-1, 50}),
              near({soft / 2, 50}));
  EXPECT_THAT(of("mish", {}, {-2, 100}), near({-2 * std::tanh(soft), 100}));
  EXPECT_THAT(of("log_softmax", {}, {0, 2}), near({-2 + -soft, -soft}));
  ProgramFile sum({-1, 2});
  sum.Parameter("a", {2}, {10, 20});
  sum.Op("sum", {{"X", "x"}, {"X", "a"}, {"X", "x"}}, {{"Out", "y"}});
  sum.Fetch("y");
  EXPECT_THAT(sum.Run({1, 2}, {1, 2}), ElementsAre(12, 24));
}

}  // namespace
}  // namespace munja::importer::paddle
