// Networks that ncnn2int8 wrote: integers of 8 bits for weights, and an input
// that is rounded to such; and words. Numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/ncnn/testing.h"

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Numbers = std::vector<float>;

// One position of some channels, by the reference and converted.
Numbers Both(const std::string& layer, const Bin& bin, const Numbers& x) {
  const auto channels = static_cast<int64_t>(x.size());
  const std::vector<std::string> layers = {
      "Input in 0 1 x 0=1 1=1 2=" + std::to_string(channels), layer};
  const Numbers reference = Evaluate(layers, bin, {1, 1, 1, channels}, x);
  EXPECT_THAT(
      RunTflite(layers, bin, Shape{1, 1, 1, static_cast<int32_t>(channels)}, x),
      Pointwise(FloatNear(1e-5f), reference));
  return reference;
}

TEST(NcnnInt8, Convolution_IsDequantized) {
  // Ten steps to one of the input, four and two to one of the weights.
  const auto of = [](const char* term, float x) {
    Bin bin;
    bin.Int8({2, -3}).Floats({0.5f, 0, 4, 2, 10});
    if (std::string(term) == "101") bin.Floats({3});
    return Both("Convolution c 1 1 x y 0=2 1=1 5=1 6=2 8=" + std::string(term),
                bin, {x});
  };
  const auto near = [](Numbers numbers) {
    return Pointwise(FloatNear(1e-5f), numbers);
  };
  EXPECT_THAT(of("1", 0.26f), near({0.65f, -0.45f}));  // 3 steps.
  EXPECT_THAT(of("1", 0.25f), near({0.65f, -0.45f}));  // 2.5 steps.
  EXPECT_THAT(of("1", -0.25f), near({0.35f, 0.45f}));
  EXPECT_THAT(of("1", -20), near({-5.85f, 19.05f}));  // 127 at most.
  // Three steps to one of the output.
  EXPECT_THAT(of("101", 0.26f), near({2 / 3.0f, -1 / 3.0f}));
}

TEST(NcnnInt8, Depthwise_ScalePerChannel) {
  const auto of = [](const char* term, const Numbers& scales) {
    Bin bin;
    bin.Int8({2, -3}).Floats(scales).Floats({10});
    return Both(
        "ConvolutionDepthWise c 1 1 x y 0=2 1=1 6=2 7=2 8=" + std::string(term),
        bin, {0.26f, 0.5f});
  };
  EXPECT_THAT(of("1", {4, 2}), Pointwise(FloatNear(1e-5f), {0.15f, -0.75f}));
  EXPECT_THAT(of("2", {4}), Pointwise(FloatNear(1e-5f), {0.15f, -0.375f}));
  EXPECT_THAT(of("1", {4, 0}), Pointwise(FloatNear(1e-5f), {0.15f, 0.0f}));
}

TEST(NcnnInt8, InnerProduct_IsDequantized) {
  Bin bin;
  bin.Int8({1, 2, 3, 4}).Floats({4, 2, 10});
  EXPECT_THAT(Both("InnerProduct p 1 1 x y 0=2 2=4 8=1", bin, {0.26f, 0.5f}),
              Pointwise(FloatNear(1e-5f), {0.325f, 1.45f}));
}

TEST(NcnnInt8, OtherForms_AreRefused) {
  const auto code = [](const Bin& bin, const char* layer) {
    return ImportNcnn(Param({"Input in 0 1 x 0=1 1=1 2=1", layer}), bin.bytes(),
                      {})
        .status()
        .code();
  };
  const char* scaled = "Convolution c 1 1 x y 0=2 1=1 6=2 8=1";
  Bin floats, no_scale, not_asked;
  floats.Tag().Floats({1, 2, 4, 2, 10});
  EXPECT_EQ(code(floats, scaled), Code::kUnsupported);
  no_scale.Int8({2, -3}).Floats({4, 2, 0});
  EXPECT_EQ(code(no_scale, scaled), Code::kMalformed);
  not_asked.Int8({2, -3});
  EXPECT_EQ(code(not_asked, "Convolution c 1 1 x y 0=2 1=1 6=2"),
            Code::kUnsupported);
}

TEST(NcnnEmbed, Embed_LooksUpRows) {
  Bin bin;
  bin.Tag().Floats({1, 2, 3, 4, 5, 6}).Floats({10, 20});
  // Words outside are the first or the last.
  const std::vector<std::string> layers = {"Input in 0 1 x 0=1 1=1 2=4",
                                           "Reshape r 1 1 x w 0=4",
                                           "Embed e 1 1 w y 0=2 1=3 2=1 3=6"};
  const Numbers words = {2, 0, -1, 7};
  EXPECT_THAT(Evaluate(layers, bin, {1, 1, 1, 4}, words),
              ElementsAre(15, 26, 11, 22, 11, 22, 15, 26));
  EXPECT_THAT(RunTflite(layers, bin, Shape{1, 1, 1, 4}, words),
              ElementsAre(15, 26, 11, 22, 11, 22, 15, 26));
}

}  // namespace
}  // namespace munja::importer::ncnn
