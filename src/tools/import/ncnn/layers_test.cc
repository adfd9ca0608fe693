// Layers of several families: normalization, attention, cropping, padding,
// pooling and resizing. The expected values are worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "import/ncnn/testing.h"

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Floats = std::vector<float>;

Floats Near(const std::string& input, std::vector<std::string> layers,
            const Bin& bin, const Shape& shape, Floats x) {
  layers.insert(layers.begin(), "Input in 0 1 x " + input);
  return RunTflite(layers, bin, shape, std::move(x));
}

TEST(NcnnLayers, RmsNorm_ByHand) {
  Bin bin;
  bin.Floats({1, 2});
  // Rows of two: 3 and 4 by the root of 12.5 + 0.5, 0 and 1 by that of 1.
  const float r = std::sqrt(13.0f);
  EXPECT_THAT(Near("0=2 1=2 2=1", {"RMSNorm n 1 1 x y 0=2 1=0.5"}, bin,
                   {1, 2, 2, 1}, {3, 4, 0, 1}),
              ElementsAre(FloatNear(3 / r, 1e-6f), FloatNear(8 / r, 1e-6f), 0,
                          FloatNear(2, 1e-6f)));
  Bin four;
  four.Floats({1, 1, 2, 2});
  const float all = std::sqrt(7.0f);  // (9 + 16 + 0 + 1) / 4 + 0.5
  EXPECT_THAT(Near("0=2 1=2 2=1", {"RMSNorm n 1 1 x y 0=4 1=0.5"}, four,
                   {1, 2, 2, 1}, {3, 4, 0, 1}),
              ElementsAre(FloatNear(3 / all, 1e-6f), FloatNear(4 / all, 1e-6f),
                          0, FloatNear(2 / all, 1e-6f)));
}

// Each of two planes has mean 1 and variance 1.
TEST(NcnnLayers, LayerNorm_OfPlanes) {
  Bin bin;
  bin.Floats({1, 2, 3, 4}).Floats({0, 0, 0, 10});
  EXPECT_THAT(
      Near("0=2 1=2 2=2", {"LayerNorm n 1 1 x y 0=4 1=0"}, bin, {1, 2, 2, 2},
           {0, 2, 2, 0, 0, 0, 2, 2}),
      Pointwise(FloatNear(1e-6f), Floats{-1, 1, 2, -2, -3, -3, 14, 14}));
}

