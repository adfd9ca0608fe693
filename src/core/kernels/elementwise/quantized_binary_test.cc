#include "kernels/elementwise/quantized_binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

using Kind = QuantizedBinaryKind;

class QuantizedBinaryKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(QuantizedBinaryKernelTest);

template <class T>
void ExpectTwins(const QuantizedBinaryParams& params) {
  std::vector<size_t> widths = {64, 129, 1000};
  for (size_t cols = 0; cols < 37; ++cols) widths.push_back(cols);
  for (const size_t cols : widths) {
    constexpr size_t kRows = 3;
    std::vector<T> a(kRows * cols + 1), b(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(i * 7919 + cols);
      b[i] = static_cast<T>(i * 104729 + 3);
    }
    // Forms 4 and 5: all rows have the same b or a.
    for (int form = 0; form < 6; ++form) {
      QuantizedBinaryBlock<T> block;
      block.a = a.data();
      block.b = b.data();
      block.rows = kRows;
      block.cols = cols;
      block.a_repeats = form < 4 && (form & 1) != 0;
      block.b_repeats = form < 4 && (form & 2) != 0;
      block.a_row_stride = block.a_repeats ? 1 : cols;
      block.b_row_stride = block.b_repeats ? 1 : cols;
      if (form == 4) block.b_row_stride = 0;
      if (form == 5) block.a_row_stride = 0;
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
TEST_P(QuantizedBinaryKernelTest, RandomCases_MatchReference) {
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

// Operators of int16 whose results are exact halves now and then, with scales
// as those of networks and others.
TEST_P(QuantizedBinaryKernelTest, Int16_MatchesReference) {
  for (const double ratio : {1.0, 0.5, 0.25, 0.7071, 0.001, 0.0}) {
    for (const double out : {0.5, 1.0, 2.0, 3.3, 1e-4, 1e5}) {
      QuantizedBinaryParams p;
      p.shift = 15;
      p.low = -32768;
      p.high = 32767;
      p.a_scale = QuantizeMultiplier(0.5);
      p.b_scale = QuantizeMultiplier(0.5 * ratio);
      p.out_scale = QuantizeMultiplier(out / (1 << 14));
      for (const Kind kind : {Kind::kAdd, Kind::kSub}) {
        p.kind = kind;
        ExpectTwins<int16_t>(p);
      }
      p.b_zero = 3;
      p.out_zero = -7;
      p.low = -300;
      ExpectTwins<int16_t>(p);
      p.kind = Kind::kMul;
      p.out_scale = QuantizeMultiplier(out * (ratio + 0.5) / 32768);
      ExpectTwins<int16_t>(p);
    }
  }
}

// Every pair of 8-bit values; ratios of scales that make ties, or come near.
TEST_P(QuantizedBinaryKernelTest, AllInputs_MatchReference) {
  std::vector<int8_t> a(65536), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int8_t>(i >> 8);
    b[i] = static_cast<int8_t>(i & 255);
  }
  struct Scales {
    double a, b, out;
  };
  for (const Scales& s : {Scales{1, 1, 1},
                          {1, 0.5, 2},
                          {0.1, 0.3, 0.2},
                          {0.05, 0.04, 0.07},
                          {1, 1, 0.01},
                          {1, 0.9, 1},
                          {1, 0.5 + 1e-9, 1},
                          {1, 0.0033, 1},
                          {1, 3.0 / 1024, 1},
                          {3, 1e-4, 3}}) {
    for (const Kind kind : {Kind::kAdd, Kind::kSub, Kind::kMul}) {
      QuantizedBinaryParams p;
      p.kind = kind;
      p.shift = 20;
      const double twice = 2 * std::max(s.a, s.b);
      p.a_scale = QuantizeMultiplier(s.a / twice);
      p.b_scale = QuantizeMultiplier(s.b / twice);
      p.out_scale = QuantizeMultiplier(
          kind == Kind::kMul ? s.a * s.b / s.out
                             : twice / (static_cast<double>(1 << 20) * s.out));
      p.a_zero = -128;
      p.b_zero = 17;
      p.out_zero = -5;
      p.low = -128;
      p.high = 127;
      QuantizedBinaryBlock<int8_t> block;
      block.a = a.data();
      block.b = b.data();
      block.cols = a.size();
      const auto expect_twins = [&](const char* form) {
        std::vector<int8_t> got(a.size()), want(a.size());
        block.out = got.data();
        QuantizedBinary(p, block);
        block.out = want.data();
        reference::QuantizedBinary(p, block);
        EXPECT_EQ(got, want) << s.a << " " << s.b << " " << s.out << ", kind "
                             << static_cast<int>(kind) << ", " << form;
      };
      expect_twins("one row");
      // The first 256 of `b` are all values: beside rows of one value each.
      block.rows = block.cols = 256;
      block.a_row_stride = 256;
      expect_twins("all rows have the same b");
      std::swap(block.a, block.b);
      std::swap(block.a_row_stride, block.b_row_stride);
      expect_twins("all rows have the same a");
    }
  }
}

}  // namespace
}  // namespace munja::kernels
