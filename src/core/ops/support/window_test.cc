#include "ops/support/window.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::ops {
namespace {

graph::Attributes Same(int64_t stride, int64_t dilation) {
  graph::Attributes a;
  a.Set("padding", std::string("SAME"));
  a.Set("stride_h", stride);
  a.Set("stride_w", stride);
  a.Set("dilation_h_factor", dilation);
  a.Set("dilation_w_factor", dilation);
  return a;
}

// The odd pixel of padding goes after: 6 pixels, stride 2, kernel 3 need one
// pixel, so none before.
TEST(WindowTest, SamePadding_PutsTheOddPixelAfter) {
  auto window = ParseWindow(Same(2, 1));
  ASSERT_TRUE(window.ok());
  window->kernel_h = window->kernel_w = 3;
  const auto placed = PlaceWindow(*window, 6, 7);
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->out_h, 3);
  EXPECT_EQ(placed->pad_top, 0);
  EXPECT_EQ(placed->out_w, 4);
  EXPECT_EQ(placed->pad_left, 1);
}

TEST(WindowTest, Dilation_WidensTheWindow) {
  auto window = ParseWindow(Same(1, 3));
  ASSERT_TRUE(window.ok());
  window->kernel_h = window->kernel_w = 3;
  const auto placed = PlaceWindow(*window, 10, 4);
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->out_h, 10);
  EXPECT_EQ(placed->pad_top, 3);
  EXPECT_EQ(placed->out_w, 4);
  EXPECT_EQ(placed->pad_left, 3);
}

TEST(WindowTest, ValidPadding_KeepsWholeWindowsOnly) {
  Window window;
  window.kernel_h = 3;
  window.kernel_w = 2;
  window.stride_h = window.stride_w = 2;
  const auto placed = PlaceWindow(window, 8, 5);
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->out_h, 3);
  EXPECT_EQ(placed->out_w, 2);
  EXPECT_EQ(placed->pad_top, 0);
  EXPECT_EQ(PlaceWindow(window, 2, 5).status().code(), Code::kMalformed);
}

TEST(WindowTest, ExplicitPads_MayDifferOnEachSide) {
  graph::Attributes a;
  a.Set("padding", std::string("EXPLICIT"));
  a.Set("pad_bottom", int64_t{1});
  a.Set("pad_left", int64_t{2});
  auto window = ParseWindow(a);
  ASSERT_TRUE(window.ok());
  window->kernel_h = window->kernel_w = 2;
  const auto placed = PlaceWindow(*window, 4, 4);
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->out_h, 4);
  EXPECT_EQ(placed->pad_top, 0);
  EXPECT_EQ(placed->out_w, 5);
  EXPECT_EQ(placed->pad_left, 2);
}

TEST(WindowTest, SizesOutOfRange_AreRefused) {
  graph::Attributes a;
  a.Set("stride_h", int64_t{0});
  EXPECT_EQ(ParseWindow(a).status().code(), Code::kMalformed);
  a.Set("stride_h", int64_t{1} << 40);
  EXPECT_EQ(ParseWindow(a).status().code(), Code::kMalformed);
  a.Set("stride_h", std::string("2"));
  EXPECT_EQ(ParseWindow(a).status().code(), Code::kMalformed);
}

TEST(WindowTest, Activations_AreFoundByName) {
  graph::Attributes a;
  EXPECT_EQ(ParseActivation(a)->kind, kernels::ActivationKind::kNone);
  a.Set("fused_activation_function", std::string("RELU6"));
  EXPECT_EQ(ParseActivation(a)->kind, kernels::ActivationKind::kRelu6);
  a.Set("fused_activation_function", std::string("LEAKY_RELU"));
  a.Set("activation_alpha", 0.25);
  EXPECT_EQ(ParseActivation(a)->kind, kernels::ActivationKind::kLeakyRelu);
  EXPECT_EQ(ParseActivation(a)->alpha, 0.25f);
  a.Set("fused_activation_function", std::string("SIGN_BIT"));
  EXPECT_EQ(ParseActivation(a).status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace munja::ops
