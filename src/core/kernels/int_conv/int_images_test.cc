// Integer convolutions of images with a scale and a zero point each, whose
// results are real: activations that were quantized dynamically.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "base/buffer.h"
#include "hwy/tests/hwy_gtest.h"
#include "kernels/depthwise/int_depthwise.h"
#include "kernels/depthwise/line_depthwise.h"
#include "kernels/int_conv/int_conv_2d.h"
#include "kernels/int_conv/int_transpose_conv.h"

namespace munja::kernels {
namespace {

class IntImagesTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(IntImagesTest);

size_t InputCount(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.in_h * s.in_w * s.in_c;
}
size_t OutputCount(const Conv2dShape& s) {
  return static_cast<size_t>(s.batch) * s.out_h * s.out_w * s.out_c;
}

// Everything that such a convolution reads, drawn at random.
struct ImagesCase {
  ImagesCase(const Conv2dShape& shape, size_t weight_count, bool has_residual)
      : s(shape), stored(InputCount(s)), weights(weight_count) {
    const auto images = static_cast<size_t>(s.batch);
    const auto draw = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(generator);
    };
    for (uint8_t& x : stored) x = static_cast<uint8_t>(draw(0, 255));
    for (int16_t& w : weights) w = static_cast<int16_t>(draw(-128, 127));
    for (size_t n = 0; n < images; ++n) {
      zeros.push_back(draw(-128, 127));
      image_scales.push_back(static_cast<float>(draw(1, 99)) * 1e-4f);
    }
    for (int32_t c = 0; c < s.out_c; ++c) {
      scales.push_back(static_cast<float>(draw(1, 99)) * 1e-3f);
      bias.push_back(static_cast<float>(draw(-99, 99)) * 0.1f);
    }
    for (size_t i = 0; has_residual && i < OutputCount(s); ++i)
      residual.push_back(static_cast<float>(draw(-999, 999)) * 0.3f);
    const size_t image = stored.size() / images;
    for (size_t i = 0; i < stored.size(); ++i) {
      centered.push_back(static_cast<int16_t>(static_cast<int8_t>(stored[i]) -
                                              zeros[i / image]));
    }
    epilogue.type = ElementType::kFloat32;
    epilogue.scales = scales.data();
    epilogue.float_bias = bias.data();
    if (has_residual) epilogue.residual = residual.data();
    // Exact, whatever the instructions.
    epilogue.activation.kind = ActivationKind::kLeakyRelu;
    epilogue.activation.alpha = 0.25f;
  }
  IntEpilogue To(std::vector<float>& out) {
    out.assign(OutputCount(s), -1.0f);
    IntEpilogue to = epilogue;
    to.out = out.data();
    return to;
  }
  // As int8, or as the uint8 128 above it.
  IntInput Input(bool is_unsigned) {
    given = stored;
    given_zeros = zeros;
    if (is_unsigned) {
      for (uint8_t& x : given) x ^= 0x80;
      for (int32_t& zero : given_zeros) zero += 128;
    }
    return {given.data(),
            is_unsigned ? ElementType::kUInt8 : ElementType::kInt8,
            0,
            {},
            given_zeros.data()};
  }

