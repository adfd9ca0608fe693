#include <algorithm>
#include <random>

// Numbers are no text here; without this the header needs the library, too.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/detection_options.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Settings {
  int max_detections = 3, max_classes = 1, per_class = 100, classes = 2;
  bool regular = false;
  float score = 0.0f, iou = 0.5f, scale = 10.0f;
};

std::vector<uint8_t> Encode(const Settings& s) {
  flexbuffers::Builder b;
  b.Map([&] {
    b.Int("max_detections", s.max_detections);
    b.Int("max_classes_per_detection", s.max_classes);
    b.Int("detections_per_class", s.per_class);
    b.Bool("use_regular_nms", s.regular);
    b.Float("nms_score_threshold", s.score);
    b.Float("nms_iou_threshold", s.iou);
    b.Int("num_classes", s.classes);
    b.Float("y_scale", s.scale);
    b.Float("x_scale", 10.0f);
    b.Float("h_scale", 5.0f);
    b.Float("w_scale", 5.0f);
  });
  b.Finish();
  return b.GetBuffer();
}

// Unit squares at x = 0, 0.1, -0.1; 10, 10.1; 100, from anchors at 0, 10, 100
// and offsets of 1 / x_scale. Scores of a background and two classes.
TestNode Node(const Settings& s) {
  return {
      .op = "TFLite_Detection_PostProcess",
      .inputs = {Floats({1, 6, 4}, {0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0,  //
                                    0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  0, 0}),
                 Floats({1, 6, 3}, {0, .9f, .8f, 0, .75f, .72f, 0, .6f, .5f,  //
                                    0, .93f, .95f, 0, .5f, .4f, 0, .3f, .2f}),
                 Floats(
                     {6, 4},
                     {.5f, .5f,   1, 1, .5f, .5f,   1, 1, .5f, .5f,    1, 1,  //
                      .5f, 10.5f, 1, 1, .5f, 10.5f, 1, 1, .5f, 100.5f, 1, 1})},
      .outputs = {{}, {}, {}, {}},
      .custom_options = Encode(s)};
}

void ExpectDetections(const TestNode& node, const std::vector<float>& lefts,
                      const std::vector<float>& classes,
                      const std::vector<float>& scores, float count) {
  const auto rows = static_cast<int32_t>(classes.size());
  std::vector<float> boxes;
  for (size_t i = 0; i < lefts.size(); ++i) {
    if (scores[i] == 0.0f)
      boxes.insert(boxes.end(), 4, 0.0f);
    else
      boxes.insert(boxes.end(), {0, lefts[i], 1, lefts[i] + 1});
  }
  ExpectOutputs<float>(
      node, {Shape{1, rows, 4}, Shape{1, rows}, Shape{1, rows}, Shape{1}},
      {boxes, classes, scores, {count}}, 1e-5);
}

TEST(DetectionPostProcessTest, FastMode_CountsEachAnchorByItsBestClass) {
  ExpectDetections(Node({}), {10, 0, 100}, {1, 0, 0}, {.95f, .9f, .3f}, 3);
  ExpectDetections(Node({.max_detections = 4}), {10, 0, 100, 0}, {1, 0, 0, 0},
                   {.95f, .9f, .3f, 0}, 3);
  ExpectDetections(Node({.max_detections = 2, .score = 0.92f}), {10, 0}, {1, 0},
                   {.95f, 0}, 1);
  // A limit of 0.9 drops nothing.
  ExpectDetections(Node({.max_detections = 6, .iou = 0.9f}),
                   {10, 0, .1f, -.1f, 10.1f, 100}, {1, 0, 0, 0, 0, 0},
                   {.95f, .9f, .75f, .6f, .5f, .3f}, 6);
}

TEST(DetectionPostProcessTest, FastMode_GivesSeveralClassesOfABox) {
  ExpectDetections(Node({.max_detections = 2, .max_classes = 2}),
                   {10, 10, 0, 0}, {1, 0, 0, 1}, {.95f, .93f, .9f, .8f}, 2);
  // There are only two classes.
  ExpectDetections(Node({.max_detections = 1, .max_classes = 3}), {10, 10, 0},
                   {1, 0, 0}, {.95f, .93f, 0}, 1);
}

TEST(DetectionPostProcessTest, RegularMode_CountsEachClass) {
  ExpectDetections(Node({.regular = true}), {10, 10, 0}, {1, 0, 0},
                   {.95f, .93f, .9f}, 3);
  ExpectDetections(Node({.per_class = 1, .regular = true}), {10, 10, 0},
                   {1, 0, 0}, {.95f, .93f, 0}, 2);
  ExpectDetections(Node({.max_detections = 6, .regular = true}),
                   {10, 10, 0, 0, 100, 100}, {1, 0, 0, 1, 0, 1},
                   {.95f, .93f, .9f, .8f, .3f, .2f}, 6);
}

