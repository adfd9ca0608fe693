// The ends of Paddle's detectors, arithmetic that is composed, and inputs that
// hold integers, against numbers worked out by hand or by plain loops in
// another language after the operators' definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Numbers = std::vector<float>;

Numbers Pattern(int count) {
  Numbers numbers;
  for (int i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>(i * 7 % 11) / 4 - 1);
  return numbers;
}

// Two anchors and two classes on a map of 1 x 2 of an image of 40 x 80.
Numbers Yolo(const char* what, int channels, std::vector<Attr> more) {
  ProgramFile file({1, channels, 1, 2});
  file.Parameter("size", {1, 2}, {40, 80});
  file.Op("cast", {{"X", "size"}}, {{"Out", "whole"}},
          {IntAttr("out_dtype", 2)});
  more.push_back(IntsAttr("anchors", {10, 14, 23, 27}));
  more.push_back(IntAttr("class_num", 2));
  more.push_back(IntAttr("downsample_ratio", 32));
  file.Op("yolo_box", {{"X", "x"}, {"ImgSize", "whole"}},
          {{"Boxes", "boxes"}, {"Scores", "scores"}}, std::move(more));
  // Channels last, as the converted model wants it.
  const Numbers maps = Pattern(2 * channels);
  Numbers turned;
  for (size_t at = 0; at < 2; ++at)
    for (size_t c = 0; c < maps.size() / 2; ++c)
      turned.push_back(maps[2 * c + at]);
  return Both(file, what, {1, 1, 2, channels}, turned);
}

TEST(PaddleDetection, YoloBox_ByHand) {
  const std::vector<Attr> attributes = {FloatAttr("conf_thresh", 0.5f),
                                        FloatAttr("scale_x_y", 1.05f)};
  EXPECT_THAT(
      Yolo("boxes", 14, attributes),
      Pointwise(FloatNear(1e-4f),
                {0.f, 0.f, 0.f, 0.f, 63.73469f, 22.10291f, 71.31632f, 39.f, 0.f,
                 0.f, 0.f, 0.f, 58.35302f, 14.77159f, 71.93356f, 39.f}));
  EXPECT_THAT(Yolo("scores", 14, attributes),
              Pointwise(FloatNear(1e-6f), {0.f, 0.f, 0.1966119f, 0.3200746f,
                                           0.f, 0.f, 0.5552792f, 0.2564176f}));
}

// Boxes outside of the image are not clipped, and the objectness is weighted
// with a map of overlaps.
TEST(PaddleDetection, YoloBox_IouAware) {
  const std::vector<Attr> attributes = {
      FloatAttr("conf_thresh", 0.3f), BoolAttr("clip_bbox", false),
      BoolAttr("iou_aware", true), FloatAttr("iou_aware_factor", 0.4f)};
  EXPECT_THAT(
      Yolo("boxes", 16, attributes),
      Pointwise(FloatNear(1e-4f), {21.94608f, 22.34199f, 27.85066f, 39.84199f,
                                   38.11237f, 19.26811f, 72.09089f, 25.70601f,
                                   17.19879f, 16.10008f, 27.77533f, 42.38461f,
                                   22.40098f, -55.6285f, 83.26473f, 95.6285f}));
  EXPECT_THAT(Yolo("scores", 16, attributes),
              Pointwise(FloatNear(1e-6f),
                        {0.3833371f, 0.1770179f, 0.3248509f, 0.4056595f,
                         0.4203149f, 0.17348f, 0.2891092f, 0.3759597f}));
}

TEST(PaddleDetection, YoloBox_WrongChannels_IsRefused) {
  ProgramFile file({1, 13, 1, 2});
  file.Parameter("size", {1, 2}, {40, 80});
  file.Op("yolo_box", {{"X", "x"}, {"ImgSize", "size"}},
          {{"Boxes", "boxes"}, {"Scores", "scores"}},
          {IntsAttr("anchors", {10, 14}), IntAttr("class_num", 2),
           IntAttr("downsample_ratio", 32)});
  file.Fetch("boxes");
  EXPECT_EQ(file.Import().status().code(), Code::kMalformed);
}

