// Paddle's operators that compare and choose, against numbers worked out by
// hand and plain loops: by the importer's own executor, and converted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Numbers = std::vector<float>;

TEST(PaddleSelect, Compare_ElementWise) {
  const auto of = [](const char* op) {
    ProgramFile file({-1, 3});
    file.Parameter("limit", {3}, {1, 2, 3});
    file.Op(op, {{"X", "x"}, {"Y", "limit"}}, {{"Out", "y"}});
    return Both(file, "y", {1, 3}, {2, 2, 2}, true);
  };
  EXPECT_THAT(of("equal"), ElementsAre(0, 1, 0));
  EXPECT_THAT(of("not_equal"), ElementsAre(1, 0, 1));
  EXPECT_THAT(of("less_than"), ElementsAre(0, 0, 1));
  EXPECT_THAT(of("less_equal"), ElementsAre(0, 1, 1));
  EXPECT_THAT(of("greater_than"), ElementsAre(1, 0, 0));
  EXPECT_THAT(of("greater_equal"), ElementsAre(1, 1, 0));
}

// The axis says where a smaller operand lies.
TEST(PaddleSelect, Compare_AlignedByAxis) {
  ProgramFile file({-1, 2, 3});
  file.Parameter("limit", {2}, {1, 10});
  file.Op("greater_than", {{"X", "x"}, {"Y", "limit"}}, {{"Out", "y"}},
          {IntAttr("axis", 1)});
  EXPECT_THAT(Both(file, "y", {1, 2, 3}, {0, 1, 2, 9, 10, 11}, true),
              ElementsAre(0, 0, 1, 0, 0, 1));
}

