#include "kernels/int_conv/int_conv_2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "base/buffer.h"
#include "hwy/tests/hwy_gtest.h"
#include "kernels/cpu/byte_dot.h"
#include "kernels/depthwise/int_depthwise.h"
#include "kernels/depthwise/line_depthwise.h"
#include "kernels/int_conv/int_narrow_conv.h"
#include "kernels/int_conv/int_transpose_conv.h"
#include "kernels/int_conv/int_winograd.h"

namespace munja::kernels {
namespace {

class IntConv2dTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(IntConv2dTest);

template <class T>
std::vector<T> RandomIntegers(size_t count, int64_t low, int64_t high,
                              uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<int64_t> uniform(low, high);
  std::vector<T> v(count);
  for (T& x : v) x = static_cast<T>(uniform(generator));
  return v;
}

// Random multipliers and biases for `columns` channels, and memory for an
// output of that type. Multipliers all of which are small let tiles store
// results themselves; some are powers of two then, for results halfway between
// integers.
struct OwnedEpilogue {
  OwnedEpilogue(ElementType type, bool is_wide, size_t columns, size_t elements,
                bool are_small = false)
      : mantissas(RandomIntegers<int32_t>(columns, 1 << 30, INT32_MAX, 1)),
        exponents(RandomIntegers<int32_t>(columns, -14, are_small ? -1 : 1, 2)),
        bias(RandomIntegers<int32_t>(columns, -30000, 30000, 3)),
        wide_bias(RandomIntegers<int64_t>(columns, -300000, 300000, 4)),
        scales(columns, 0.125f),
        float_bias(columns, -1.5f),
        out(elements * 4, 0x55) {
    for (size_t c = 0; are_small && c < columns; c += 3) mantissas[c] = 1 << 30;
    epilogue.type = type;
    epilogue.is_wide = is_wide;
    epilogue.mantissas = mantissas.data();
    epilogue.exponents = exponents.data();
    if (is_wide)
      epilogue.wide_bias = wide_bias.data();
    else
      epilogue.bias = bias.data();
    epilogue.scales = scales.data();
    epilogue.float_bias = float_bias.data();
    epilogue.activation.kind = ActivationKind::kRelu6;
    epilogue.zero = type == ElementType::kUInt8 ? 100 : -3;
    epilogue.low = type == ElementType::kUInt8   ? 7
                   : type == ElementType::kInt16 ? -30000
                                                 : -120;
    epilogue.high = type == ElementType::kInt16 ? 31000 : 126;
    epilogue.out = out.data();
  }
  std::vector<int32_t> mantissas, exponents, bias;
  std::vector<int64_t> wide_bias;
  std::vector<float> scales, float_bias;
  std::vector<uint8_t> out;
  IntEpilogue epilogue;
};

struct Type {
  ElementType type;  // Output type.
  bool is_wide;
  ElementType in;
  int32_t zero;
  int32_t in_range;  // Range of int16 inputs.
  bool has_small_multipliers = false;
};
constexpr auto kI8 = ElementType::kInt8, kU8 = ElementType::kUInt8,
               kI16 = ElementType::kInt16;
constexpr Type kTypes[] = {{kI8, false, kI8, -13, 0},
                           {kI8, false, kI8, 127, 0},
                           {kU8, false, kU8, 77, 0},
                           {kU8, false, kI8, -128, 0},
                           {kI8, false, kI8, -13, 0, true},
                           {kU8, false, kU8, 77, 0, true},
                           {kI8, false, kU8, 140, 0, true},
                           {kI16, false, kU8, 255, 0},
                           {kI16, false, kI16, 0, 2000},
                           {kI16, true, kI16, 0, 32767},
                           {ElementType::kInt32, false, kI8, 0, 0},
                           {ElementType::kFloat32, false, kI8, 5, 0},
                           {ElementType::kFloat32, false, kI16, 0, 255}};

// Quantized values, and the same without their zero point.
struct Input {
  Input(const Type& type, size_t count, uint32_t seed) {
    if (type.in == kI16) {
      centered =
          RandomIntegers<int16_t>(count, -type.in_range, type.in_range, seed);
      view = {centered.data(), kI16, 0};
      return;
    }
    const bool is_signed = type.in == kI8;
    stored = RandomIntegers<uint8_t>(count, 0, 255, seed);
    for (const uint8_t x : stored) {
      const int32_t value = is_signed ? static_cast<int8_t>(x) : int32_t{x};
      centered.push_back(static_cast<int16_t>(value - type.zero));
    }
    view = {stored.data(), type.in, type.zero};
  }
  std::vector<uint8_t> stored;
  std::vector<int16_t> centered;
  IntInput view;
};

// The formats in which such input can be read.
std::vector<IntFormat> Formats(const Type& type) {
  std::vector<IntFormat> formats = {IntFormat::kInt16};
  if (type.in != kI16 && ByteFormat() != IntFormat::kInt16)
    formats.push_back(ByteFormat());
  return formats;
}

// Fast and reference kernel write the same bytes.
void CheckIntConv(const Conv2dShape& s, const Type& type, int threads) {
  SCOPED_TRACE(::testing::Message()
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " to " << s.out_c
               << ", kernel " << s.kernel_h << "x" << s.kernel_w << ", type "
               << static_cast<int>(type.type) << (type.is_wide ? " wide" : "")
               << " from " << static_cast<int>(type.in));
  const size_t in_count =
      static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c;
  const size_t weight_count = static_cast<size_t>(s.out_c) * s.kernel_h *
                              s.kernel_w * (s.in_c / s.groups);
  const size_t out_count =
      static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
  const Input in(type, in_count, 5);
  std::vector<float> scales(static_cast<size_t>(s.batch));
  for (size_t i = 0; i < scales.size(); ++i)
    scales[i] = 0.001f * static_cast<float>(i + 1);
  const auto columns = static_cast<size_t>(s.out_c);
  ThreadPool pool(threads);
  for (const IntFormat format : Formats(type)) {
    SCOPED_TRACE(static_cast<int>(format));
    // Legacy weights have nine bits.
    const bool has_nine_bits =
        format == IntFormat::kInt16 && type.in == ElementType::kUInt8;
    const auto weights =
        has_nine_bits ? RandomIntegers<int16_t>(weight_count, -255, 255, 6)
                      : RandomIntegers<int16_t>(weight_count, -128, 127, 6);
    OwnedEpilogue want(type.type, type.is_wide, columns, out_count,
                       type.has_small_multipliers);
    OwnedEpilogue got(type.type, type.is_wide, columns, out_count,
                      type.has_small_multipliers);
    auto packed = Buffer::Allocate(IntConv2dWeightBytes(s, format));
    auto scratch = Buffer::Allocate(IntConv2dScratchBytes(s, format, threads));
    ASSERT_TRUE(packed.ok() && scratch.ok());
    PackIntConv2d(weights.data(), s, format, packed->data());
    // Without scales pixels lie one after the other, and are seen to.
    const float* image_scales = s.batch == 1 ? nullptr : scales.data();
    IntConv2d(s, in.view, IntConv2dWeightsAt(s, format, packed->data()),
              image_scales, DenseStrides(s), got.epilogue, scratch->data(),
              pool);
    reference::IntConv2d(s, in.centered.data(), weights.data(), image_scales,
                         want.epilogue);
    EXPECT_EQ(got.out, want.out);
    if (!type.is_wide && IsIntWinograd(s, format, type.in)) {
      OwnedEpilogue winograd(type.type, type.is_wide, columns, out_count,
                             type.has_small_multipliers);
      packed = Buffer::Allocate(IntWinogradWeightBytes(s, format));
      scratch = Buffer::Allocate(IntWinogradScratchBytes(s, threads));
      ASSERT_TRUE(packed.ok() && scratch.ok());
      PackIntWinograd(weights.data(), s, packed->data());
      IntWinogradConv2d(s, in.view, packed->data(), image_scales,
                        winograd.epilogue, scratch->data(), pool);
      EXPECT_EQ(winograd.out, want.out) << "Winograd";
    }
    if (!IsIntNarrowConv(s)) continue;
    OwnedEpilogue narrow(type.type, type.is_wide, columns, out_count,
                         type.has_small_multipliers);
    packed = Buffer::Allocate(IntNarrowConvWeightBytes(s, format));
    scratch = Buffer::Allocate(IntNarrowConvScratchBytes(s, format, threads));
    ASSERT_TRUE(packed.ok() && scratch.ok());
    PackIntNarrowConv(weights.data(), s, format, packed->data());
    IntNarrowConv(s, in.view, format, packed->data(), image_scales,
                  narrow.epilogue, scratch->data(), pool);
    EXPECT_EQ(narrow.out, want.out) << "narrow";
  }
}

// By hand: [1 2; 3 4] times [5 6 7; 8 9 10], halved, plus 1.
TEST_P(IntConv2dTest, SmallCase_MatchesHandComputation) {
  Conv2dShape s;
  s.batch = 2;
  s.in_c = 2;
  s.out_c = 3;
  // Zero point 100.
  const int8_t in[] = {101, 102, 103, 104};
  const int16_t weights[] = {5, 8, 6, 9, 7, 10};
  const int32_t mantissas[] = {1 << 30, 1 << 30, 1 << 30},
                exponents[] = {0, 0, 0};
  for (const bool is_allowed : {true, false}) {
    AllowByteDot(is_allowed);
    int8_t out[6] = {};
    IntEpilogue epilogue;
    epilogue.mantissas = mantissas;
    epilogue.exponents = exponents;
    epilogue.zero = 1;
    epilogue.low = -128;
    epilogue.high = 30;
    epilogue.out = out;
    const IntFormat format = ByteFormat();
    auto packed = Buffer::Allocate(IntConv2dWeightBytes(s, format));
    auto scratch = Buffer::Allocate(IntConv2dScratchBytes(s, format, 1));
    ASSERT_TRUE(packed.ok() && scratch.ok());
    PackIntConv2d(weights, s, format, packed->data());
    ThreadPool pool(1);
    IntConv2d(s, {in, ElementType::kInt8, 100},
              IntConv2dWeightsAt(s, format, packed->data()), nullptr,
              DenseStrides(s), epilogue, scratch->data(), pool);
    // Sums 21 24 27 47 54 61; halves round away from zero.
    const int8_t want[] = {12, 13, 15, 25, 28, 30};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], want[i]) << i;
  }
  AllowByteDot(true);
  EXPECT_FALSE(!HasByteDot() && ByteFormat() != IntFormat::kInt16);
}