// The mean of a region of a linear map is the value at its center.
TEST(PaddleDetection, RoiAlign_OfLinearMap) {
  const auto of = [](std::vector<Attr> attributes) {
    ProgramFile file({1, 1, 4, 4});
    file.Parameter("regions", {2, 4}, {0, 0, 2, 2, 1, 1, 3, 2});
    file.Op("roi_align", {{"X", "x"}, {"ROIs", "regions"}}, {{"Out", "y"}},
            std::move(attributes));
    Numbers rising;
    for (int i = 0; i < 16; ++i) rising.push_back(static_cast<float>(i));
    return Both(file, "y", {1, 4, 4, 1}, rising);
  };
  EXPECT_THAT(of({}), ElementsAre(5, 8));
  EXPECT_THAT(of({BoolAttr("aligned", true)}), ElementsAre(2.5f, 5.5f));
  EXPECT_THAT(of({IntAttr("pooled_height", 2), IntAttr("sampling_ratio", 2)}),
              ElementsAre(3, 7, 7, 9));
}

// Two boxes of class 1 overlap the first, and the last one is isolated; the
// expected values were computed by plain loops in another language.
TEST(PaddleDetection, MatrixNms_DecaysScores) {
  const auto of = [](const char* what, std::vector<Attr> attributes,
                     float score = 0.25f) {
    ProgramFile file({1, 4, 4});
    file.Parameter(
        "scores", {1, 3, 4},
        {1, 1, 1, 1, 0.9f, 0.8f, 0.7f, 0.3f, 0.2f, 0.6f, 0.5f, 0.75f});
    attributes.push_back(FloatAttr("score_threshold", score));
    file.Op("matrix_nms", {{"BBoxes", "x"}, {"Scores", "scores"}},
            {{"Out", "rows"}, {"Index", "index"}, {"RoisNum", "count"}},
            std::move(attributes));
    return Both(file, what, {1, 4, 4},
                {0, 0, 10, 10, 0, 0, 10, 8, 1, 2, 11, 12, 20, 20, 30, 30},
                std::string(what) != "rows");
  };
  EXPECT_THAT(
      of("rows", {}),
      Pointwise(FloatNear(1e-5f), {1.f, 0.9f,      0.f,  0.f,  10.f, 10.f,  //
                                   2.f, 0.75f,     20.f, 20.f, 30.f, 30.f,  //
                                   2.f, 0.6f,      0.f,  0.f,  10.f, 8.f,   //
                                   1.f, 0.30625f,  1.f,  2.f,  11.f, 12.f,  //
                                   1.f, 0.3f,      20.f, 20.f, 30.f, 30.f,  //
                                   2.f, 0.285714f, 1.f,  2.f,  11.f, 12.f,  //
                                   1.f, 0.16f,     0.f,  0.f,  10.f, 8.f}));
  EXPECT_THAT(of("index", {}), ElementsAre(0, 3, 1, 2, 3, 2, 1));
  EXPECT_THAT(of("count", {}), ElementsAre(7));
  const auto scores = [&](std::vector<Attr> attributes, float score = 0.25f) {
    const Numbers rows = of("rows", std::move(attributes), score);
    Numbers column;
    for (size_t i = 1; i < rows.size(); i += 6) column.push_back(rows[i]);
    return column;
  };
  EXPECT_THAT(scores({BoolAttr("use_gaussian", true)}),
              Pointwise(FloatNear(1e-5f), {0.9f, 0.75f, 0.6f, 0.371767f,
                                           0.346285f, 0.3f, 0.22243f}));
  EXPECT_THAT(
      scores({FloatAttr("post_threshold", 0.3f), IntAttr("keep_top_k", 3)}),
      Pointwise(FloatNear(1e-5f), {0.9f, 0.75f, 0.6f}));
  EXPECT_THAT(scores({FloatAttr("post_threshold", 0.7f)}),
              Pointwise(FloatNear(1e-5f), {0.9f, 0.75f}));
  EXPECT_THAT(scores({IntAttr("nms_top_k", 2), BoolAttr("normalized", false)}),
              Pointwise(FloatNear(1e-5f), {0.9f, 0.75f, 0.6f, 0.145455f}));
  EXPECT_THAT(scores({IntAttr("background_label", -1)}, 0.65f),
              Pointwise(FloatNear(1e-5f), {1.f, 1.f, 0.9f, 0.75f, 0.4375f,
                                           0.30625f, 0.2f, 0.16f}));
}

TEST(PaddleArithmetic, Round_TiesAwayFromZero) {
  ProgramFile file({-1, 8});
  file.Op("round", {{"X", "x"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 8},
                   {0.5f, 1.5f, -0.5f, -2.5f, 0.49999997f, 8388609, 2.4f, 0}),
              ElementsAre(1, 2, -1, -3, 0, 8388609, 2, 0));
}

