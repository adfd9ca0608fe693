#include "kernels/quantized_binary.h"

#include <gtest/gtest.h>

#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

using Kind = QuantizedBinaryKind;

class QuantizedBinaryKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(QuantizedBinaryKernelTest);

template <class T>
void ExpectTwins(const QuantizedBinaryParams& params) {
  for (size_t cols = 0; cols < 37; ++cols) {
    constexpr size_t kRows = 2;
    std::vector<T> a(kRows * cols + 1), b(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(i * 7919 + cols);
      b[i] = static_cast<T>(i * 104729 + 3);
    }
    for (int form = 0; form < 4; ++form) {
      QuantizedBinaryBlock<T> block;
      block.a = a.data();
      block.b = b.data();
      block.rows = kRows;
      block.cols = cols;
      block.a_repeats = (form & 1) != 0;
      block.b_repeats = (form & 2) != 0;
      block.a_row_stride = block.a_repeats ? 1 : cols;
      block.b_row_stride = block.b_repeats ? 1 : cols;
      std::vector<T> got(kRows * cols + 1, T{77}), want = got;
      block.out = got.data();
      QuantizedBinary(params, block);
      block.out = want.data();
      reference::QuantizedBinary(params, block);
      EXPECT_EQ(got, want) << cols << " columns, form " << form;
    }
  }
}

// Multipliers above and below one, ties, saturation.
TEST_P(QuantizedBinaryKernelTest, MatchesReference) {
  for (const double scale : {1.0 / (1 << 20), 0.37 / (1 << 18), 3.7e-9}) {
    QuantizedBinaryParams p;
    p.shift = 20;
    p.a_scale = QuantizeMultiplier(0.5);
    p.b_scale = QuantizeMultiplier(0.123);
    p.out_scale = QuantizeMultiplier(scale);
    p.a_zero = 3;
    p.b_zero = -4;
    p.out_zero = 5;
    p.low = -100;
    p.high = 110;
    for (const Kind kind : {Kind::kAdd, Kind::kSub}) {
      p.kind = kind;
      ExpectTwins<int8_t>(p);
    }
    p.low = 1;
    ExpectTwins<uint8_t>(p);
    p.shift = 15;
    p.a_zero = p.b_zero = p.out_zero = 0;
    p.low = -32768;
    p.high = 32767;
    ExpectTwins<int16_t>(p);
  }
  for (const double scale : {0.003, 0.9, 1.7, 20.0}) {
    QuantizedBinaryParams p;
    p.kind = Kind::kMul;
    p.out_scale = QuantizeMultiplier(scale);
    p.low = -128;
    p.high = 127;
    ExpectTwins<int8_t>(p);
    p.kind = Kind::kSquaredDifference;
    p.shift = 7;
    p.a_scale = p.b_scale = QuantizeMultiplier(0.5);
    p.out_scale = QuantizeMultiplier(scale / (1 << 14));
    ExpectTwins<int8_t>(p);
  }
}

}  // namespace
}  // namespace munja::kernels
