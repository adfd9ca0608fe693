#include "ops/support/quantized/quantized.h"

#include <gtest/gtest.h>

namespace munja::ops {
namespace {

TensorView View(ElementType type, const Quantization& quantization) {
  TensorView view;
  view.type = type;
  view.quantization = &quantization;
  return view;
}

TEST(Quantized, InvalidTensorScales_AreRefused) {
  const Quantization good{{0.5f}, {-3}, 0};
  const auto affine = PerTensor(View(ElementType::kInt8, good), "the input");
  ASSERT_TRUE(affine.ok());
  EXPECT_EQ(affine->scale, 0.5f);
  EXPECT_EQ(affine->zero, -3);
  const Quantization none, zero{{0.0f}, {0}, 0}, far{{1.0f}, {200}, 0},
      odd{{1.0f}, {1}, 0}, axis{{1.0f, 2.0f}, {0, 0}, 0};
  EXPECT_FALSE(PerTensor(View(ElementType::kInt8, none), "x").ok());
  EXPECT_FALSE(PerTensor(View(ElementType::kInt8, zero), "x").ok());
  EXPECT_FALSE(PerTensor(View(ElementType::kInt8, far), "x").ok());
  EXPECT_FALSE(PerTensor(View(ElementType::kInt16, odd), "x").ok());
  EXPECT_EQ(PerTensor(View(ElementType::kInt8, axis), "x").status().code(),
            Code::kUnsupported);
}

TEST(Quantized, Activations_AreRangesOfQuantizedValues) {
  using Kind = kernels::ActivationKind;
  // 0 is stored as 10, 6 as 34.
  const Affine output{0.25f, 10};
  const auto range = ActivationRange(Kind::kRelu6, output, ElementType::kInt8);
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->low, 10);
  EXPECT_EQ(range->high, 34);
  // 6 lies beyond the type: its end stays.
  EXPECT_EQ(ActivationRange(Kind::kRelu6, {0.01f, 0}, ElementType::kInt8)->high,
            127);
  EXPECT_FALSE(ActivationRange(Kind::kTanh, output, ElementType::kInt8).ok());
}

}  // namespace
}  // namespace munja::ops