TEST(PaddleArithmetic, FloorDivide_ByHand) {
  const auto of = [](const char* op) {
    ProgramFile file({-1, 4});
    file.Parameter("two", {1}, {2});
    file.Op("cast", {{"X", "x"}}, {{"Out", "a"}}, {IntAttr("out_dtype", 3)});
    file.Op("cast", {{"X", "two"}}, {{"Out", "b"}}, {IntAttr("out_dtype", 3)});
    file.Op(op, {{"X", "a"}, {"Y", "b"}}, {{"Out", "y"}});
    return Both(file, "y", {1, 4}, {7, 6, -7, -1}, true);
  };
  EXPECT_THAT(of("elementwise_floordiv"), ElementsAre(3, 3, -3, 0));
  EXPECT_THAT(of("floor_divide"), ElementsAre(3, 3, -4, -1));
}

TEST(PaddleArithmetic, UnaryFunctions_ByHand) {
  const auto of = [](const char* op) {
    ProgramFile file({-1, 3});
    file.Op(op, {{"X", "x"}}, {{"Out", "y"}});
    return Both(file, "y", {1, 3}, {-3, 0, 1});
  };
  EXPECT_THAT(of("softsign"), ElementsAre(-0.75f, 0, 0.5f));
  EXPECT_THAT(of("tanh_shrink"),
              Pointwise(FloatNear(1e-5f), {-2.0049452f, 0.f, 0.2384058f}));
  EXPECT_THAT(of("selu"),
              Pointwise(FloatNear(1e-5f), {-1.6705687f, 0.f, 1.050701f}));
  EXPECT_THAT(of("brelu"), ElementsAre(0, 0, 1));
  EXPECT_THAT(
      of("logsigmoid"),
      Pointwise(FloatNear(1e-6f), {-3.0485874f, -0.6931472f, -0.3132617f}));
}

TEST(PaddleArithmetic, AxisReductions_ByHand) {
  const auto of = [](const char* op, std::vector<Attr> attributes,
                     bool is_truth = false) {
    ProgramFile file({2, 3});
    file.Op(op, {{"X", "x"}}, {{"Out", "y"}}, std::move(attributes));
    return Both(file, "y", {2, 3}, {3, 0, 2, -1, 5, 4}, is_truth);
  };
  EXPECT_THAT(of("reduce_prod", {}), ElementsAre(-3, 0, 8));
  EXPECT_THAT(of("reduce_prod", {IntsAttr("dim", {-1})}), ElementsAre(0, -20));
  EXPECT_THAT(of("reduce_all", {IntsAttr("dim", {1})}, true),
              ElementsAre(0, 1));
  EXPECT_THAT(
      of("reduce_any",
         {BoolAttr("reduce_all", true), BoolAttr("keep_dim", true)}, true),
      ElementsAre(1));
  EXPECT_THAT(of("arg_min", {IntAttr("axis", 1)}, true), ElementsAre(1, 0));
  EXPECT_THAT(
      of("arg_min", {IntAttr("axis", 0), BoolAttr("flatten", true)}, true),
      ElementsAre(3));
  EXPECT_THAT(of("argsort", {IntAttr("axis", 1)}),
              ElementsAre(0, 2, 3, -1, 4, 5));
  EXPECT_THAT(of("argsort", {IntAttr("axis", 0), BoolAttr("descending", true)}),
              ElementsAre(3, 5, 4, -1, 0, 2));
  EXPECT_THAT(of("norm", {IntAttr("axis", 0)}),
              Pointwise(FloatNear(1e-6f), {0.9486833f, 0.f, 0.4472136f,
                                           -0.3162278f, 1.f, 0.8944272f}));
}

TEST(PaddleMovement, Roll_ByHand) {
  const auto of = [](std::vector<int32_t> by, std::vector<int32_t> axes) {
    ProgramFile file({2, 3});
    file.Op("roll", {{"X", "x"}}, {{"Out", "y"}},
            {IntsAttr("shifts", by), IntsAttr("axis", axes)});
    return Both(file, "y", {2, 3}, {1, 2, 3, 4, 5, 6});
  };
  EXPECT_THAT(of({1}, {1}), ElementsAre(3, 1, 2, 6, 4, 5));
  EXPECT_THAT(of({-1, 1}, {1, 0}), ElementsAre(5, 6, 4, 2, 3, 1));
  EXPECT_THAT(of({8}, {}), ElementsAre(5, 6, 1, 2, 3, 4));
}

