// Gathering and scattering, priors, quantization, cubic samples and adaptive
// pooling. The expected values are worked out by hand from the definitions of
// the operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Numbers = std::vector<float>;

Attr FloatsAttr(const char* name, const std::vector<float>& values) {
  Attr a;
  a.set_name(name);
  a.set_type(static_cast<decltype(a.type())>(4));
  for (const float v : values) a.add_floats(v);
  return a;
}

// An integer parameter.
void Integers(ProgramFile& file, const std::string& name,
              std::vector<int64_t> dims, Numbers values) {
  file.Parameter(name + "_float", std::move(dims), std::move(values));
  file.Op("cast", {{"X", name + "_float"}}, {{"Out", name}},
          {IntAttr("out_dtype", 3)});
}

TEST(PaddlePlaces, MaskedSelect_ByHand) {
  ProgramFile file({2, 3});
  file.Parameter("limit", {2, 3}, {0, 0, 0, 5, 5, 5});
  file.Op("greater_than", {{"X", "x"}, {"Y", "limit"}}, {{"Out", "mask"}});
  file.Op("masked_select", {{"X", "x"}, {"Mask", "mask"}}, {{"Y", "y"}});
  EXPECT_THAT(Both(file, "y", {2, 3}, {1, -2, 3, 4, 5, 6}),
              ElementsAre(1, 3, 6));
}

