#include "reading/network/network_input.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "image/image.h"
#include "kernels/quant/fixed_point.h"

namespace munja::ocr {
namespace {

runtime::TensorInfo Input(ElementType type, float scale, int64_t zero) {
  return {"pictures", type, Shape{1, 32, 32, 3},
          Quantization{{scale}, {zero}, 0}};
}

// -2.1 to 2.6.
const Normalization kImageNet;

TEST(CheckInputRange, CalibratedOnNormalizedImages_IsAccepted) {
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
TEST(CheckInputRange, Pixels_ThatWouldBeNormalizedTwiceAreRefused) {
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

TEST(CheckInputRange, RawPixels_FitARawConfig) {
  // (x / 255 - 0) / (1 / 255): pixels as they are.
  Normalization raw;
  raw.mean = {0, 0, 0};
  raw.deviation = {1.0f / 255, 1.0f / 255, 1.0f / 255};
  EXPECT_TRUE(CheckInputRange(Input(ElementType::kInt8, 1.0f, -128), raw).ok());
}

// Three rows with all levels in all channels.
std::vector<uint8_t> AllLevels(int width) {
  std::vector<uint8_t> pixels(static_cast<size_t>(width) * 9);
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return pixels;
}

template <class T>
void ExpectQuantized(const runtime::TensorInfo& info, const Normalization& n,
                     int low, int high) {
  const int width = 261, padded = 272;
  const std::vector<uint8_t> pixels = AllLevels(width);
  const image::ImageView picture = {pixels.data(), width, 3,
                                    static_cast<size_t>(width) * 3};
  Buffer buffer;
  const auto real = FillInput(picture, padded, n, buffer, nullptr);
  ASSERT_TRUE(real.ok());
  ImageInput input(info, n);
  for (int again = 0; again < 2; ++again) {
    const auto stored = input.Fill(picture, padded, nullptr);
    ASSERT_TRUE(stored.ok());
    EXPECT_EQ(stored->type, info.type);
    EXPECT_EQ(stored->shape, real->shape);
    ASSERT_EQ(stored->bytes, size_t{padded} * 9 * sizeof(T));
    ASSERT_NE(stored->quantization, nullptr);
    EXPECT_EQ(stored->quantization->scales, info.quantization.scales);
    for (size_t i = 0; i < size_t{padded} * 9; ++i) {
      ASSERT_EQ(stored->as<T>()[i],
                kernels::Quantize(
                    real->as<float>()[i], info.quantization.scales[0],
                    static_cast<int32_t>(info.quantization.zero_points[0]), low,
                    high))
          << i;
    }
  }
}

// The values that a network's QUANTIZE would make of the floats, also where
// levels fall halfway between two steps, and beyond the ends.
TEST(ImageInputTest, StoresWhatQuantize_MakesOfFloats) {
  Normalization even;
  even.mean = even.deviation = {0.5f, 0.5f, 0.5f};
  for (const ChannelOrder order : {ChannelOrder::kRgb, ChannelOrder::kBgr}) {
    for (Normalization n : {kImageNet, even}) {
      n.order = order;
      for (const float scale : {2.0f / 255, 4.8f / 255, 0.011f}) {
        ExpectQuantized<int8_t>(Input(ElementType::kInt8, scale, -1), n, -128,
                                127);
        ExpectQuantized<uint8_t>(Input(ElementType::kUInt8, scale, 114), n, 0,
                                 255);
        ExpectQuantized<int16_t>(Input(ElementType::kInt16, scale / 128, 0), n,
                                 -32768, 32767);
      }
    }
  }
}

TEST(ImageInputTest, Floats_AreTheNormalizedImage) {
  const std::vector<uint8_t> pixels = AllLevels(20);
  const image::ImageView picture = {pixels.data(), 20, 3, 60};
  ImageInput input({"x", ElementType::kFloat32, Shape{1, 3, 24, 3}, {}},
                   kImageNet);
  const auto view = input.Fill(picture, 24, nullptr);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->type, ElementType::kFloat32);
  for (size_t y = 0; y < 3; ++y) {
    for (size_t x = 0; x < 24; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        const double level =
            pixels[60 * y + 3 * (x < 20 ? x : 19) + 2 - c] / 255.0;
        EXPECT_NEAR(view->as<float>()[72 * y + 3 * x + c],
                    (level - kImageNet.mean[c]) / kImageNet.deviation[c], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace munja::ocr
