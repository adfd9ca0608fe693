// The ends of detectors, with boxes worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "import/ncnn/testing.h"

namespace munja::importer::ncnn {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using Lines = std::vector<std::string>;
using Numbers = std::vector<float>;

// By the file as it was read and by the converted model: the rows are equal.
Numbers Rows(const Lines& layers, const Bin& bin, const Dims& shape,
             const Numbers& x) {
  const Numbers read = Evaluate(layers, bin, shape, x);
  Shape of_input;
  for (const int64_t d : shape) of_input.Append(static_cast<int32_t>(d));
  EXPECT_THAT(RunTflite(layers, bin, of_input, x),
              Pointwise(FloatNear(1e-6f), read));
  return read;
}

void ExpectRows(const Numbers& got, const Numbers& want) {
  EXPECT_THAT(got, Pointwise(FloatNear(1e-6f), want));
}

// Two boxes that share 0.364 of what they cover; the second one is moved by a
// tenth of half its width and twice as wide as its prior.
Numbers Detected(const std::string& parameters, int classes,
                 const Numbers& confidences) {
  Bin bin;
  bin.Floats({0, 0, 0.5f, 0.5f, 0.1f, 0.1f, 0.6f, 0.6f});
  bin.Floats({0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f});
  const int n = 2 * classes;
  Numbers x = {0, 0, 0, 0, 2, 0, std::log(2.0f) / 0.2f, 0};
  x.insert(x.end(), confidences.begin(), confidences.end());
  return Rows({"Input in 0 1 x 0=1 1=1 2=" + std::to_string(8 + n),
               "Slice s 1 2 x loc conf -23300=2,8," + std::to_string(n),
               "MemoryData prior 0 1 p 0=8 1=2",
               "DetectionOutput d 3 1 loc conf p y 0=" +
                   std::to_string(classes) + parameters},
              bin, {1, 1, 1, 8 + n}, x);
}
const Numbers kFirst = {0, 0, 0.5f, 0.5f},
              kSecond = {-0.05f, 0.1f, 0.95f, 0.6f};

Numbers Row(float label, float score, const Numbers& box) {
  return {label, score, box[0], box[1], box[2], box[3]};
}
Numbers Join(std::vector<Numbers> rows) {
  Numbers all;
  for (const Numbers& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

TEST(NcnnDetection, DetectionOutput_DecodesPriors) {
  const Numbers confidences = {0.1f, 0.9f, 0.2f, 0.8f};
  const Numbers first = Row(1, 0.9f, kFirst), second = Row(1, 0.8f, kSecond);
  ExpectRows(Detected(" 1=0.45", 2, confidences), Join({first, second}));
  // The better box suppresses the other, at most one is kept, one is above the
  // confidence threshold; omitted parameters are 0.05, 300, 100 and 0.5.
  ExpectRows(Detected(" 1=0.3", 2, confidences), first);
  ExpectRows(Detected(" 1=0.45 3=1", 2, confidences), first);
  ExpectRows(Detected(" 1=0.45 2=1", 2, confidences), first);
  ExpectRows(Detected(" 1=0.45 4=0.85", 2, confidences), first);
  ExpectRows(Detected("", 2, confidences), first);
  ExpectRows(Detected("", 2, {0.6f, 0.4f, 0.7f, 0.3f}), {});
}

TEST(NcnnDetection, DetectionOutput_SortsAllClasses) {
  ExpectRows(Detected(" 1=0.3 4=0.15", 3, {0.1f, 0.2f, 0.7f, 0.1f, 0.8f, 0.1f}),
             Join({Row(1, 0.8f, kSecond), Row(2, 0.7f, kFirst)}));
  ExpectRows(
      Detected(" 1=0.45 4=0.15", 3, {0.1f, 0.2f, 0.7f, 0.1f, 0.8f, 0.1f}),
      Join(
          {Row(1, 0.8f, kSecond), Row(2, 0.7f, kFirst), Row(1, 0.2f, kFirst)}));
}

// The prior boxes of a map two positions wide, decoded unchanged: offsets are
// zero and none is suppressed.
Numbers Priors(const std::string& parameters, int boxes,
               bool has_picture = false) {
  Bin bin;
  const auto numbers = static_cast<size_t>(4 * boxes);
  bin.Floats(Numbers(numbers, 0.0f));
  Numbers x;
  for (int i = 0; i < boxes; ++i) {
    const float score = 0.9f - 0.05f * static_cast<float>(i);
    x.insert(x.end(), {1 - score, score});
  }
  const Numbers rows =
      Rows({"Input in 0 1 x 0=1 1=1 2=" + std::to_string(2 * boxes),
            has_picture ? "Split s 1 3 x places conf picture"
                        : "Split s 1 2 x places conf",
            "Reshape m 1 1 places map 0=2 1=1 2=" + std::to_string(boxes),
            "MemoryData l 0 1 loc 0=" + std::to_string(numbers),
            (has_picture ? "PriorBox p 2 1 map picture p "
                         : "PriorBox p 1 1 map p ") +
                parameters,
            "DetectionOutput d 3 1 loc conf p y 0=2 1=1 4=0.01"},
           bin, {1, 1, 1, 2 * boxes}, x);
  Numbers corners;
  for (size_t r = 0; r + 6 <= rows.size(); r += 6)
    corners.insert(corners.end(), rows.begin() + static_cast<int64_t>(r) + 2,
                   rows.begin() + static_cast<int64_t>(r) + 6);
  return corners;
}

TEST(NcnnDetection, PriorBox_EverySizeAndRatio) {
  // An image of 20 x 10, so that the centers are (5, 5) and (15, 5); sizes 4 x
  // 4, 6 x 6 (the root of 4 times 9), 8 x 2 and 2 x 8.
  ExpectRows(
      Priors("-23300=1,4.0 -23301=1,9.0 -23302=1,4.0 9=20 10=10 13=0.5", 8),
      {0.15f, 0.3f, 0.35f, 0.7f, 0.1f,  0.2f,  0.4f, 0.8f,  0.05f, 0.4f, 0.45f,
       0.6f,  0.2f, 0.1f,  0.3f, 0.9f,  0.65f, 0.3f, 0.85f, 0.7f,  0.6f, 0.2f,
       0.9f,  0.8f, 0.55f, 0.4f, 0.95f, 0.6f,  0.7f, 0.1f,  0.8f,  0.9f});
  // Shapes are not turned; steps and an offset of 0: centers (0, 0) and (8, 0).
  ExpectRows(
      Priors("-23300=1,4.0 -23302=1,4.0 7=0 9=20 10=10 11=8.0 12=3.0", 4),
      {-0.1f, -0.2f, 0.1f, 0.2f, -0.2f, -0.1f, 0.2f, 0.1f, 0.3f, -0.2f, 0.5f,
       0.2f, 0.2f, -0.1f, 0.6f, 0.1f});
  // Clipped to the image.
  ExpectRows(Priors("-23300=1,4.0 8=1 9=20 10=10 11=8.0 12=3.0", 2),
             {0, 0, 0.1f, 0.2f, 0.3f, 0, 0.5f, 0.2f});
}

TEST(NcnnDetection, PriorBox_ImageIsSecondBlob) {
  // A map of 1 x 1: steps of one half and one.
  ExpectRows(Priors("-23300=1,0.5 9=-233 10=-233 13=0.5", 2, true),
             {0, 0.25f, 0.5f, 0.75f, 0.5f, 0.25f, 1, 0.75f});
}

TEST(NcnnDetection, PriorBox_OtherForms_AreRefused) {
  const auto refused = [](const std::string& parameters) {
    const auto model = ImportNcnn(Param({"Input in 0 1 x 0=2 1=1 2=1",
                                         "PriorBox p 1 1 x y " + parameters}),
                                  Bin().bytes(), {});
    EXPECT_FALSE(model.ok()) << parameters;
    return std::string(model.status().message());
  };
  EXPECT_THAT(refused("-23300=1,4.0 9=-233 10=-233"), HasSubstr("MXNet"));
  EXPECT_THAT(refused("9=20 10=10"), HasSubstr("no sizes"));
  EXPECT_THAT(refused("-23300=1,4.0 -23301=2,5.0,6.0 9=20 10=10"),
              HasSubstr("1 smallest sizes and 2 largest ones"));
  EXPECT_THAT(refused("-23300=1,4.0"), HasSubstr("an image of 0 x 0"));
}

TEST(NcnnDetection, Yolov3_ByHand) {
  // Two positions with one box each, anchors of 4 x 8 in a network of 32 x 16.
  const float three = std::log(3.0f);  // A logistic function of 3/4.
  const Numbers x = {0,     0,     0,
                     0,     0,     1,
                     -1,  //
                     three, 0,     std::log(2.0f),
                     0,     three, 0,
                     three};
  const auto found = [&](const std::string& parameters) {
    return Rows({"Input in 0 1 x 0=2 1=1 2=7",
                 "Yolov3DetectionOutput d 1 1 x y 0=2 1=1 -23304=2,4.0,8.0 "
                 "-23305=1,0.0 -23306=1,16.0" +
                     parameters},
                Bin(), {1, 1, 2, 7}, x);
  };
  const float sure = 0.5f / (1 + std::exp(-1.0f));
  const Numbers second = {2, 0.5625f, 0.75f, 0.25f, 1, 0.75f},
                first = {1, sure, 0.1875f, 0.25f, 0.3125f, 0.75f};
  ExpectRows(found(""), Join({second, first}));
  ExpectRows(found(" 2=0.4"), second);
  // From the threshold on.
  ExpectRows(found(" 2=0.5625"), second);
}

}  // namespace
}  // namespace munja::importer::ncnn
