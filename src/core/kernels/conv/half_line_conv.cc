#include "kernels/conv/half_line_conv.h"

#include <algorithm>
#include <cstdint>

#include "kernels/conv/half_lines.h"

namespace munja::kernels {
namespace {

HalfLineLayout ConvLinesOf(const Conv2dShape& s) {
  const auto in_c = static_cast<size_t>(s.in_c);
  const size_t last =
      static_cast<size_t>(s.out_w - 1) * static_cast<size_t>(s.stride_w) * in_c;
  return HalfLineLayout(s, static_cast<size_t>(s.pad_left) * in_c,
                        last + HalfLineRun(s), 1);
}

}  // namespace

bool TakesHalfLines(const Conv2dShape& s) {
  constexpr int32_t kPictureChannels = 4;
  return s.groups == 1 && s.in_c <= kPictureChannels && s.kernel_w > 1 &&
         s.dilation_w == 1;
}

bool SuitsHalfLines(const Conv2dShape& s) {
  return s.groups == 1 && s.kernel_h > 1 && s.dilation_w == 1 &&
         s.in_c * s.kernel_w % 8 == 0 &&
         static_cast<size_t>(s.out_c) <= PanelWidth();
}

size_t HalfLineRun(const Conv2dShape& s) {
  // Pairs, and whole groups of a last panel of few columns.
  const size_t numbers = static_cast<size_t>(s.in_c) * s.kernel_w;
  const size_t pairs = RoundUp(numbers, 2);
  return pairs * s.kernel_h % 4 == 0 ? RoundUp(numbers, 8) : pairs;
}

std::vector<float> FillHalfLines(const Conv2dShape& s, const float* weights) {
  const size_t run = HalfLineRun(s);
  const size_t numbers = static_cast<size_t>(s.in_c) * s.kernel_w;
  const size_t rows = static_cast<size_t>(s.out_c) * s.kernel_h;
  std::vector<float> filled(rows * run);
  for (size_t row = 0; row < rows; ++row)
    std::copy_n(weights + row * numbers, numbers, filled.data() + row * run);
  return filled;
}

Result<size_t> HalfLineScratchBytes(const Conv2dShape& s) {
  size_t columns = 0, bytes = 0;
  if (!CheckedMultiply(static_cast<size_t>(s.out_w),
                       static_cast<size_t>(s.stride_w), &columns) ||
      !CheckedAdd(columns, static_cast<size_t>(s.pad_left), &columns) ||
      !CheckedAdd(columns, static_cast<size_t>(s.in_w) + 64, &columns) ||
      !CheckedMultiply(columns, static_cast<size_t>(s.in_c) * sizeof(uint16_t),
                       &bytes) ||
      !CheckedAdd(bytes, static_cast<size_t>(s.kernel_w) * s.in_c * 8,
                  &bytes) ||
      !CheckedMultiply(bytes, static_cast<size_t>(s.in_h) + s.kernel_h, &bytes))
    return OutOfMemory("lines of a convolution do not fit memory");
  return ConvLinesOf(s).bytes();
}

void HalfLineConv(const Conv2dShape& s, const float* in,
                  const MatrixView& weights, const Epilogue& epilogue,
                  const MutableRowView& out, void* scratch, ThreadPool& pool) {
  const HalfLineLayout layout = ConvLinesOf(s);
  const auto width = static_cast<size_t>(s.out_w);
  const auto kernel_h = static_cast<size_t>(s.kernel_h);
  const size_t panels = PanelCount(weights.n);
  const size_t worker_bytes = layout.bytes(), run = HalfLineRun(s);
  const size_t grain =
      std::max<size_t>(1, RowsPerTask(weights.k, weights.n) / width);
  const size_t step = static_cast<size_t>(s.stride_w) * s.in_c;
  const MutableRowView lines_out{out.data, width * weights.n, out.type};
  pool.ParallelFor(
      static_cast<size_t>(s.batch) * s.out_h, grain,
      [&](size_t begin, size_t end, int worker) {
        HalfLines lines(s, layout, {in, 0},
                        static_cast<uint8_t*>(scratch) +
                            worker_bytes * static_cast<size_t>(worker));
        for (size_t n = begin; n < end; ++n) {
          MultiplyBlock(
              HalfLeftRows{lines.Under(n), width, kernel_h, run, true, step},
              weights, 0, panels,
              EpilogueFrom(epilogue, n * width, 0, weights.n),
              {RowsFrom(lines_out, n).data, weights.n, out.type});
        }
      });
}

}  // namespace munja::kernels