TEST_P(IntConv2dTest, MatrixProducts_MatchReference) {
  for (const Type& type : kTypes) {
    for (const int32_t k : {1, 2, 7, 64, 1023}) {
      for (const int32_t n : {1, 5, 16, 33, 70}) {
        Conv2dShape s;
        s.batch = n == 33 ? 50 : 3;
        s.in_c = k;
        s.out_c = n;
        CheckIntConv(s, type, 2);
      }
    }
  }
}

TEST_P(IntConv2dTest, Windows_MatchReference) {
  for (const Type& type : kTypes) {
    Conv2dShape s;
    s.batch = 2;
    s.in_h = 9;
    s.in_w = 11;
    s.in_c = 6;
    s.out_c = 20;
    s.kernel_h = s.kernel_w = 3;
    s.pad_top = s.pad_left = 1;
    s.out_h = 9;
    s.out_w = 11;
    CheckIntConv(s, type, 3);
    s.dilation_w = 2;
    s.pad_left = 2;
    CheckIntConv(s, type, 1);
    s.groups = 2;
    s.stride_w = 2;
    s.out_w = 6;
    CheckIntConv(s, type, 2);
    s.groups = 1;
    s.in_c = 1;
    s.dilation_w = 1;
    s.out_c = 3;
    CheckIntConv(s, type, 2);
    // Negative pads, and windows that lie outside altogether.
    s.in_c = 3;
    s.out_c = 16;
    s.pad_left = -3;
    s.pad_top = -2;
    CheckIntConv(s, type, 1);
    s.pad_left = 9;
    s.pad_top = 8;
    s.dilation_h = 3;
    CheckIntConv(s, type, 2);
  }
}

