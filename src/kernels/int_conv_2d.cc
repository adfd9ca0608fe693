// The windows of a block of output pixels are unfolded into rows, which are
// then multiplied with the packed weights while they are in the cache.
#include "kernels/int_conv_2d.h"

#include <algorithm>
#include <cstring>

#include "base/buffer.h"

namespace munja::kernels {
namespace {

size_t Depth(const Conv2dShape& s) {
  return static_cast<size_t>(s.kernel_h) * s.kernel_w *
         static_cast<size_t>(s.in_c / s.groups);
}

// The input is the left matrix as it is.
bool IsMatrixProduct(const Conv2dShape& s) {
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 &&
         s.stride_w == 1 && s.pad_top == 0 && s.pad_left == 0 &&
         s.groups == 1 && s.out_h == s.in_h && s.out_w == s.in_w &&
         s.in_c % 2 == 0;
}

// Rows unfolded at once: a quarter of a usual second-level cache.
size_t BlockRows(size_t depth) {
  constexpr size_t kElements = size_t{1} << 16;
  const size_t rows = kElements / std::max<size_t>(1, depth) / 12 * 12;
  return std::clamp<size_t>(rows, 12, kIntBlockRows);
}

// The window of output pixel (y, x): kernel_h x kernel_w x in_c / groups.
void Unfold(const Conv2dShape& s, const int16_t* image, int32_t y, int32_t x,
            int32_t group, int16_t* out) {
  const auto in_c = static_cast<size_t>(s.in_c);
  const size_t length = in_c / static_cast<size_t>(s.groups);
  const auto taps = static_cast<size_t>(s.kernel_w);
  const int64_t left = int64_t{x} * s.stride_w - s.pad_left;
  const bool is_run = s.groups == 1 && s.dilation_w == 1;
  // Columns [begin, end) of the kernel lie in the image, if it is a run.
  const int64_t begin = std::clamp<int64_t>(-left, 0, s.kernel_w);
  const int64_t end = std::clamp<int64_t>(s.in_w - left, begin, s.kernel_w);
  for (int32_t i = 0; i < s.kernel_h; ++i, out += taps * length) {
    const int64_t row =
        int64_t{y} * s.stride_h - s.pad_top + int64_t{i} * s.dilation_h;
    if (row < 0 || row >= s.in_h) {
      std::fill_n(out, taps * length, int16_t{0});
      continue;
    }
    const int16_t* line = image + static_cast<size_t>(row) * s.in_w * in_c;
    if (is_run) {
      const size_t first = static_cast<size_t>(begin) * length,
                   last = static_cast<size_t>(end) * length;
      std::fill_n(out, first, int16_t{0});
      if (last > first) {
        std::memcpy(out + first, line + (left + begin) * s.in_c,
                    (last - first) * sizeof(int16_t));
      }
      std::fill_n(out + last, taps * length - last, int16_t{0});
      continue;
    }
    for (int32_t j = 0; j < s.kernel_w; ++j) {
      const int64_t column = left + int64_t{j} * s.dilation_w;
      int16_t* tap = out + static_cast<size_t>(j) * length;
      if (column < 0 || column >= s.in_w) {
        std::fill_n(tap, length, int16_t{0});
      } else {
        std::memcpy(tap,
                    line + static_cast<size_t>(column) * in_c +
                        static_cast<size_t>(group) * length,
                    length * sizeof(int16_t));
      }
    }
  }
}

size_t WorkerBytes(const Conv2dShape& s) {
  if (IsMatrixProduct(s)) return 0;
  const size_t depth = PaddedDepth(Depth(s));
  return RoundUp(BlockRows(depth) * depth * sizeof(int16_t), kBufferAlignment);
}

// How the work is split: rows by about a million multiplications, columns
// where there are few rows, so that a small batch still splits.
struct Split {
  Split(const Conv2dShape& s, const IntConv2dWeights& w) {
    pixels = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
    block = BlockRows(PaddedDepth(w.k));
    panels = IntPanelCount(w.n);
    const size_t row_work = std::max<size_t>(1, w.k * w.n * s.groups);
    constexpr size_t kWork = size_t{1} << 20;
    rows =
        std::max(RoundUp(std::max<size_t>(1, kWork / row_work), block), block);
    panels_per_task = std::max<size_t>(1, panels);
    if (s.groups == 1 && pixels <= block) {
      const size_t panel_work = std::max<size_t>(
          1, pixels * w.k * (w.n / std::max<size_t>(1, panels)));
      panels_per_task =
          std::clamp<size_t>(kWork / 8 / panel_work, 1, panels_per_task);
    }
    column_tasks = (panels + panels_per_task - 1) / panels_per_task;
    row_tasks = (pixels + rows - 1) / rows;
  }
  size_t pixels, block, panels, rows, panels_per_task, column_tasks, row_tasks;
};

}  // namespace

size_t IntConv2dWeightElements(const Conv2dShape& s) {
  const size_t n = static_cast<size_t>(s.out_c / s.groups);
  return RoundUp(PackedIntElements(Depth(s), n), 32) *
         static_cast<size_t>(s.groups);
}

IntConv2dWeights IntConv2dWeightsAt(const Conv2dShape& s,
                                    const int16_t* packed) {
  IntConv2dWeights out;
  out.packed = packed;
  out.k = Depth(s);
  out.n = static_cast<size_t>(s.out_c / s.groups);
  // Each group begins on a cache line.
  out.group_elements = RoundUp(PackedIntElements(out.k, out.n), 32);
  return out;
}

void PackIntConv2d(const int16_t* weights, const Conv2dShape& s,
                   int16_t* packed) {
  const IntConv2dWeights to = IntConv2dWeightsAt(s, packed);
  for (int32_t g = 0; g < s.groups; ++g) {
    const auto group = static_cast<size_t>(g);
    PackIntMatrix(weights + group * to.n * to.k, to.k, to.n, 1, to.k,
                  packed + group * to.group_elements);
  }
}

OutputStrides DenseStrides(const Conv2dShape& s) {
  OutputStrides strides;
  strides.pixel = static_cast<size_t>(s.out_c);
  strides.line = strides.pixel * static_cast<size_t>(s.out_w);
  strides.image = strides.line * static_cast<size_t>(s.out_h);
  return strides;
}

size_t IntConv2dScratchBytes(const Conv2dShape& s, int threads) {
  return WorkerBytes(s) * static_cast<size_t>(threads);
}

void IntConv2d(const Conv2dShape& s, const int16_t* in,
               const IntConv2dWeights& weights, const float* image_scales,
               const OutputStrides& strides, const OutputStage& stage,
               void* scratch, ThreadPool& pool) {
  const Split split(s, weights);
  if (split.pixels == 0 || weights.n == 0) return;
  const bool is_direct = IsMatrixProduct(s);
  const size_t depth = PaddedDepth(weights.k);
  const size_t worker_bytes = WorkerBytes(s);
  const size_t image_size = static_cast<size_t>(s.in_h) * s.in_w * s.in_c;
  const auto out_w = static_cast<size_t>(s.out_w),
             out_h = static_cast<size_t>(s.out_h);
  pool.ParallelFor(
      split.column_tasks * split.row_tasks, 1,
      [&](size_t begin, size_t end, int worker) {
        RowTarget targets[kIntBlockRows];
        auto* rows = reinterpret_cast<int16_t*>(
            static_cast<uint8_t*>(scratch) +
            worker_bytes * static_cast<size_t>(worker));
        for (size_t task = begin; task < end; ++task) {
          const size_t panel = task / split.row_tasks * split.panels_per_task;
          const size_t end_panel =
              std::min(split.panels, panel + split.panels_per_task);
          const size_t first = task % split.row_tasks * split.rows;
          const size_t last = std::min(split.pixels, first + split.rows);
          for (size_t p = first; p < last; p += split.block) {
            const size_t count = std::min(split.block, last - p);
            for (int32_t g = 0; g < s.groups; ++g) {
              for (size_t r = 0; r < count; ++r) {
                const size_t line = (p + r) / out_w, x = (p + r) % out_w;
                const size_t n = line / out_h, y = line % out_h;
                targets[r].offset = strides.first + n * strides.image +
                                    y * strides.line + x * strides.pixel;
                targets[r].scale =
                    image_scales == nullptr ? 1.0f : image_scales[n];
                if (is_direct) continue;
                int16_t* row = rows + r * depth;
                Unfold(s, in + n * image_size, static_cast<int32_t>(y),
                       static_cast<int32_t>(x), g, row);
                if (depth > weights.k) row[depth - 1] = 0;
              }
              MultiplyIntBlock(is_direct ? in + p * depth : rows, depth, count,
                               weights.group(g), panel, end_panel,
                               static_cast<size_t>(g) * weights.n, targets,
                               stage);
            }
          }
        }
      });
}

namespace reference {

void IntConv2d(const Conv2dShape& s, const int16_t* in, const int16_t* weights,
               const float* image_scales, const OutputStage& stage) {
  const int32_t in_c = s.in_c / s.groups, out_c = s.out_c / s.groups;
  RowTarget target;
  for (int32_t n = 0; n < s.batch; ++n) {
    if (image_scales != nullptr) target.scale = image_scales[n];
    for (int32_t y = 0; y < s.out_h; ++y) {
      for (int32_t x = 0; x < s.out_w; ++x) {
        for (int32_t co = 0; co < s.out_c; ++co) {
          int64_t sum = 0;
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t row = int64_t{y} * s.stride_h - s.pad_top +
                                  int64_t{i} * s.dilation_h;
              const int64_t column = int64_t{x} * s.stride_w - s.pad_left +
                                     int64_t{j} * s.dilation_w;
              if (row < 0 || row >= s.in_h || column < 0 || column >= s.in_w)
                continue;
              const int16_t* pixel =
                  in +
                  ((int64_t{n} * s.in_h + row) * s.in_w + column) * s.in_c +
                  int64_t{co / out_c} * in_c;
              const int16_t* w =
                  weights +
                  ((int64_t{co} * s.kernel_h + i) * s.kernel_w + j) * in_c;
              for (int32_t c = 0; c < in_c; ++c)
                sum += int32_t{pixel[c]} * w[c];
            }
          }
          StoreSum(stage, sum, target, static_cast<size_t>(co));
        }
        target.offset += static_cast<size_t>(s.out_c);
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
