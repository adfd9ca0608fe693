#include "ocr/network_input.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::ocr {
namespace {

runtime::TensorInfo Input(ElementType type, float scale, int64_t zero) {
  return {"pictures", type, Shape{1, 32, 32, 3},
          Quantization{{scale}, {zero}, 0}};
}

// -2.1 to 2.6.
const Normalization kImageNet;

TEST(CheckInputRangeTest, TakesWhatCalibrationOnNormalizedPicturesGives) {
  EXPECT_TRUE(
      CheckInputRange(Input(ElementType::kInt8, 4.8f / 255, -14), kImageNet)
          .ok());
  EXPECT_TRUE(
      CheckInputRange(Input(ElementType::kUInt8, 4.8f / 255, 114), kImageNet)
          .ok());
  EXPECT_TRUE(
      CheckInputRange(Input(ElementType::kInt16, 2.7f / 32767, 0), kImageNet)
          .ok());
  // Floats say nothing about it.
  EXPECT_TRUE(
      CheckInputRange({"x", ElementType::kFloat32, Shape{1, 1, 1, 3}, {}},
                      kImageNet)
          .ok());
}

// A model that takes pixels from 0 to 255 and normalizes inside: what is
// normalized before it would be normalized twice.
TEST(CheckInputRangeTest, SeesPixelsThatWouldBeNormalizedTwice) {
  for (const auto& input : {Input(ElementType::kInt8, 1.0f, -128),
                            Input(ElementType::kUInt8, 1.0f, 0),
                            Input(ElementType::kUInt8, 1.0f / 255, 0)}) {
    const Status status = CheckInputRange(input, kImageNet);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    const std::string message(status.message());
    EXPECT_NE(message.find("'pictures'"), std::string::npos) << message;
    EXPECT_NE(message.find("-2.12 to 2.64"), std::string::npos) << message;
    EXPECT_NE(message.find("zero point"), std::string::npos) << message;
  }
}

TEST(CheckInputRangeTest, RawPixelsForARawContract) {
  // (x / 255 - 0) / (1 / 255): pixels as they are.
  Normalization raw;
  raw.mean = {0, 0, 0};
  raw.deviation = {1.0f / 255, 1.0f / 255, 1.0f / 255};
  EXPECT_TRUE(CheckInputRange(Input(ElementType::kInt8, 1.0f, -128), raw).ok());
}

}  // namespace
}  // namespace munja::ocr