// Odd and even sizes, channels that are no whole vectors, more than one block
// of squares, pads that are negative or of more than a line.
TEST_P(IntConv2dTest, SquaresOf3x3_MatchReference) {
  for (const Type& type : kTypes) {
    for (const auto& [in_c, out_c] :
         {std::pair{32, 16}, {34, 40}, {32, 17}, {112, 112}, {512, 16}}) {
      Conv2dShape s;
      s.batch = in_c == 34 ? 2 : 1;
      s.in_h = 7;
      s.in_w = in_c < 100 ? 61 : 24;
      s.in_c = in_c;
      s.out_c = out_c;
      s.kernel_h = s.kernel_w = 3;
      s.pad_top = s.pad_left = 1;
      s.out_h = 7;
      s.out_w = s.in_w;
      ASSERT_TRUE(IsIntWinograd(s, IntFormat::kInt16, kI8));
      CheckIntConv(s, type, 2);
      s.out_h = 5;
      s.out_w -= 3;
      s.pad_top = -1;
      s.pad_left = 4;
      CheckIntConv(s, type, 1);
      s.out_h = 9;
      s.pad_top = 3;
      s.pad_left = -2;
      CheckIntConv(s, type, 1);
    }
  }
}

// Blocks of pixels that lie at equal steps, some of them above or below the
// image, and more than one block a line.
TEST_P(IntConv2dTest, LongRows_MatchReference) {
  for (const Type& type : kTypes) {
    for (const auto& [in_c, out_c, stride] : {std::tuple{16, 8, 1},
                                              {8, 16, 1},
                                              {3, 16, 2},
                                              {4, 33, 1},
                                              {5, 4, 1}}) {
      Conv2dShape s;
      s.in_h = 5;
      s.in_w = 116;
      s.in_c = in_c;
      s.out_c = out_c;
      s.kernel_h = s.kernel_w = stride + 1;
      s.stride_h = s.stride_w = stride;
      s.pad_top = s.pad_left = 1;
      s.out_h = stride == 1 ? 6 : 3;
      s.out_w = stride == 1 ? 117 : 58;
      CheckIntConv(s, type, 2);
      // An even number of pixels, and a multiple of four.
      s.pad_top = 0;
      s.out_w -= 1;
      s.out_h -= 1;
      CheckIntConv(s, type, 1);
    }
  }
}