TEST(NcnnLayers, CumulativeSumGluAndShrink_ByHand) {
  EXPECT_THAT(Near("0=3 1=2 2=1", {"CumulativeSum c 1 1 x y 0=2"}, {},
                   {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(Near("0=3 1=2 2=1", {"CumulativeSum c 1 1 x y 0=-2"}, {},
                   {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(1, 2, 3, 5, 7, 9));
  // Channels 0 and 1 times the logistic function of 2 and 3.
  EXPECT_THAT(Near("0=1 1=1 2=4", {"GLU g 1 1 x y 0=0"}, {}, {1, 1, 1, 4},
                   {2, 3, 0, 1}),
              ElementsAre(FloatNear(1, 1e-6f),
                          FloatNear(3 / (1 + std::exp(-1.0f)), 1e-6f)));
  EXPECT_THAT(Near("0=5 1=1 2=1", {"Shrink s 1 1 x y 0=0.25 1=1"}, {},
                   {1, 1, 5, 1}, {-2, -1, 0.5f, 1, 3}),
              ElementsAre(-1.75f, 0, 0, 0, 2.75f));
  EXPECT_THAT(
      Near("0=2 1=1 2=1", {"Packing p 1 1 x a 0=4", "Cast c 1 1 a y 0=1 1=2"},
           {}, {1, 1, 2, 1}, {-2, 7}),
      ElementsAre(-2, 7));
}

// The values of a 2 x 2 map at (x, y) = (-1, -1), (1, -1), (0, 0), (3, 0).
TEST(NcnnLayers, GridSample_ByHand) {
  const std::vector<std::string> layers = {
      "Input in 0 1 x 0=2 1=2 2=1",
      "MemoryData grid 0 1 g 0=2 1=2 2=2",
      "GridSample s 2 1 x g y 1=2 2=1",
  };
  Bin bin;
  bin.Floats({-1, -1, 1, -1, 0, 0, 3, 0});
  EXPECT_THAT(RunTflite(layers, bin, {1, 2, 2, 1}, {1, 2, 3, 4}),
              ElementsAre(1, 2, 2.5f, 3));
}

TEST(NcnnLayers, Unfold_ByHand) {
  // 1 2 3 / 4 5 6: a kernel of 2 x 2 sees 1 2 4 5 and 2 3 5 6.
  EXPECT_THAT(Near("0=3 1=2 2=1", {"Unfold u 1 1 x y 1=2"}, {}, {1, 2, 3, 1},
                   {1, 2, 3, 4, 5, 6}),
              ElementsAre(1, 2, 2, 3, 4, 5, 5, 6));
  // With a step of 2 and a column of padding on both sides.
  EXPECT_THAT(Near("0=3 1=2 2=1", {"Unfold u 1 1 x y 1=2 3=2 4=1 14=0 18=9"},
                   {}, {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(9, 2, 1, 3, 9, 5, 4, 6));
}

TEST(NcnnLayers, CopyTo_ByHand) {
  Bin bin;
  bin.Floats({-1, -2});
  const std::vector<std::string> memory = {"MemoryData part 0 1 p 0=2 1=1 2=1"};
  const auto with = [&](const std::string& layer) {
    return Near("0=3 1=2 2=1", {memory[0], layer}, bin, {1, 2, 3, 1},
                {1, 2, 3, 4, 5, INFINITY});
  };
  EXPECT_THAT(with("CopyTo c 2 1 x p y 0=1 1=1"),
              ElementsAre(1, 2, 3, 4, -1, -2));
  EXPECT_THAT(with("CopyTo c 2 1 x p y -23309=1,-1 -23311=1,1"),
              ElementsAre(1, 2, 3, -1, -2, INFINITY));
  const auto beyond = ImportNcnn(Param({"Input in 0 1 x 0=3 1=2 2=1", memory[0],
                                        "CopyTo c 2 1 x p y 0=2"}),
                                 bin.bytes(), {});
  EXPECT_EQ(beyond.status().code(), Code::kMalformed);
}

// A kernel of one tap that moves by half a pixel to the right and counts twice.
TEST(NcnnLayers, DeformableConvolution_ByHand) {
  Bin bin;
  bin.Floats({0, 0, 0, 0.5f, 0.5f, 0.5f});  // Down, to the right.
  bin.Floats({2, 2, 2});
  bin.Tag().Floats({1}).Floats({10});
  EXPECT_THAT(Near("0=3 1=1 2=1",
                   {"MemoryData offsets 0 1 o 0=3 1=1 2=2",
                    "MemoryData mask 0 1 m 0=3 1=1 2=1",
                    "DeformableConv2D d 3 1 x o m y 0=1 1=1 5=1 6=1"},
                   bin, {1, 1, 3, 1}, {1, 3, 5}),
              // Beyond the map there is 0.
              ElementsAre(14, 18, 15));
}

TEST(NcnnLayers, Crop_ByOffsets) {
  const Floats x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto crop = [&](const std::string& how) {
    return Near("0=4 1=3 2=1", {"Crop c 1 1 x y " + how}, {}, {1, 3, 4, 1}, x);
  };
  EXPECT_THAT(crop("0=1 1=1 2=0 3=2 4=-233 5=-233"), ElementsAre(6, 7, 10, 11));
  EXPECT_THAT(crop("0=1 1=0 2=0 3=-233 4=1 5=-233 6=1"), ElementsAre(2, 3));
  EXPECT_THAT(crop("0=2 1=2 2=0 3=9 4=9 5=9"), ElementsAre(11, 12));
  // The size is that of another blob.
  EXPECT_THAT(
      Near("0=4 1=3 2=1",
           {"MemoryData m 0 1 p 0=2 1=2 2=1", "Crop c 2 1 x p y 0=2 1=1 2=0"},
           Bin().Floats({0, 0, 0, 0}), {1, 3, 4, 1}, x),
      ElementsAre(7, 8, 11, 12));
}

TEST(NcnnLayers, Padding_Replicate) {
  EXPECT_THAT(Near("0=2 1=2 2=1", {"Padding p 1 1 x y 0=1 2=2 3=1 4=1"}, {},
                   {1, 2, 2, 1}, {1, 2, 3, 4}),
              ElementsAre(1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4));
}

TEST(NcnnLayers, Pooling_Adaptive) {
  // Rows 0 1 and 1 2 of three, columns 0, 1 of two.
  EXPECT_THAT(Near("0=2 1=3 2=1", {"Pooling p 1 1 x y 0=1 7=1 8=2"}, {},
                   {1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(Near("0=2 1=3 2=1", {"Pooling p 1 1 x y 0=0 7=1 8=-233 18=2"}, {},
                   {1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}),
              ElementsAre(3, 4, 5, 6));
}

// Halves a row of four with cubic interpolation: the positions are 0.5 and 2.5,
// whose weights at -1, 0, 1, 2 are -0.09375, 0.59375, 0.59375, -0.09375.
TEST(NcnnLayers, Interp_Cubic) {
  EXPECT_THAT(Near("0=4 1=1 2=1", {"Interp i 1 1 x y 0=3 3=1 4=2"}, {},
                   {1, 1, 4, 1}, {1, 2, 4, 8}),
              Pointwise(FloatNear(1e-5f),
                        Floats{-0.09375f + 0.59375f * 3 - 0.09375f * 4,
                               -0.09375f * 2 + 0.59375f * 12 - 0.09375f * 8}));
}

}  // namespace
}  // namespace munja::importer::ncnn