  Conv2dShape s;
  std::vector<uint8_t> stored, given;
  std::vector<int16_t> weights, centered;
  std::vector<int32_t> zeros, given_zeros;
  std::vector<float> image_scales, scales, bias, residual;
  IntEpilogue epilogue;
  std::mt19937 generator{7};
};

Buffer Memory(size_t bytes) {
  auto buffer = Buffer::Allocate(bytes);
  EXPECT_TRUE(buffer.ok());
  return std::move(*buffer);
}

std::vector<IntFormat> ImageFormats() {
  std::vector<IntFormat> formats = {IntFormat::kInt16};
  if (ByteFormat() != IntFormat::kInt16) formats.push_back(ByteFormat());
  return formats;
}

// run(input, format, epilogue) gives what `want` is, in all formats.
template <class Run>
void ExpectEach(ImagesCase& c, const std::vector<float>& want, const Run& run) {
  for (const IntFormat format : ImageFormats()) {
    for (const bool is_unsigned : {false, true}) {
      std::vector<float> got;
      const IntEpilogue epilogue = c.To(got);
      run(c.Input(is_unsigned), format, epilogue);
      EXPECT_EQ(got, want) << static_cast<int>(format) << " " << is_unsigned;
    }
  }
}

TEST_P(IntImagesTest, ConvolutionsWithZeroPointPerImage_MatchReference) {
  struct Size {
    int32_t batch, in_h, in_w, in_c, out_c, kernel, groups;
  };
  ThreadPool pool(2);
  for (const Size& size :
       {Size{200, 1, 1, 80, 37, 1, 1}, Size{7, 1, 1, 5, 3, 1, 1},
        Size{3, 5, 41, 24, 20, 1, 1}, Size{1, 9, 40, 16, 33, 1, 1},
        Size{2, 6, 30, 8, 16, 3, 1}, Size{2, 6, 7, 6, 8, 3, 2},
        Size{1, 5, 30, 3, 24, 3, 1}}) {
    Conv2dShape s;
    s.batch = size.batch;
    s.in_h = s.out_h = size.in_h;
    s.in_w = s.out_w = size.in_w;
    s.in_c = size.in_c;
    s.out_c = size.out_c;
    s.kernel_h = s.kernel_w = size.kernel;
    s.pad_top = s.pad_left = size.kernel / 2;
    s.groups = size.groups;
    for (const bool has_residual : {false, true}) {
      SCOPED_TRACE(::testing::Message() << size.batch << " images, "
                                        << size.in_c << " to " << size.out_c);
      ImagesCase c(s,
                   static_cast<size_t>(s.out_c) * s.kernel_h * s.kernel_w *
                       static_cast<size_t>(s.in_c / s.groups),
                   has_residual);
      std::vector<float> want;
      reference::IntConv2d(s, c.centered.data(), c.weights.data(),
                           c.image_scales.data(), c.To(want));
      ExpectEach(c, want,
                 [&](const IntInput& in, IntFormat format,
                     const IntEpilogue& epilogue) {
                   Buffer packed = Memory(IntConv2dWeightBytes(s, format)),
                          scratch = Memory(IntConv2dScratchBytes(s, format, 2));
                   PackIntConv2d(c.weights.data(), s, format, packed.data());
                   IntConv2d(s, in,
                             IntConv2dWeightsAt(s, format, packed.data()),
                             c.image_scales.data(), DenseStrides(s), epilogue,
                             scratch.data(), pool);
                 });
    }
  }
}

TEST_P(IntImagesTest, DepthwiseWithZeroPointPerImage_MatchesReference) {
  ThreadPool pool(2);
  Conv2dShape s;
  s.batch = 3;
  s.in_h = s.out_h = 7;
  s.in_w = s.out_w = 35;
  s.in_c = s.out_c = 19;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  ImagesCase c(s, size_t{9 * 19}, true);
  std::vector<float> want;
  reference::IntDepthwise(s, c.centered.data(), c.weights.data(),
                          c.image_scales.data(), c.To(want));
  ExpectEach(
      c, want,
      [&](const IntInput& in, IntFormat format, const IntEpilogue& epilogue) {
        Buffer packed = Memory(LineDepthwiseWeightBytes(s, format)),
               scratch = Memory(LineDepthwiseScratchBytes(s, format, 2));
        PackLineDepthwise(c.weights.data(), s, format, packed.data());
        LineDepthwise(s, in, format, packed.data(), c.image_scales.data(),
                      epilogue, scratch.data(), pool);
      });
}

TEST_P(IntImagesTest, TransposedWithZeroPointPerImage_MatchesReference) {
  ThreadPool pool(2);
  // With a kernel of one tap most places of the output have no tap at all.
  for (const int32_t kernel : {1, 2, 3}) {
    Conv2dShape s;
    s.batch = 3;
    s.in_h = 5;
    s.in_w = 8;
    s.in_c = 6;
    s.out_c = 1;
    s.kernel_h = s.kernel_w = kernel;
    s.stride_h = s.stride_w = 2;
    s.out_h = 2 * s.in_h;
    s.out_w = 2 * s.in_w;
    ImagesCase c(s, static_cast<size_t>(kernel * kernel * 6), false);
    std::vector<float> want;
    reference::IntTransposeConv(s, c.centered.data(), c.weights.data(),
                                c.image_scales.data(), c.To(want));
    ExpectEach(
        c, want,
        [&](const IntInput& in, IntFormat format, const IntEpilogue& epilogue) {
          Buffer packed = Memory(IntTransposeConvWeightBytes(s, format)),
                 scratch = Memory(IntTransposeConvScratchBytes(s, format, 2));
          PackIntTransposeConv(c.weights.data(), s, format, packed.data());
          IntTransposeConv(s, in, format, packed.data(), c.image_scales.data(),
                           epilogue, scratch.data(), pool);
        });
  }
}

}  // namespace
}  // namespace munja::kernels