// Rows that are multiplied where they lie.
TEST_P(IntConv2dTest, LongMatrices_MatchReference) {
  for (const Type& type : kTypes) {
    for (const int32_t n : {16, 24, 40, 64}) {
      Conv2dShape s;
      s.in_h = s.out_h = 3;
      s.in_w = s.out_w = 71;
      s.in_c = 12;
      s.out_c = n;
      CheckIntConv(s, type, 2);
    }
  }
}

TEST_P(IntConv2dTest, Depthwise_MatchesReference) {
  for (const Type& type : kTypes) {
    for (const auto& [in_c, multiplier] :
         {std::pair{1, 1}, {1, 37}, {5, 3}, {19, 1}, {300, 1}, {64, 2}}) {
      Conv2dShape s;
      s.batch = 2;
      s.in_h = 7;
      s.in_w = 6;
      s.in_c = in_c;
      s.out_c = in_c * multiplier;
      s.kernel_h = 3;
      s.kernel_w = 5;
      s.dilation_h = 2;
      s.stride_w = 2;
      s.pad_top = 2;
      s.pad_left = 1;
      s.out_h = 7;
      s.out_w = 3;
      const size_t out_count =
          static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
      const Input in(type, static_cast<size_t>(2 * 7 * 6 * in_c), 7);
      const auto weights = RandomIntegers<int16_t>(
          static_cast<size_t>(15 * s.out_c), -127, 127, 8);
      const float scales[] = {0.5f, 0.25f};
      const auto columns = static_cast<size_t>(s.out_c);
      OwnedEpilogue want(type.type, type.is_wide, columns, out_count,
                         type.has_small_multipliers);
      OwnedEpilogue got(type.type, type.is_wide, columns, out_count,
                        type.has_small_multipliers);
      ThreadPool pool(2);
      IntDepthwise(s, in.centered.data(), weights.data(), scales, got.epilogue,
                   pool);
      reference::IntDepthwise(s, in.centered.data(), weights.data(), scales,
                              want.epilogue);
      EXPECT_EQ(got.out, want.out) << in_c << " x " << multiplier << ", type "
                                   << static_cast<int>(type.type);
    }
  }
}