TEST(PaddlePlaces, TakeAndPutAlongAxis_ByHand) {
  ProgramFile take({2, 3});
  Integers(take, "at", {2, 2}, {2, 0, 1, 1});
  take.Op("take_along_axis", {{"Input", "x"}, {"Index", "at"}},
          {{"Result", "y"}}, {IntAttr("Axis", 1)});
  EXPECT_THAT(Both(take, "y", {2, 3}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(3, 1, 5, 5));
  for (const char* reduce : {"assign", "add", "mul"}) {
    ProgramFile put({2, 3});
    Integers(put, "at", {1, 3}, {1, 0, 1});
    put.Parameter("value", {1, 3}, {10, 20, 30});
    put.Op("put_along_axis",
           {{"Input", "x"}, {"Index", "at"}, {"Value", "value"}},
           {{"Result", "y"}}, {IntAttr("Axis", 0), TextAttr("Reduce", reduce)});
    const std::string how = reduce;
    EXPECT_THAT(
        Both(put, "y", {2, 3}, {1, 2, 3, 4, 5, 6}),
        ElementsAreArray(how == "assign" ? Numbers{1, 20, 3, 10, 5, 30}
                         : how == "add"  ? Numbers{1, 22, 3, 14, 5, 36}
                                         : Numbers{1, 40, 3, 40, 5, 180}))
        << how;
  }
}

TEST(PaddlePlaces, Scatter_OverwritesOrAdds) {
  for (const bool overwrite : {true, false}) {
    ProgramFile file({3, 2});
    Integers(file, "at", {3}, {2, 0, 2});
    file.Parameter("rows", {3, 2}, {1, 2, 3, 4, 50, 60});
    file.Op("scatter", {{"X", "x"}, {"Ids", "at"}, {"Updates", "rows"}},
            {{"Out", "y"}}, {BoolAttr("overwrite", overwrite)});
    // Rows that are named begin at 0 where they are added up.
    EXPECT_THAT(Both(file, "y", {3, 2}, {7, 7, 8, 8, 9, 9}),
                ElementsAreArray(overwrite ? Numbers{3, 4, 8, 8, 50, 60}
                                           : Numbers{3, 4, 8, 8, 51, 62}));
  }
  ProgramFile sums({2, 3});
  Integers(sums, "at", {2, 2}, {1, 2, 1, 2});
  sums.Parameter("more", {2}, {10, 100});
  sums.Op("scatter_nd_add", {{"X", "x"}, {"Index", "at"}, {"Updates", "more"}},
          {{"Out", "y"}});
  EXPECT_THAT(Both(sums, "y", {2, 3}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(1, 2, 3, 4, 5, 116));
}

TEST(PaddlePlaces, TrianglesAndKron_ByHand) {
  const Numbers x = {1, 2, 3, 4, 5, 6};
  for (const bool lower : {true, false}) {
    ProgramFile file({2, 3});
    file.Op("tril_triu", {{"X", "x"}}, {{"Out", "y"}},
            {BoolAttr("lower", lower), IntAttr("diagonal", lower ? 0 : 1)});
    EXPECT_THAT(Both(file, "y", {2, 3}, x),
                ElementsAreArray(lower ? Numbers{1, 0, 0, 4, 5, 0}
                                       : Numbers{0, 2, 3, 0, 0, 6}));
  }
  ProgramFile file({1, 2});
  file.Parameter("other", {2, 2}, {1, 2, 3, 4});
  file.Op("kron", {{"X", "x"}, {"Y", "other"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 2}, {1, 10}),
              ElementsAre(1, 2, 10, 20, 3, 4, 30, 40));
}

TEST(PaddlePlaces, Linspace_ByHand) {
  ProgramFile file({1, 5});
  file.Parameter("from", {1}, {-1});
  file.Parameter("to", {1}, {1});
  Integers(file, "count", {1}, {5});
  file.Op("linspace", {{"Start", "from"}, {"Stop", "to"}, {"Num", "count"}},
          {{"Out", "line"}}, {IntAttr("dtype", 5)});
  file.Op("elementwise_add", {{"X", "x"}, {"Y", "line"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 5}, {0, 0, 0, 0, 10}),
              ElementsAre(-1, -0.5f, 0, 0.5f, 11));
}

TEST(PaddlePlaces, LocalResponse_ByHand) {
  ProgramFile file({1, 3, 1, 1});
  file.Op("lrn", {{"X", "x"}}, {{"Out", "y"}},
          {IntAttr("n", 3), FloatAttr("k", 1), FloatAttr("alpha", 1),
           FloatAttr("beta", 0.5f)});
  // 1 by the root of 1 + 1 + 4, 2 by that of 1 + 14, 3 by that of 1 + 13.
  EXPECT_THAT(Both(file, "y", {1, 1, 1, 3}, {1, 2, 3}),
              Pointwise(FloatNear(1e-6f),
                        Numbers{1 / std::sqrt(6.0f), 2 / std::sqrt(15.0f),
                                3 / std::sqrt(14.0f)}));
}

// Position 0.5 between four: -0.09375, 0.59375, 0.59375, -0.09375.
TEST(PaddleMaps, CubicResize_ByHand) {
  ProgramFile file({1, 1, 1, 4});
  file.Op("bicubic_interp_v2", {{"X", "x"}}, {{"Out", "y"}},
          {IntAttr("out_h", 1), IntAttr("out_w", 2),
           BoolAttr("align_corners", false)});
  EXPECT_THAT(Both(file, "y", {1, 1, 4, 1}, {1, 2, 4, 8}),
              Pointwise(FloatNear(1e-5f),
                        Numbers{-0.09375f + 0.59375f * 3 - 0.09375f * 4,
                                -0.09375f * 2 + 0.59375f * 12 - 0.09375f * 8}));
}

// Rows 0 1 and 1 2 of three.
TEST(PaddleMaps, AdaptivePool_OverlappingWindows) {
  ProgramFile file({1, 1, 3, 2});
  file.Op("pool2d", {{"X", "x"}}, {{"Out", "y"}},
          {IntsAttr("ksize", {2, 2}), BoolAttr("adaptive", true),
           TextAttr("pooling_type", "avg")});
  EXPECT_THAT(Both(file, "y", {1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(2, 3, 4, 5));
}

// One position of an image of 10 x 20: a square of 4, one of 4 x the root of 2
// (between 4 and 8), and two by the ratio 4.
TEST(PaddlePriors, PriorBox_ByHand) {
  for (const bool ordered : {false, true}) {
    ProgramFile file({1, 3, 10, 20});
    file.Op("pool2d", {{"X", "x"}}, {{"Out", "map"}},
            {IntsAttr("ksize", {1, 1}), BoolAttr("adaptive", true),
             TextAttr("pooling_type", "avg")});
    file.Op("prior_box", {{"Input", "map"}, {"Image", "x"}},
            {{"Boxes", "boxes"}, {"Variances", "variances"}},
            {FloatsAttr("min_sizes", {4}), FloatsAttr("max_sizes", {8}),
             FloatsAttr("aspect_ratios", {1, 4}),
             FloatsAttr("variances", {0.1f, 0.1f, 0.2f, 0.2f}),
             BoolAttr("clip", true),
             BoolAttr("min_max_aspect_ratios_order", ordered)});
    // The value computed at run time is added, multiplied by zero.
    file.Op("scale", {{"X", "map"}}, {{"Out", "none"}},
            {FloatAttr("scale", 0)});
    file.Op("reduce_sum", {{"X", "none"}}, {{"Out", "zero"}},
            {BoolAttr("reduce_all", true), BoolAttr("keep_dim", true)});
    file.Op("elementwise_add", {{"X", "boxes"}, {"Y", "zero"}}, {{"Out", "y"}});
    file.Fetch("y");
    const float s = std::sqrt(32.0f) / 2;
    const Numbers square = {0.4f, 0.3f, 0.6f, 0.7f};
    const Numbers larger = {(10 - s) / 20, (5 - s) / 10, (10 + s) / 20,
                            (5 + s) / 10};
    const Numbers wide = {0.3f, 0.4f, 0.7f, 0.6f};
    const Numbers high = {0.45f, 0.1f, 0.55f, 0.9f};
    Numbers expected;
    for (const Numbers& box :
         ordered ? std::vector<Numbers>{square, larger, wide, high}
                 : std::vector<Numbers>{square, wide, high, larger})
      expected.insert(expected.end(), box.begin(), box.end());
    EXPECT_THAT(file.Run({1, 10, 20, 3}, Numbers(600, 1)),
                Pointwise(FloatNear(1e-6f), expected));
  }
}

TEST(PaddlePriors, AnchorGenerator_ByHand) {
  ProgramFile file({1, 1, 1, 2});
  file.Op(
      "anchor_generator", {{"Input", "x"}},
      {{"Anchors", "boxes"}, {"Variances", "variances"}},
      {FloatsAttr("anchor_sizes", {32}), FloatsAttr("aspect_ratios", {1, 4}),
       FloatsAttr("stride", {16, 16}), FloatsAttr("variances", {1, 1, 1, 1})});
  file.Op("reduce_sum", {{"X", "x"}}, {{"Out", "zero"}},
          {BoolAttr("reduce_all", true), BoolAttr("keep_dim", true)});
  file.Op("elementwise_add", {{"X", "boxes"}, {"Y", "zero"}}, {{"Out", "all"}});
  file.Op("reshape2", {{"X", "all"}}, {{"Out", "y"}},
          {IntsAttr("shape", {-1, 4})});
  file.Fetch("y");
  // Middles at 7.5 and 23.5; 32 x 32 and, of the ratio 4, 16 x 64.
  EXPECT_THAT(file.Run({1, 1, 2, 1}, {0, 0}),
              ElementsAre(-8, -8, 23, 23, 0, -24, 15, 39, 8, -8, 39, 23, 16,
                          -24, 31, 39));
}

TEST(PaddlePriors, DensityPriorBox_ByHand) {
  ProgramFile file({1, 3, 8, 8});
  file.Op("pool2d", {{"X", "x"}}, {{"Out", "map"}},
          {IntsAttr("ksize", {1, 1}), BoolAttr("adaptive", true),
           TextAttr("pooling_type", "avg")});
  file.Op("density_prior_box", {{"Input", "map"}, {"Image", "x"}},
          {{"Boxes", "boxes"}, {"Variances", "variances"}},
          {FloatsAttr("fixed_sizes", {2}), FloatsAttr("fixed_ratios", {1}),
           IntsAttr("densities", {2}), BoolAttr("flatten_to_2d", true),
           FloatsAttr("variances", {0.1f, 0.1f, 0.2f, 0.2f})});
  file.Op("scale", {{"X", "map"}}, {{"Out", "none"}}, {FloatAttr("scale", 0)});
  file.Op("reduce_sum", {{"X", "none"}}, {{"Out", "zero"}},
          {BoolAttr("reduce_all", true)});
  file.Op("elementwise_add", {{"X", "boxes"}, {"Y", "zero"}}, {{"Out", "y"}});
  file.Fetch("y");
  // Middles at 2 and 6 of 8, in both directions.
  EXPECT_THAT(file.Run({1, 8, 8, 3}, Numbers(192, 1)),
              Pointwise(FloatNear(1e-6f),
                        Numbers{0.125f, 0.125f, 0.375f, 0.375f, 0.625f, 0.125f,
                                0.875f, 0.375f, 0.125f, 0.625f, 0.375f, 0.875f,
                                0.625f, 0.625f, 0.875f, 0.875f}));
}

// A prior box of 4 x 2 around (3, 2), moved by a quarter of it and stretched.
TEST(PaddlePriors, BoxCoder_EncodesAndDecodes) {
  const float two = std::log(2.0f);
  ProgramFile decode({1, 1, 4});
  decode.Parameter("prior", {1, 4}, {1, 1, 5, 3});
  decode.Parameter("variance", {1, 4}, {0.5f, 0.5f, 1, 1});
  decode.Op(
      "box_coder",
      {{"PriorBox", "prior"}, {"PriorBoxVar", "variance"}, {"TargetBox", "x"}},
      {{"OutputBox", "y"}}, {TextAttr("code_type", "decode_center_size")});
  EXPECT_THAT(Both(decode, "y", {1, 1, 4}, {0.5f, 0, two, 0}),
              Pointwise(FloatNear(1e-5f), Numbers{0, 1, 8, 3}));
  ProgramFile encode({1, 4});
  encode.Parameter("prior", {1, 4}, {1, 1, 5, 3});
  Attr variance = FloatsAttr("variance", {0.5f, 0.5f, 1, 1});
  encode.Op("box_coder", {{"PriorBox", "prior"}, {"TargetBox", "x"}},
            {{"OutputBox", "y"}},
            {TextAttr("code_type", "encode_center_size"), variance});
  EXPECT_THAT(Both(encode, "y", {1, 4}, {0, 1, 8, 3}),
              Pointwise(FloatNear(1e-6f), Numbers{0.5f, 0, two, 0}));
}

TEST(PaddlePriors, IouSimilarity_ByHand) {
  for (const bool normalized : {true, false}) {
    ProgramFile file({2, 4});
    file.Parameter("other", {1, 4}, {0, 0, 2, 2});
    file.Op("iou_similarity", {{"X", "x"}, {"Y", "other"}}, {{"Out", "y"}},
            {BoolAttr("box_normalized", normalized)});
    // 2 x 1 of 4 + 4 - 2; with a pixel more 3 x 2 of 9 + 9 - 6. Nothing.
    EXPECT_THAT(
        Both(file, "y", {2, 4}, {0, 1, 2, 3, 5, 5, 6, 6}),
        Pointwise(FloatNear(1e-6f), Numbers{normalized ? 1 / 3.0f : 0.5f, 0}));
  }
}

// Steps of 1: 127 of them are the greatest number.
ProgramFile Pair(int rounding, float other) {
  ProgramFile file({1, 6});
  file.Parameter("scale", {1}, {127});
  file.Parameter("other", {1}, {other});
  file.Parameter("zero", {1}, {0});
  const std::vector<Attr> how = {IntAttr("quant_axis", -1),
                                 IntAttr("round_type", rounding)};
  file.Op("quantize_linear",
          {{"X", "x"}, {"Scale", "scale"}, {"ZeroPoint", "zero"}}, {{"Y", "q"}},
          how);
  file.Op("dequantize_linear",
          {{"X", "q"}, {"Scale", "other"}, {"ZeroPoint", "zero"}}, {{"Y", "y"}},
          how);
  return file;
}

TEST(PaddleQuantized, QuantizeDequantizePair_IsKept) {
  const Numbers x = {-300, -1.6f, 0.2f, 1.4f, 2, 500};
  ProgramFile file = Pair(0, 127);
  EXPECT_THAT(Both(file, "y", {1, 6}, x), ElementsAre(-128, -2, 0, 1, 2, 127));
  const auto model = file.Import();
  ASSERT_TRUE(model.ok());
  std::vector<std::string> names;
  for (const graph::Node& node : model->graph.main().nodes)
    names.push_back(node.op);
  EXPECT_THAT(names, ElementsAre("QUANTIZE", "DEQUANTIZE"));
}

TEST(PaddleQuantized, TiesAndClipping_FollowTheDefinition) {
  const Numbers x = {-300, -1.5f, -0.5f, 0.5f, 2.5f, 500};
  // To the even integer; away from 0, and as far on both sides.
  ProgramFile even = Pair(0, 254);
  EXPECT_THAT(Both(even, "y", {1, 6}, x), ElementsAre(-256, -4, 0, 0, 4, 254));
  ProgramFile away = Pair(1, 127);
  EXPECT_THAT(Both(away, "y", {1, 6}, x), ElementsAre(-127, -2, -1, 1, 3, 127));
}

// Weights that a file holds as integers, with a scale for each filter.
TEST(PaddleQuantized, IntegerWeights_AreDequantized) {
  ProgramFile file({1, 1, 1, 2});
  Integers(file, "integers", {2, 1, 1, 1}, {127, -127});
  file.Parameter("scales", {2}, {0.5f, 2});
  file.Parameter("zero", {2}, {0, 0});
  file.Op("dequantize_linear",
          {{"X", "integers"}, {"Scale", "scales"}, {"ZeroPoint", "zero"}},
          {{"Y", "weights"}}, {IntAttr("quant_axis", 0)});
  file.Op("conv2d", {{"Input", "x"}, {"Filter", "weights"}}, {{"Output", "y"}},
          {IntsAttr("strides", {1, 1}), IntsAttr("paddings", {0, 0})});
  EXPECT_THAT(Both(file, "y", {1, 1, 2, 1}, {1, 10}),
              Pointwise(FloatNear(1e-5f), Numbers{0.5f, -2, 5, -20}));
}

// Quantization of the older kind: by the maximum of x, which is 4, and by a
// scale of 2 left by training: 127 steps to the scale, ties away from 0.
TEST(PaddleQuantized, OldFakeQuantize_ByHand) {
  const Numbers x = {4, -1, 0.01f, -4, 0.5f, 3};
  const auto of = [&](const char* op, const char* result,
                      std::vector<Attr> attributes) {
    ProgramFile file({2, 3});
    file.Parameter("scale", {1}, {2});
    file.Op(op, {{"X", "x"}, {"InScale", "scale"}},
            {{"Out", "y"}, {"OutScale", "s"}}, std::move(attributes));
    return Both(file, result, {2, 3}, x);
  };
  const auto near = [](const Numbers& numbers) {
    return Pointwise(FloatNear(1e-5f), numbers);
  };
  // 127 / 4: 31.75 and 0.3175 and 15.875 and 95.25.
  EXPECT_THAT(of("fake_quantize_abs_max", "y", {}),
              ElementsAre(127, -32, 0, -127, 16, 95));
  EXPECT_THAT(of("fake_quantize_abs_max", "s", {}), ElementsAre(4));
  EXPECT_THAT(of("fake_quantize_abs_max", "y", {IntAttr("bit_length", 4)}),
              ElementsAre(7, -2, 0, -7, 1, 5));
  // 7 / 4 of 2: 3.5.
  const Attr test = BoolAttr("is_test", true);
  EXPECT_THAT(of("fake_quantize_moving_average_abs_max", "y", {test}),
              ElementsAre(127, -64, 1, -127, 32, 127));
  EXPECT_THAT(
      of("fake_quantize_range_abs_max", "y", {test, IntAttr("round_type", 0)}),
      ElementsAre(127, -64, 1, -128, 32, 127));
  EXPECT_THAT(
      of("fake_quantize_dequantize_moving_average_abs_max", "y", {test}),
      near({2, -1.007874f, 0.01574803f, -2, 0.503937f, 2}));
  EXPECT_THAT(of("fake_quantize_dequantize_abs_max", "y", {}),
              near({4, -1.007874f, 0, -4, 0.503937f, 2.992126f}));
  // By rows 4 and 4; by columns 4, 1 and 3.
  EXPECT_THAT(
      of("fake_channel_wise_quantize_abs_max", "y", {IntAttr("quant_axis", 1)}),
      ElementsAre(127, -127, 0, -127, 64, 127));
  EXPECT_THAT(
      of("fake_channel_wise_quantize_abs_max", "s", {IntAttr("quant_axis", 1)}),
      ElementsAre(4, 1, 3));
  EXPECT_THAT(of("fake_channel_wise_quantize_dequantize_abs_max", "y", {}),
              near({4, -1.007874f, 0, -4, 0.503937f, 2.992126f}));

  ProgramFile training({2, 3});
  training.Parameter("scale", {1}, {2});
  training.Op("fake_quantize_moving_average_abs_max",
              {{"X", "x"}, {"InScale", "scale"}}, {{"Out", "y"}});
  training.Fetch("y");
  EXPECT_EQ(training.Import().status().code(), Code::kUnsupported);
}

TEST(PaddleQuantized, OldFakeDequantize_ByHand) {
  ProgramFile one({2, 2});
  one.Parameter("scale", {1}, {3});
  one.Op("fake_dequantize_max_abs", {{"X", "x"}, {"Scale", "scale"}},
         {{"Out", "y"}}, {FloatAttr("max_range", 6)});
  EXPECT_THAT(Both(one, "y", {2, 2}, {1, 2, -4, 0}),
              ElementsAre(0.5f, 1, -2, 0));
  // Weights by their rows; a layer's output by its channels and its input.
  for (const bool both : {false, true}) {
    ProgramFile file({2, 2});
    file.Parameter("rows", {2}, {1.27f, 12.7f});
    file.Parameter("input", {1}, {254});
    ProgramFile::Vars inputs = {{"X", "x"}, {"Scales", "rows"}};
    if (both) inputs.push_back({"Scales", "input"});
    file.Op("fake_channel_wise_dequantize_max_abs", inputs, {{"Out", "y"}},
            {IntsAttr("quant_bits", {8, 8})});
    EXPECT_THAT(
        Both(file, "y", {2, 2}, {1, 2, 3, 4}),
        Pointwise(FloatNear(1e-5f), both ? Numbers{0.02f, 0.4f, 0.06f, 0.8f}
                                         : Numbers{0.01f, 0.02f, 0.3f, 0.4f}));
  }
}

}  // namespace
}  // namespace munja::importer::paddle
