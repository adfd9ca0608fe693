#include "kernels/depthwise/half_depthwise.h"

#include <algorithm>
#include <cstdint>

#include "kernels/conv/half_lines.h"
#include "kernels/cpu/cache.h"
#include "kernels/gemm/half_block.h"

namespace munja::kernels {
namespace {

// Lines that are made together read their rows from the first-level cache.
constexpr int32_t kLines = 4;

HalfLineLayout DepthwiseLinesOf(const Conv2dShape& s) {
  return HalfLineLayout(s, 0, 0, kLines);
}

}  // namespace

bool TakesHalfDepthwise(const Conv2dShape& s, const Activation& activation) {
  const HalfBlockFunctions* functions = HalfBlockInUse();
  return functions != nullptr && functions->depthwise != nullptr &&
         s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 &&
         s.dilation_w == 1 && s.kernel_w == 5 && s.kernel_h > 1 &&
         s.kernel_h <= 16 && s.in_c == s.out_c &&
         ClampOf(activation.kind).is_whole_activation;
}

// For each 32 channels, each two rows and each column of the kernel: the pairs
// of channels 0 to 3, 8 to 11, 16 to 19 and 24 to 27, then those of the others.
Result<Buffer> PackHalfDepthwise(const Conv2dShape& s, const float* weights) {
  const auto channels = static_cast<size_t>(s.in_c);
  const auto kernel_h = static_cast<size_t>(s.kernel_h);
  const auto kernel_w = static_cast<size_t>(s.kernel_w);
  const size_t pairs = (kernel_h + 1) / 2;
  size_t bytes = 0;
  if (!CheckedMultiply(RoundUp(channels, kHalfDepthwiseChannels),
                       2 * pairs * kernel_w * sizeof(uint16_t), &bytes))
    return OutOfMemory("depthwise weights do not fit memory");
  MUNJA_ASSIGN_OR_RETURN(Buffer packed, Buffer::Allocate(bytes));
  const ElementType format = HalfTypeInUse();
  auto* to = packed.as<uint16_t>();
  for (size_t c0 = 0; c0 < channels; c0 += kHalfDepthwiseChannels) {
    for (size_t pair = 0; pair < pairs; ++pair) {
      for (size_t j = 0; j < kernel_w; ++j) {
        for (size_t lane = 0; lane < kHalfDepthwiseChannels; ++lane) {
          const size_t half = lane / 16, at = lane % 16;
          const size_t c = c0 + at / 4 * 8 + half * 4 + at % 4;
          for (size_t i = 2 * pair; i < 2 * pair + 2; ++i) {
            const float w = i < kernel_h && c < channels
                                ? weights[(i * kernel_w + j) * channels + c]
                                : 0.0f;
            *to++ = reference::RoundToHalf(format, w);
          }
        }
      }
    }
  }
  return packed;
}

Result<size_t> HalfDepthwiseScratchBytes(const Conv2dShape& s, int threads) {
  size_t bytes = 0;
  if (!CheckedMultiply(static_cast<size_t>(s.in_w) + 64,
                       static_cast<size_t>(s.in_c) * 64, &bytes) ||
      !CheckedMultiply(bytes, static_cast<size_t>(threads), &bytes) ||
      !CheckedMultiply(DepthwiseLinesOf(s).bytes(),
                       static_cast<size_t>(threads), &bytes))
    return OutOfMemory("lines of a convolution do not fit memory");
  return bytes;
}

void HalfDepthwiseConv2d(const Conv2dShape& s, const RowView& in,
                         const Buffer& weights, const Epilogue& epilogue,
                         const MutableRowView& out, void* scratch,
                         ThreadPool& pool) {
  const HalfLineLayout layout = DepthwiseLinesOf(s);
  const auto channels = static_cast<size_t>(s.in_c);
  const size_t line_numbers = static_cast<size_t>(s.out_w) * channels;
  const size_t line_work =
      line_numbers * static_cast<size_t>(s.kernel_h) * s.kernel_w;
  const auto function = HalfBlockInUse()->depthwise;
  const MutableRowView lines_out{out.data, line_numbers, out.type};
  const ClampBounds clamp = ClampOf(epilogue.activation.kind);
  // Lines that two tasks read are rounded twice.
  const size_t least = in.is_half() ? 1 : 4 * static_cast<size_t>(s.kernel_h);
  pool.ParallelFor(
      static_cast<size_t>(s.batch) * s.out_h,
      RoundUp(std::max<size_t>(least, kMediumTask / line_work), kLines),
      [&](size_t begin, size_t end, int worker) {
        HalfLines lines(s, layout, in,
                        static_cast<uint8_t*>(scratch) +
                            layout.bytes() * static_cast<size_t>(worker));
        const auto height = static_cast<size_t>(s.out_h);
        for (size_t n = begin; n < end;) {
          const size_t count =
              std::min({size_t{kLines}, end - n, height - n % height});
          function({lines.Under(n), static_cast<int32_t>(count),
                    weights.as<uint16_t>(), s.kernel_h, s.kernel_w, s.pad_left,
                    s.in_w, s.out_w, channels, epilogue.bias, clamp,
                    RowsFrom(lines_out, n)});
          n += count;
        }
      });
}

}  // namespace munja::kernels