// Sums of int16 as large as they get, with biases with which they fit 32 bits
// just so, or no longer.
TEST_P(IntConv2dTest, WideBiasesAtTheLimit_MatchReference) {
  Conv2dShape s;
  s.in_c = 40;
  s.out_c = 37;
  s.in_w = s.out_w = 3;
  const auto weights = RandomIntegers<int16_t>(40 * 37, -128, 127, 21);
  const auto row = RandomIntegers<int16_t>(3 * 40, -32768, 32767, 22);
  ThreadPool pool(1);
  for (int32_t extra = -2; extra <= 2; ++extra) {
    for (const bool is_negative : {false, true}) {
      for (const size_t worst : {0, 17, 36}) {
        std::vector<int16_t> in = row;
        for (size_t k = 0; k < 40; ++k) {
          const bool falls = (weights[worst * 40 + k] < 0) != is_negative;
          in[k] = falls ? int16_t{-32768} : int16_t{32767};
        }
        OwnedEpilogue want(kI16, true, 37, 3 * 37), got(kI16, true, 37, 3 * 37);
        for (OwnedEpilogue* epilogue : {&want, &got}) {
          for (size_t c = 0; c < 37; ++c) {
            int64_t absolutes = 0;
            for (size_t k = 0; k < 40; ++k)
              absolutes += std::abs(weights[c * 40 + k]);
            const int64_t bias = INT32_MAX - absolutes * 32768 + extra;
            epilogue->wide_bias[c] = is_negative ? -bias : bias;
            epilogue->exponents[c] = -17;
          }
        }
        const auto format = IntFormat::kInt16;
        auto packed = Buffer::Allocate(IntConv2dWeightBytes(s, format));
        auto scratch = Buffer::Allocate(IntConv2dScratchBytes(s, format, 1));
        ASSERT_TRUE(packed.ok() && scratch.ok());
        PackIntConv2d(weights.data(), s, format, packed->data());
        IntConv2d(s, {in.data(), kI16, 0},
                  IntConv2dWeightsAt(s, format, packed->data()), nullptr,
                  DenseStrides(s), got.epilogue, scratch->data(), pool);
        reference::IntConv2d(s, in.data(), weights.data(), nullptr,
                             want.epilogue);
        EXPECT_EQ(got.out, want.out) << extra << " in column " << worst;
      }
    }
  }
}