TEST(PaddleMovement, Pad3d_ByHand) {
  const auto of = [](const char* mode) {
    ProgramFile file({1, 1, 1, 2, 3});
    file.Op("pad3d", {{"X", "x"}}, {{"Out", "y"}},
            {IntsAttr("paddings", {1, 2, 1, 0, 0, 0}), TextAttr("mode", mode),
             FloatAttr("value", 9)});
    return Both(file, "y", {1, 1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  };
  EXPECT_THAT(of("constant"), ElementsAre(9, 9, 9, 9, 9, 9,  //
                                          9, 1, 2, 3, 9, 9,  //
                                          9, 4, 5, 6, 9, 9));
  EXPECT_THAT(of("reflect"), ElementsAre(5, 4, 5, 6, 5, 4,  //
                                         2, 1, 2, 3, 2, 1,  //
                                         5, 4, 5, 6, 5, 4));
  EXPECT_THAT(of("replicate"), ElementsAre(1, 1, 2, 3, 3, 3,  //
                                           1, 1, 2, 3, 3, 3,  //
                                           4, 4, 5, 6, 6, 6));
  EXPECT_THAT(of("circular"), ElementsAre(6, 4, 5, 6, 4, 5,  //
                                          3, 1, 2, 3, 1, 2,  //
                                          6, 4, 5, 6, 4, 5));
  ProgramFile deep({1, 1, 2, 1, 1});
  deep.Op("pad3d", {{"X", "x"}}, {{"Out", "y"}},
          {IntsAttr("paddings", {0, 0, 0, 0, 1, 2})});
  EXPECT_THAT(Both(deep, "y", {1, 1, 2, 1, 1}, {7, 8}),
              ElementsAre(0, 7, 8, 0, 0));
}

TEST(PaddleMovement, IndexSample_ByHand) {
  ProgramFile file({2, 3});
  file.Parameter("places", {2, 2}, {2, 0, 1, 1});
  file.Op("cast", {{"X", "places"}}, {{"Out", "i"}}, {IntAttr("out_dtype", 3)});
  file.Op("index_sample", {{"X", "x"}, {"Index", "i"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {2, 3}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(3, 1, 5, 5));
}

// A network on words: its input holds integers of the file's own type.
TEST(PaddleInputs, IntegerInputs_KeepTheirType) {
  for (const auto& [code, type] :
       {std::pair(2, ElementType::kInt32), std::pair(3, ElementType::kInt64)}) {
    SCOPED_TRACE(code);
    ProgramFile file({1, 3});
    file.block()
        .mutable_vars(1)
        ->mutable_type()
        ->mutable_lod_tensor()
        ->mutable_tensor()
        ->set_data_type(code);
    file.Parameter("table", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    file.Op("lookup_table_v2", {{"W", "table"}, {"Ids", "x"}}, {{"Out", "y"}},
            {IntAttr("padding_idx", 1)});
    file.Fetch("y");
    auto model = file.Import();
    ASSERT_TRUE(model.ok()) << model.status().message();
    const Tensor words = Tensor::Integers({1, 3}, {2, 1, 3}, type);
    const auto reference = RunReference(*model, std::span(&words, 1));
    ASSERT_TRUE(reference.ok()) << reference.status().message();
    EXPECT_THAT((*reference)[0].floats, ElementsAre(5, 6, 0, 0, 7, 8));
    auto session = runtime::CreateSession(
        std::make_shared<graph::Graph>(std::move(model->graph)), {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    ASSERT_EQ((*session)->inputs()[0].type, type);
    const int32_t narrow[] = {2, 1, 3};
    const int64_t wide[] = {2, 1, 3};
    TensorView view;
    view.type = type;
    view.shape = Shape{1, 3};
    const bool is_wide = type == ElementType::kInt64;
    view.data = const_cast<void*>(is_wide ? static_cast<const void*>(wide)
                                          : static_cast<const void*>(narrow));
    view.bytes = is_wide ? sizeof wide : sizeof narrow;
    const auto y = (*session)->Run({&view, 1});
    ASSERT_TRUE(y.ok()) << y.status().message();
    EXPECT_THAT(std::vector((*y)[0].as<float>(), (*y)[0].as<float>() + 6),
                ElementsAre(5, 6, 0, 0, 7, 8));
  }
}

}  // namespace
}  // namespace munja::importer::paddle