TEST(PaddleSelect, Logical_ByHand) {
  const auto of = [](const char* op) {
    ProgramFile file({-1, 4});
    file.Parameter("zero", {1}, {0});
    file.Parameter("one", {1}, {1});
    file.Op("greater_than", {{"X", "x"}, {"Y", "zero"}}, {{"Out", "a"}});
    file.Op("less_than", {{"X", "x"}, {"Y", "one"}}, {{"Out", "b"}});
    if (std::string(op) == "logical_not")
      file.Op(op, {{"X", "a"}}, {{"Out", "y"}});
    else
      file.Op(op, {{"X", "a"}, {"Y", "b"}}, {{"Out", "y"}});
    return Both(file, "y", {1, 4}, {-1, 0, 0.5f, 2}, true);
  };
  EXPECT_THAT(of("logical_and"), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(of("logical_or"), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(of("logical_xor"), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(of("logical_not"), ElementsAre(1, 1, 0, 0));
}

TEST(PaddleSelect, Where_ByHand) {
  ProgramFile file({-1, 3});
  file.Parameter("zero", {1}, {0});
  file.Parameter("other", {1}, {7});
  file.Op("less_than", {{"X", "x"}, {"Y", "zero"}}, {{"Out", "c"}});
  file.Op("where", {{"Condition", "c"}, {"X", "other"}, {"Y", "x"}},
          {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 3}, {-1, 2, -3}), ElementsAre(7, 2, 7));
}

// Truth values count as numbers once they are cast.
TEST(PaddleSelect, Booleans_AreCast) {
  ProgramFile file({-1, 3});
  file.Parameter("zero", {1}, {0});
  file.Op("greater_than", {{"X", "x"}, {"Y", "zero"}}, {{"Out", "c"}});
  file.Op("cast", {{"X", "c"}}, {{"Out", "n"}}, {IntAttr("out_dtype", 3)});
  file.Op("elementwise_add", {{"X", "n"}, {"Y", "n"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 3}, {1, -1, 2}, true), ElementsAre(2, 0, 2));
}

TEST(PaddleSelect, TopK_BothEnds) {
  const auto of = [](const char* op, const char* what, std::vector<Attr> a) {
    ProgramFile file({2, 3});
    file.Op(op, {{"X", "x"}}, {{"Out", "v"}, {"Indices", "i"}}, std::move(a));
    return Both(file, what, {2, 3}, {5, 1, 4, 2, 6, 3}, *what == 'i');
  };
  EXPECT_THAT(of("top_k", "v", {IntAttr("k", 2)}), ElementsAre(5, 4, 6, 3));
  EXPECT_THAT(of("top_k", "i", {IntAttr("k", 2)}), ElementsAre(0, 2, 1, 2));
  EXPECT_THAT(of("top_k_v2", "v", {IntAttr("axis", 0)}), ElementsAre(5, 6, 4));
  EXPECT_THAT(of("top_k_v2", "i", {IntAttr("axis", 0)}), ElementsAre(0, 1, 0));
  EXPECT_THAT(
      of("top_k_v2", "v", {IntAttr("k", 2), BoolAttr("largest", false)}),
      ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(
      of("top_k_v2", "i", {IntAttr("k", 2), BoolAttr("largest", false)}),
      ElementsAre(1, 2, 0, 2));
}

// A detector's end: of class 1 the second box lies on the first; class 0 is the
// background.
struct Detections {
  std::vector<Attr> attributes;
  Numbers boxes = {0, 0, 10, 10, 0, 0, 10, 8, 20, 20, 30, 30};

  Numbers Run(const char* what) const {
    const auto pictures = static_cast<int64_t>(boxes.size() / 12);
    ProgramFile file({pictures, 3, 4});
    Numbers scores;
    for (int64_t i = 0; i < pictures; ++i)
      scores.insert(scores.end(),
                    {1, 1, 1, 0.9f, 0.8f, 0.3f, 0.2f, 0.6f, 0.7f});
    file.Parameter("scores", {pictures, 3, 3}, scores);
    file.Op("multiclass_nms3", {{"BBoxes", "x"}, {"Scores", "scores"}},
            {{"Out", "rows"}, {"Index", "index"}, {"NmsRoisNum", "count"}},
            attributes);
    return Both(file, what, {pictures, 3, 4}, boxes,
                std::string(what) != "rows");
  }
};

TEST(PaddleSelect, MulticlassNms_PerClass) {
  const Detections d{
      {FloatAttr("score_threshold", 0.25f), FloatAttr("nms_threshold", 0.5f)}};
  EXPECT_THAT(d.Run("rows"),
              ElementsAreArray(Numbers{1, 0.9f, 0,  0,  10, 10,  //
                                       1, 0.3f, 20, 20, 30, 30,  //
                                       2, 0.7f, 20, 20, 30, 30,  //
                                       2, 0.6f, 0,  0,  10, 8}));
  EXPECT_THAT(d.Run("index"), ElementsAre(0, 2, 2, 1));
  EXPECT_THAT(d.Run("count"), ElementsAre(4));
}

// Two of each class compete, two of all stay.
TEST(PaddleSelect, MulticlassNms_KeepTopK) {
  const Detections d{{FloatAttr("score_threshold", 0.25f),
                      FloatAttr("nms_threshold", 0.5f), IntAttr("nms_top_k", 2),
                      IntAttr("keep_top_k", 2)}};
  EXPECT_THAT(d.Run("rows"),
              ElementsAreArray(Numbers{1, 0.9f, 0, 0, 10, 10,  //
                                       2, 0.7f, 20, 20, 30, 30}));
  EXPECT_THAT(d.Run("index"), ElementsAre(0, 2));
  EXPECT_THAT(d.Run("count"), ElementsAre(2));
}

TEST(PaddleSelect, MulticlassNms_OfSeveralImages) {
  Detections d{
      {FloatAttr("score_threshold", 0.65f), FloatAttr("nms_threshold", 0.5f)}};
  // In the second image nothing overlaps.
  d.boxes.insert(d.boxes.end(), {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  EXPECT_THAT(d.Run("index"), ElementsAre(0, 2, 3, 4, 5));
  EXPECT_THAT(d.Run("count"), ElementsAre(2, 3));
}

// The last pixel is inside where boxes are not normalized: half of the first
// box is the second instead of four ninths.
TEST(PaddleSelect, MulticlassNms_PixelBoxes) {
  const auto kept = [](bool normalized) {
    Detections d{{FloatAttr("score_threshold", 0.75f),
                  FloatAttr("nms_threshold", 0.47f),
                  BoolAttr("normalized", normalized)}};
    d.boxes = {0, 0, 9, 9, 0, 0, 9, 4, 20, 20, 30, 30};
    return d.Run("index");
  };
  EXPECT_THAT(kept(true), ElementsAre(0, 1));
  EXPECT_THAT(kept(false), ElementsAre(0));
}

TEST(PaddleSelect, MulticlassNms_OtherForms_AreRefused) {
  for (const bool list : {false, true}) {
    ProgramFile file({1, 3, 4});
    file.Parameter("scores", {1, 1, 3}, {1, 1, 1});
    file.Parameter("counts", {1}, {3});
    ProgramFile::Vars inputs = {{"BBoxes", "x"}, {"Scores", "scores"}};
    if (list) inputs.push_back({"RoisNum", "counts"});
    file.Op("multiclass_nms3", inputs, {{"Out", "y"}},
            {FloatAttr("nms_eta", list ? 1 : 0.5f)});
    file.Fetch("y");
    const auto made = file.Import();
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), Code::kUnsupported)
        << made.status().message();
  }
}

// The older operator encodes "no box" differently, unless it outputs indices,
// too.
TEST(PaddleSelect, MulticlassNms2_WithoutIndex_IsRefused) {
  for (const bool places : {false, true}) {
    ProgramFile file({1, 3, 4});
    file.Parameter("scores", {1, 1, 3}, {0, 0, 0});
    ProgramFile::Vars outputs = {{"Out", "y"}};
    if (places) outputs.push_back({"Index", "i"});
    file.Op("multiclass_nms2", {{"BBoxes", "x"}, {"Scores", "scores"}}, outputs,
            {IntAttr("background_label", -1), FloatAttr("score_threshold", 1)});
    file.Fetch("y");
    Dims shape;
    if (!places) {
      EXPECT_EQ(file.Import().status().code(), Code::kUnsupported);
      continue;
    }
    EXPECT_THAT(file.Run({1, 3, 4}, std::vector<float>(12), &shape),
                ::testing::IsEmpty());
    EXPECT_EQ(shape, (Dims{0, 6}));
  }
}

TEST(PaddleSelect, GatherNd_Elements) {
  ProgramFile file({2, 3});
  file.Op("top_k_v2", {{"X", "x"}}, {{"Out", "v"}, {"Indices", "i"}},
          {IntAttr("axis", 0)});  // [1, 3]: 1, 0, 1.
  file.Op("transpose2", {{"X", "i"}}, {{"Out", "rows"}},
          {IntsAttr("axis", {1, 0})});
  file.Op("gather_nd", {{"X", "x"}, {"Index", "rows"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {2, 3}, {1, 5, 3, 2, 4, 6}),
              ElementsAre(2, 4, 6, 1, 5, 3, 2, 4, 6));
}

// Places that the run finds out.
TEST(PaddleSelect, IndexSelect_Rows) {
  for (const bool column : {false, true}) {
    ProgramFile file({3, 2});
    file.Op("top_k_v2", {{"X", "x"}}, {{"Out", "v"}, {"Indices", "i"}},
            {IntAttr("axis", 0)});  // [1, 2]: 2, 0.
    file.Op("reshape2", {{"X", "i"}}, {{"Out", "rows"}},
            {IntsAttr("shape", column ? std::vector<int32_t>{2, 1}
                                      : std::vector<int32_t>{2})});
    file.Op(column ? "gather" : "index_select", {{"X", "x"}, {"Index", "rows"}},
            {{"Out", "y"}});
    EXPECT_THAT(Both(file, "y", {3, 2}, {1, 9, 3, 4, 5, 6}),
                ElementsAre(5, 6, 1, 9));
  }
}

TEST(PaddleSelect, Range_ByHand) {
  ProgramFile file({1, 2});
  for (const auto& [name, value] :
       {std::pair{"start", 1.0f}, {"end", 6.0f}, {"step", 2.0f}})
    file.Op("fill_constant", {}, {{"Out", name}},
            {IntsAttr("shape", {1}), FloatAttr("value", value),
             IntAttr("dtype", 5)});
  file.Op("range", {{"Start", "start"}, {"End", "end"}, {"Step", "step"}},
          {{"Out", "columns"}});
  file.Op("reshape2", {{"X", "x"}}, {{"Out", "rows"}},
          {IntsAttr("shape", {2})});
  file.Op("meshgrid", {{"X", "rows"}, {"X", "columns"}},
          {{"Out", "a"}, {"Out", "b"}});
  file.Op("elementwise_add", {{"X", "a"}, {"Y", "b"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 2}, {10, 20}),
              ElementsAre(11, 13, 15, 21, 23, 25));
}

TEST(PaddleSelect, Unbind_DropsTheAxis) {
  for (const char* op : {"unstack", "unbind"}) {
    const char* output = std::string(op) == "unbind" ? "Out" : "Y";
    ProgramFile file({2, 3});
    file.Op(op, {{"X", "x"}}, {{output, "a"}, {output, "b"}, {output, "c"}},
            {IntAttr("axis", 1)});
    file.Op("elementwise_sub", {{"X", "c"}, {"Y", "a"}}, {{"Out", "y"}});
    EXPECT_THAT(Both(file, "y", {2, 3}, {1, 2, 9, 4, 5, 6}), ElementsAre(8, 2));
  }
}

TEST(PaddleSelect, MoreOperators_ByHand) {
  const auto of = [](const char* op, std::vector<Attr> attributes,
                     const char* output = "Out") {
    ProgramFile file({2, 3});
    file.Op(op, {{"X", "x"}}, {{output, "y"}}, std::move(attributes));
    return Both(file, "y", {2, 3}, {3, -4, 0, 1, 2, -2});
  };
  EXPECT_THAT(of("flip", {IntsAttr("axis", {0, -1})}),
              ElementsAre(-2, 2, 1, 0, -4, 3));
  EXPECT_THAT(of("cumsum", {}), ElementsAre(3, -1, -1, 1, 3, 1));
  EXPECT_THAT(of("cumsum", {IntAttr("axis", 0), BoolAttr("reverse", true)}),
              ElementsAre(4, -2, -2, 1, 2, -2));
  EXPECT_THAT(of("cumsum", {BoolAttr("flatten", true)}),
              ElementsAre(3, -1, -1, 0, 2, 0));
  EXPECT_THAT(of("p_norm", {}), ElementsAre(5, 3));
  EXPECT_THAT(of("p_norm", {FloatAttr("porder", 1), IntAttr("axis", 0)}),
              ElementsAre(4, 6, 2));
  EXPECT_THAT(of("sign", {}), ElementsAre(1, -1, 0, 1, 1, -1));
  EXPECT_THAT(of("fill_any_like", {FloatAttr("value", 7)}),
              ElementsAre(7, 7, 7, 7, 7, 7));
}

// The rest takes the sign of the divisor.
TEST(PaddleSelect, Modulo_SignOfDivisor) {
  ProgramFile file({1, 4});
  file.Parameter("by", {4}, {3, 3, -3, 2.5f});
  file.Op("elementwise_mod", {{"X", "x"}, {"Y", "by"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 4}, {7, -7, 7, 6}), ElementsAre(1, 2, -2, 1));
}

TEST(PaddleSelect, OneHot_ByHand) {
  ProgramFile file({1, 3});
  file.Op("top_k_v2", {{"X", "x"}}, {{"Out", "v"}, {"Indices", "i"}},
          {IntAttr("k", 2)});
  file.Op("one_hot_v2", {{"X", "i"}}, {{"Out", "y"}}, {IntAttr("depth", 4)});
  EXPECT_THAT(Both(file, "y", {1, 3}, {5, 1, 9}),
              ElementsAre(0, 0, 1, 0, 1, 0, 0, 0));
}

TEST(PaddleSelect, ExpandAs_ByHand) {
  ProgramFile file({1, 3});
  file.Parameter("like", {2, 3}, {1, 2, 3, 4, 5, 6});
  file.Op("expand_as_v2", {{"X", "x"}, {"Y", "like"}}, {{"Out", "a"}});
  file.Op("elementwise_mul", {{"X", "a"}, {"Y", "like"}}, {{"Out", "y"}});
  EXPECT_THAT(Both(file, "y", {1, 3}, {1, 2, 3}),
              ElementsAre(1, 4, 9, 4, 10, 18));
}

// The value between elements, zero outside.
double Between(const Numbers& map, int64_t h, int64_t w, double y, double x) {
  double sum = 0;
  for (int64_t i = 0; i < h; ++i)
    for (int64_t j = 0; j < w; ++j) {
      const double near_y = 1 - std::abs(y - static_cast<double>(i));
      const double near_x = 1 - std::abs(x - static_cast<double>(j));
      if (near_y > 0 && near_x > 0)
        sum += near_y * near_x * map[static_cast<size_t>(i * w + j)];
    }
  return sum;
}

TEST(PaddleSelect, DeformableConvolution_ByHand) {
  // One channel of 5 x 4, three output channels, windows of 3 x 2; strides 2
  // and 1, padding 1 and 0, dilations 1 and 2: 3 x 2 positions.
  constexpr int64_t kH = 5, kW = 4, kOut = 3, kTaps = 6, kRows = 3, kCols = 2;
  const auto numbers = [](int64_t count, float scale) {
    Numbers v;
    for (int64_t i = 0; i < count; ++i)
      v.push_back(static_cast<float>(i * 37 % 17 - 8) * scale);
    return v;
  };
  const Numbers x = numbers(kH * kW, 1), filter = numbers(kOut * kTaps, 0.5f);
  const Numbers offset = numbers(2 * kTaps * kRows * kCols, 0.2f);
  const Numbers mask = numbers(kTaps * kRows * kCols, 0.1f);
  for (const bool weighed : {false, true}) {
    ProgramFile file({1, 1, kH, kW});
    file.Parameter("filter", {kOut, 1, 3, 2}, filter);
    file.Parameter("offset", {1, 2 * kTaps, kRows, kCols}, offset);
    file.Parameter("mask", {1, kTaps, kRows, kCols}, mask);
    ProgramFile::Vars inputs = {
        {"Input", "x"}, {"Filter", "filter"}, {"Offset", "offset"}};
    if (weighed) inputs.push_back({"Mask", "mask"});
    file.Op(weighed ? "deformable_conv" : "deformable_conv_v1", inputs,
            {{"Output", "map"}},
            {IntsAttr("strides", {2, 1}), IntsAttr("paddings", {1, 0}),
             IntsAttr("dilations", {1, 2}), IntAttr("deformable_groups", 1),
             IntAttr("groups", 1), IntAttr("im2col_step", 1)});
    file.Op("reshape2", {{"X", "map"}}, {{"Out", "y"}},
            {IntsAttr("shape", {1, -1})});
    Numbers expected;
    for (int64_t o = 0; o < kOut; ++o)
      for (int64_t p = 0; p < kRows * kCols; ++p) {
        double sum = 0;
        for (int64_t t = 0; t < kTaps; ++t) {
          const auto at = [&](const Numbers& v, int64_t plane) {
            return v[static_cast<size_t>(plane * kRows * kCols + p)];
          };
          const int64_t row = p / kCols * 2 - 1 + t / 2;
          const int64_t col = p % kCols + t % 2 * 2;
          sum +=
              filter[static_cast<size_t>(o * kTaps + t)] *
              (weighed ? at(mask, t) : 1) *
              Between(x, kH, kW, static_cast<double>(row) + at(offset, 2 * t),
                      static_cast<double>(col) + at(offset, 2 * t + 1));
        }
        expected.push_back(static_cast<float>(sum));
      }
    file.Fetch("y");
    const auto near =
        ::testing::Pointwise(::testing::FloatNear(1e-3f), expected);
    EXPECT_THAT(file.Run({1, kH, kW, 1}, x), near);
    EXPECT_THAT(RunConverted(file.Import(), Shape{1, 5, 4, 1}, x), near);
  }
}

}  // namespace
}  // namespace munja::importer::paddle