TEST(DetectionPostProcessTest, NoBackground_IsSupported) {
  TestNode node = Node({.classes = 3});
  ExpectDetections(node, {10, 0, 100}, {2, 1, 1}, {.95f, .9f, .3f}, 3);
}

TEST(DetectionPostProcessTest, BoxSizes_GrowWithTheExponential) {
  Settings s{.max_detections = 1, .classes = 1};
  TestNode node = Node(s);
  // y = 2 / 10 * 4 + 1, x = -5 / 10 * 2 + 3, h = 4 e^(5 / 5), w = 2 e^0
  node.inputs = {Floats({1, 1, 5}, {2, -5, 5, 0, 77}), Floats({1, 1, 1}, {1}),
                 Floats({1, 4}, {1, 3, 4, 2})};
  const auto out = RunNode(node);
  ASSERT_TRUE(out.ok()) << out.status().message();
  const float half = 2 * 2.7182818f;
  EXPECT_THAT((*out)[0].values<float>(),
              ::testing::Pointwise(::testing::FloatNear(1e-5f),
                                   {1.8f - half, 1.0f, 1.8f + half, 3.0f}));
}

TEST(DetectionPostProcessTest, QuantizedInputs_AreSupported) {
  TestNode node = Node({});
  const auto bytes = [](const TestTensor& t, float scale, int zero) {
    std::vector<uint8_t> stored;
    for (const float f : t.values<float>())
      stored.push_back(static_cast<uint8_t>(std::lround(f / scale) + zero));
    Quantization q;
    q.scales = {scale};
    q.zero_points = {zero};
    return MakeTensor(ElementType::kUInt8, t.shape, stored).With(q);
  };
  node.inputs[0] = bytes(node.inputs[0], 1.0f, 1);
  node.inputs[1] = bytes(node.inputs[1], 0.01f, 0);
  node.inputs[2] = bytes(node.inputs[2], 0.5f, 0);
  ExpectDetections(node, {10, 0, 100}, {1, 0, 0}, {.95f, .9f, .3f}, 3);
}

TEST(DetectionPostProcessTest, InvalidNodes_AreRefused) {
  ExpectRefused(Node({.max_detections = 0}), Code::kMalformed,
                "'max_detections' is 0");
  ExpectRefused(Node({.max_classes = -1}), Code::kMalformed, "is -1");
  ExpectRefused(Node({.per_class = 0}), Code::kMalformed,
                "'detections_per_class' is 0");
  ExpectRefused(Node({.classes = 0}), Code::kMalformed, "'num_classes' is 0");
  ExpectRefused(Node({.classes = 1}), Code::kMalformed,
                "scores for 3 classes, option 'num_classes' is 1");
  ExpectRefused(Node({.iou = 0}), Code::kMalformed, "iou_threshold");
  ExpectRefused(Node({.iou = 1.5f}), Code::kMalformed, "iou_threshold");
  ExpectRefused(Node({.scale = 0}), Code::kMalformed, "a box scale is 0");
  ExpectRefused(Node({.max_detections = 1 << 20, .max_classes = 1 << 20}),
                Code::kMalformed, "a dimension of the output");
  TestNode node = Node({});
  node.inputs[2].shape = {4, 6};
  ExpectRefused(node, Code::kMalformed, "anchors of shape 4x6");
  node = Node({});
  node.inputs[0].type = ElementType::kInt32;
  ExpectRefused(node, Code::kUnsupported, "the box list is int32");
  node = Node({});
  node.inputs[2] = Floats({6, 4}, std::vector<float>(24, -1.0f));
  ExpectRefused(node, Code::kInvalidArgument, "box 0 has a negative size");
}

TEST(DetectionOptionsTest, AnyBytes_AreParsedOrRefused) {
  const std::vector<uint8_t> good = Encode({});
  EXPECT_TRUE(ParseDetectionOptions(good).ok());
  EXPECT_FALSE(ParseDetectionOptions({}).ok());
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(ParseDetectionOptions(std::span(good).first(n)).ok());
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = good;
    for (int k = 0; k < 1 + round % 4; ++k)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    (void)ParseDetectionOptions(bytes).ok();
  }
  flexbuffers::Builder b;
  b.Vector([&] { b.Int(1); });
  b.Finish();
  const auto result = ParseDetectionOptions(b.GetBuffer());
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("no map"));
}

}  // namespace
}  // namespace munja::ops