// Sums whose results are near a half, or one, for many multipliers.
TEST_P(IntConv2dTest, EpilogueTies_MatchReference) {
  constexpr size_t kCount = 4096;
  for (const int32_t exponent : {-21, -17, -12, -7, -3, -1, 0, 3}) {
    for (const ElementType type : {ElementType::kInt8, ElementType::kUInt8}) {
      OwnedEpilogue want(type, false, kCount, kCount);
      OwnedEpilogue got(type, false, kCount, kCount);
      std::vector<int32_t> sums(kCount);
      for (OwnedEpilogue* epilogue : {&want, &got}) {
        epilogue->epilogue.bias = nullptr;
        epilogue->exponents.assign(kCount, exponent);
        for (size_t i = 0; i < kCount; ++i) {
          // Every fourth is a power of two.
          if (i % 4 == 0) epilogue->mantissas[i] = 1 << 30;
          const double real = std::ldexp(epilogue->mantissas[i], exponent - 31);
          const double target = static_cast<double>(i % 600) - 299.5;
          const double sum =
              std::clamp(target / real, -2147483648.0, 2147483647.0 - 4.0);
          sums[i] = static_cast<int32_t>(sum) + static_cast<int32_t>(i % 3);
        }
      }
      const RowTarget target;
      StoreSums(got.epilogue, sums.data(), 0, &target, 1, 0, kCount);
      for (size_t i = 0; i < kCount; ++i)
        reference::StoreSum(want.epilogue, sums[i], target, i);
      EXPECT_EQ(got.out, want.out) << exponent;
    }
  }
}

// Shapes of one output channel for each input channel.
TEST_P(IntConv2dTest, DepthwiseByRows_MatchesReference) {
  struct Case {
    int32_t channels, kernel_h, kernel_w, stride_h, stride_w, dilation;
  };
  for (const Type& type : kTypes) {
    for (const Case& c : {Case{1, 1, 1, 1, 1, 1}, Case{19, 3, 3, 1, 1, 1},
                          Case{48, 3, 3, 2, 2, 1}, Case{16, 5, 5, 1, 1, 1},
                          Case{33, 1, 5, 1, 1, 1}, Case{7, 7, 3, 1, 2, 1},
                          Case{8, 2, 2, 2, 1, 1}, Case{20, 3, 3, 1, 1, 2},
                          Case{65, 4, 1, 1, 1, 1}, Case{3, 9, 2, 3, 1, 1}}) {
      Conv2dShape s;
      s.batch = 2;
      s.in_h = 11;
      s.in_w = 38;
      s.in_c = s.out_c = c.channels;
      s.kernel_h = c.kernel_h;
      s.kernel_w = c.kernel_w;
      s.stride_h = c.stride_h;
      s.stride_w = c.stride_w;
      s.dilation_h = s.dilation_w = c.dilation;
      s.out_h = (s.in_h + s.stride_h - 1) / s.stride_h;
      s.out_w = (s.in_w + s.stride_w - 1) / s.stride_w;
      s.pad_top = (s.kernel_h - 1) * c.dilation / 2;
      s.pad_left = (s.kernel_w - 1) * c.dilation / 2;
      SCOPED_TRACE(::testing::Message()
                   << c.channels << " channels, kernel " << c.kernel_h << "x"
                   << c.kernel_w << ", type " << static_cast<int>(type.type));
      ASSERT_TRUE(IsLineDepthwise(s));
      const auto columns = static_cast<size_t>(s.out_c);
      const size_t out_count =
          static_cast<size_t>(s.batch) * s.out_h * s.out_w * columns;
      const Input in(
          type, static_cast<size_t>(s.batch) * s.in_h * s.in_w * columns, 10);
      const auto weights = RandomIntegers<int16_t>(
          columns * s.kernel_h * s.kernel_w, -128, 127, 11);
      const float scales[] = {0.5f, 0.25f};
      ThreadPool pool(2);
      for (const IntFormat format : Formats(type)) {
        SCOPED_TRACE(static_cast<int>(format));
        OwnedEpilogue want(type.type, type.is_wide, columns, out_count,
                           type.has_small_multipliers);
        OwnedEpilogue got(type.type, type.is_wide, columns, out_count,
                          type.has_small_multipliers);
        auto packed = Buffer::Allocate(LineDepthwiseWeightBytes(s, format));
        auto scratch =
            Buffer::Allocate(LineDepthwiseScratchBytes(s, format, 2));
        ASSERT_TRUE(packed.ok() && scratch.ok());
        PackLineDepthwise(weights.data(), s, format, packed->data());
        LineDepthwise(s, in.view, format, packed->data(), scales, got.epilogue,
                      scratch->data(), pool);
        reference::IntDepthwise(s, in.centered.data(), weights.data(), scales,
                                want.epilogue);
        EXPECT_EQ(got.out, want.out);
      }
    }
  }
}

TEST_P(IntConv2dTest, Transposed_MatchesReference) {
  for (const Type& type : kTypes) {
    for (const auto& [kernel, stride, pad] : {std::tuple{2, 2, 0},
                                              {3, 2, 1},
                                              {1, 2, 0},
                                              {4, 1, 2},
                                              {5, 3, 0},
                                              {3, 3, 0},
                                              {3, 3, 1}}) {
      Conv2dShape s;
      s.batch = 2;
      s.in_h = 5;
      s.in_w = pad == 0 ? 8 : 7;
      s.in_c = 6;
      s.out_c = kernel == 2 ? 1 : 18;
      s.kernel_h = s.kernel_w = kernel;
      s.stride_h = s.stride_w = stride;
      s.pad_top = s.pad_left = pad;
      // Kernels as large as the stride make tiles.
      s.out_h =
          (s.in_h - 1) * stride + kernel - 2 * pad + (kernel == stride ? 0 : 1);
      s.out_w = (s.in_w - 1) * stride + kernel - 2 * pad;
      SCOPED_TRACE(::testing::Message() << "kernel " << kernel << ", type "
                                        << static_cast<int>(type.type));
      const auto columns = static_cast<size_t>(s.out_c);
      const size_t out_count =
          static_cast<size_t>(s.batch) * s.out_h * s.out_w * columns;
      const Input in(type, static_cast<size_t>(2 * 5 * s.in_w * 6), 12);
      const auto weights = RandomIntegers<int16_t>(
          columns * 6 * static_cast<size_t>(kernel * kernel), -128, 127, 13);
      const float scales[] = {0.5f, 0.25f};
      ThreadPool pool(2);
      for (const IntFormat format : Formats(type)) {
        OwnedEpilogue want(type.type, type.is_wide, columns, out_count,
                           type.has_small_multipliers);
        OwnedEpilogue got(type.type, type.is_wide, columns, out_count,
                          type.has_small_multipliers);
        auto packed = Buffer::Allocate(IntTransposeConvWeightBytes(s, format));
        auto scratch =
            Buffer::Allocate(IntTransposeConvScratchBytes(s, format, 2));
        ASSERT_TRUE(packed.ok() && scratch.ok());
        PackIntTransposeConv(weights.data(), s, format, packed->data());
        IntTransposeConv(s, in.view, format, packed->data(), scales,
                         got.epilogue, scratch->data(), pool);
        reference::IntTransposeConv(s, in.centered.data(), weights.data(),
                                    scales, want.epilogue);
        EXPECT_EQ(got.out, want.out);
      }
    }
  }
}

// Every exponent, and sums at the ends of 32 bits.
TEST_P(IntConv2dTest, EpilogueRounding_MatchesReference) {
  auto sums = RandomIntegers<int32_t>(997, INT32_MIN, INT32_MAX, 9);
  sums[0] = INT32_MIN;
  sums[1] = INT32_MAX;
  sums[2] = -1;
  sums[3] = 0;
  for (int32_t exponent = -31; exponent <= 30; ++exponent) {
    for (const ElementType type :
         {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}) {
      OwnedEpilogue want(type, false, sums.size(), sums.size());
      OwnedEpilogue got(type, false, sums.size(), sums.size());
      for (OwnedEpilogue* epilogue : {&want, &got})
        epilogue->exponents.assign(sums.size(), exponent);
      const RowTarget target;
      StoreSums(got.epilogue, sums.data(), 0, &target, 1, 0, sums.size());
      for (size_t i = 0; i < sums.size(); ++i)
        reference::StoreSum(want.epilogue, sums[i], target, i);
      EXPECT_EQ(got.out, want.out) << exponent;
    }
  }
}

}  // namespace
}  // namespace munja::kernels
