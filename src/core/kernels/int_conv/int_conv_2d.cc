// A task takes a few lines of output. It brings the lines of input that these
// read into the form that the kernel multiplies, with what lies left and right
// of the image around them; the rows of a window are then pieces of those
// lines, and nothing is unfolded.
#include "kernels/int_conv/int_conv_2d.h"

#include <algorithm>

#include "base/buffer.h"
#include "kernels/cpu/cache.h"
#include "kernels/gemm/partition.h"
#include "kernels/int_conv/int_lines.h"

namespace munja::kernels {
namespace {

size_t GroupChannels(const Conv2dShape& s) {
  return static_cast<size_t>(s.in_c / s.groups);
}

IntMatrixView MatrixOf(const Conv2dShape& s, IntFormat format) {
  IntMatrixView m;
  m.n = static_cast<size_t>(s.out_c / s.groups);
  m.format = format;
  m.pieces = static_cast<size_t>(s.kernel_h);
  m.length = static_cast<size_t>(s.kernel_w) * GroupChannels(s);
  if (!HasRowPieces(s)) {
    m.pieces *= static_cast<size_t>(s.kernel_w);
    m.length = GroupChannels(s);
  }
  return m;
}

// Rows multiplied at once: fewer where a window has very many pieces.
size_t BlockRows(const IntMatrixView& matrix) {
  constexpr size_t kPieces = size_t{1} << 16;
  return std::clamp<size_t>(kPieces / std::max<size_t>(1, matrix.pieces), 1,
                            kIntRowsAtOnce);
}

size_t GroupWords(const IntMatrixView& matrix) {
  // Each group begins on a cache line.
  return RoundUp(PackedIntWords(matrix), kBufferAlignment / sizeof(int32_t));
}

// Lines hold all that a window touches or, where taps are pieces, the image.
IntLineLayout LinesOf(const Conv2dShape& s, IntFormat format) {
  IntLineLayout lines;
  lines.format = format;
  lines.columns = s.in_w;
  if (HasRowPieces(s)) {
    lines.before = s.pad_left;
    lines.columns = int64_t{s.out_w - 1} * s.stride_w + s.kernel_w;
  }
  // Rows at a constant stride go on along the missing ones, too.
  lines.outside =
      HasRowPieces(s)
          ? static_cast<size_t>(std::max<int64_t>(0, lines.columns)) *
                static_cast<size_t>(s.in_c)
          : MatrixOf(s, format).length;
  return lines;
}

// How the work is split: rows by about a million multiplications, columns
// where there are few rows, so that a small batch still splits. The rows of a
// task are pixels of a matrix product, else lines of one image.
Partition SplitOf(const Conv2dShape& s, IntFormat format) {
  constexpr size_t kMemory = kSecondLevelCache / 4;
  const IntMatrixView m = MatrixOf(s, format);
  const bool is_product = IsMatrixProduct(s);
  const size_t all = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
  const size_t pixels = is_product ? 1 : static_cast<size_t>(s.out_w);
  Partition split;
  split.images = is_product ? 1 : static_cast<size_t>(s.batch);
  split.rows = is_product ? all : static_cast<size_t>(s.out_h);
  split.panels = IntPanelCount(m.n);
  const size_t row_work =
      std::max<size_t>(1, pixels * m.k() * m.n * static_cast<size_t>(s.groups));
  size_t rows = std::max<size_t>(1, kTask / row_work);
  if (is_product) {
    rows = RoundUp(rows, kIntRowsAtOnce);
  } else {
    // Not much more than a block, but no line for nothing.
    rows = std::max(
        rows, (kIntRowsAtOnce + pixels - 1) / std::max<size_t>(1, pixels));
    // Lines that windows of two tasks share are brought into form twice.
    rows = std::max<size_t>(rows, 2 * static_cast<size_t>(s.kernel_h - 1));
    const IntLineLayout lines = LinesOf(s, format);
    // Whatever the height, so that a part of an image never needs more.
    Conv2dShape tall = s;
    tall.in_h = 1 << 20;
    while (rows > 1 && IntLines::Bytes(tall, lines, rows) > kMemory)
      rows = (rows + 1) / 2;
  }
  split.rows_per_task =
      std::clamp<size_t>(rows, 1, std::max<size_t>(1, split.rows));
  split.panels_per_task = std::max<size_t>(1, split.panels);
  if (s.groups == 1 && all <= kIntRowsAtOnce) {
    const size_t panel_work = std::max<size_t>(
        1, all * m.k() * (m.n / std::max<size_t>(1, split.panels)));
    split.panels_per_task =
        std::clamp<size_t>(kTask / 8 / panel_work, 1, split.panels_per_task);
  }
  return split;
}

// Scratch memory of a worker: pointers to pieces, then rows or lines.
struct Layout {
  Layout(const Conv2dShape& s, IntFormat format) {
    const IntMatrixView m = MatrixOf(s, format);
    pieces =
        RoundUp(BlockRows(m) * m.pieces * sizeof(uint8_t*), kBufferAlignment);
    row = IntWords(format, m.length) * sizeof(int32_t);
    total = pieces + (IsMatrixProduct(s)
                          ? RoundUp(kIntRowsAtOnce * row, kBufferAlignment)
                          : IntLines::Bytes(s, LinesOf(s, format),
                                            SplitOf(s, format).rows_per_task));
  }
  size_t pieces = 0, row = 0, total = 0;
};

// Output pixels that lie one after the other: where those of a block go, seen
// from its first one, is the same for every block.
class EvenPixels {
 public:
  EvenPixels(const Conv2dShape& s, const float* image_scales,
             const OutputStrides& to)
      : first_(to.first), pixel_(to.pixel) {
    are_even_ =
        (image_scales == nullptr || s.batch == 1) &&
        to.line == to.pixel * static_cast<size_t>(s.out_w) &&
        (to.image == to.line * static_cast<size_t>(s.out_h) || s.batch == 1);
    if (!are_even_) return;
    for (size_t r = 0; r < kIntRowsAtOnce; ++r) {
      targets_[r].offset = r * pixel_;
      if (image_scales != nullptr) targets_[r].scale = image_scales[0];
    }
  }
  bool are_even() const { return are_even_; }
  const RowTarget* targets() const { return targets_; }
  // Where the targets begin for the block that begins at that pixel of all.
  size_t Base(size_t pixel) const { return first_ + pixel * pixel_; }

 private:
  size_t first_, pixel_;
  bool are_even_;
  RowTarget targets_[kIntRowsAtOnce];
};

// Arguments that all tasks read.
struct Run {
  const Conv2dShape& s;
  const IntInput& in;
  const IntConv2dWeights& weights;
  const float* image_scales;
  const OutputStrides& strides;
  const IntEpilogue& epilogue;
  const EvenPixels& even;
  Layout layout;
};

// Output pixels in order, and where their results go.
class Pixels {
 public:
  Pixels(const Run& run, size_t n, size_t y, size_t x)
      : to_(run.strides),
        image_scales_(run.image_scales),
        zeros_(HasZeros(run) ? run.in.zeros : nullptr),
        out_w_(static_cast<size_t>(run.s.out_w)),
        out_h_(static_cast<size_t>(run.s.out_h)),
        n_(n),
        y_(y),
        x_(x) {}
  // Pixels have zero points of their own, which targets are given.
  static bool HasZeros(const Run& run) {
    return run.in.zeros != nullptr && run.s.batch > 1 &&
           run.weights.matrix.format != IntFormat::kInt16;
  }
  size_t n() const { return n_; }
  size_t y() const { return y_; }
  size_t x() const { return x_; }
  // At most `count` pixels up to the end of the line; moves past them. Targets
  // may be null. Their zero points are seen from that of image `base`.
  size_t Take(size_t count, RowTarget* targets, size_t base = 0) {
    count = std::min(count, out_w_ - x_);
    if (targets != nullptr) {
      RowTarget target;
      target.offset =
          to_.first + n_ * to_.image + y_ * to_.line + x_ * to_.pixel;
      if (image_scales_ != nullptr) target.scale = image_scales_[n_];
      if (zeros_ != nullptr) target.zero = zeros_[n_] - zeros_[base];
      for (size_t i = 0; i < count; ++i) {
        targets[i] = target;
        target.offset += to_.pixel;
      }
    }
    x_ += count;
    if (x_ == out_w_) {
      x_ = 0;
      ++y_;
      if (y_ == out_h_) {
        y_ = 0;
        ++n_;
      }
    }
    return count;
  }

 private:
  OutputStrides to_;
  const float* image_scales_;
  const int32_t* zeros_;
  size_t out_w_, out_h_;
  size_t n_, y_, x_;
};

// Rows that are read where they are, in whole words and as they are stored.
// To change signs costs what tiles of one vector have no time for.
bool ReadsInput(const Run& run) {
  const IntMatrixView& m = run.weights.matrix;
  if (m.length * IntElementBytes(m.format) % sizeof(int32_t) != 0 ||
      ElementSize(run.in.type) != IntElementBytes(m.format))
    return false;
  return !HasOtherSign(run.in, m.format) ||
         (ReadsOtherSign(m.format) && m.n > 16);
}

// Targets of a block, not set before they are needed.
union TargetRows {
  TargetRows() {}
  RowTarget rows[kIntRowsAtOnce];
};

// Pixels [task.row, task.end_row) of a matrix product.
void Multiply(const Run& run, const PartitionTask& task, uint8_t* scratch) {
  const IntMatrixView& m = run.weights.matrix;
  const auto out_w = static_cast<size_t>(run.s.out_w),
             out_h = static_cast<size_t>(run.s.out_h);
  const size_t image_pixels = out_w * out_h;
  Pixels pixels(run, task.row / out_w / out_h, task.row / out_w % out_h,
                task.row % out_w);
  // Rows of whole words lie one after the other, as they do in the input.
  const size_t step = run.layout.row;
  const bool is_dense = m.length * IntElementBytes(m.format) == step;
  const bool reads_input = ReadsInput(run);
  const EvenPixels& even = run.even;
  const bool is_even = even.are_even();
  // Rows that are neither gathered nor scattered need no blocks.
  const size_t block =
      reads_input && is_even ? task.end_row - task.row : kIntRowsAtOnce;
  uint8_t* const memory = scratch + run.layout.pieces;
  const uint8_t* first = memory;
  IntLeftRows rows;
  rows.rows = {&first, 0, 1, m.length, true, step};
  rows.has_other_sign = reads_input && HasOtherSign(run.in, m.format);
  TargetRows own;
  RowTargets targets{own.rows};
  targets.has_zeros = Pixels::HasZeros(run);
  if (is_even) targets = {even.targets(), run.strides.pixel};
  for (size_t p = task.row; p < task.end_row; p += block) {
    const size_t count = std::min(block, task.end_row - p);
    const size_t image = is_even ? 0 : pixels.n();
    const IntInput in = run.in.OfImage(image);
    if (reads_input) {
      first = static_cast<const uint8_t*>(run.in.data) + p * step;
    } else if (is_dense && (run.in.zeros == nullptr || targets.has_zeros)) {
      LoadOperand(in, p * m.length, count * m.length, m.format, memory);
    } else {
      for (size_t r = 0; r < count; ++r) {
        LoadOperand(run.in.OfImage((p + r) / image_pixels), (p + r) * m.length,
                    m.length, m.format, memory + r * step);
      }
    }
    for (size_t r = 0; r < count && !is_even;)
      r += pixels.Take(count - r, own.rows + r, image);
    rows.rows.rows = count;
    rows.zero = OperandZero(in, m.format);
    if (is_even) targets.base = even.Base(p);
    MultiplyIntBlock(rows, m, task.panel, task.end_panel, 0, targets,
                     run.epilogue);
  }
}

// Pieces of `count` output pixels from (y, x) on in a group.
void Place(const Run& run, const IntLines& lines, size_t y, size_t x,
           size_t count, int32_t group, const uint8_t** pieces) {
  const Conv2dShape& s = run.s;
  const IntMatrixView& m = run.weights.matrix;
  const size_t element = IntElementBytes(m.format);
  const int64_t top = static_cast<int64_t>(y) * s.stride_h - s.pad_top;
  const size_t pixel = static_cast<size_t>(s.in_c) * element;
  const size_t channel =
      static_cast<size_t>(group) * GroupChannels(s) * element;
  const bool has_runs = HasRowPieces(s);
  for (int32_t i = 0; i < s.kernel_h; ++i) {
    const int64_t row = top + int64_t{i} * s.dilation_h;
    const bool is_inside = lines.Has(row);
    const uint8_t* line = lines.Row(row);
    if (has_runs) {
      const size_t step = static_cast<size_t>(s.stride_w) * pixel;
      const uint8_t* piece = line + x * step;
      for (size_t p = 0; p < count; ++p, piece += step)
        pieces[p * m.pieces] = piece;
      ++pieces;
      continue;
    }
    for (int32_t j = 0; j < s.kernel_w; ++j, ++pieces) {
      int64_t column = static_cast<int64_t>(x) * s.stride_w - s.pad_left +
                       int64_t{j} * s.dilation_w;
      for (size_t p = 0; p < count; ++p, column += s.stride_w) {
        pieces[p * m.pieces] =
            is_inside && column >= 0 && column < s.in_w
                ? line + static_cast<size_t>(column) * pixel + channel
                : lines.outside();
      }
    }
  }
}

// Blocks that end with a line have rows at a constant stride. Lines are long
// enough for that.
bool HasLongLines(const Run& run) {
  return HasRowPieces(run.s) && run.s.out_w >= 24;
}

// Lines [task.row, task.end_row) of an image.
void Convolve(const Run& run, const PartitionTask& task, uint8_t* scratch) {
  const Conv2dShape& s = run.s;
  const IntMatrixView& m = run.weights.matrix;
  const size_t n = task.image;
  const IntLines lines(s, run.in, LinesOf(s, m.format), n, task.row,
                       task.end_row, scratch + run.layout.pieces);
  const auto out_w = static_cast<size_t>(s.out_w);
  auto** pieces = reinterpret_cast<const uint8_t**>(scratch);
  TargetRows own;
  const EvenPixels& even = run.even;
  const bool is_even = even.are_even();
  const size_t image = n * static_cast<size_t>(s.out_h) * out_w;
  Pixels pixels(run, n, task.row, 0);
  const bool has_long_lines = HasLongLines(run);
  const size_t block = is_even && has_long_lines ? out_w : BlockRows(m);
  IntLeftRows rows;
  rows.rows = {pieces,
               0,
               m.pieces,
               m.length,
               has_long_lines,
               has_long_lines
                   ? static_cast<size_t>(s.stride_w) *
                         static_cast<size_t>(s.in_c) * IntElementBytes(m.format)
                   : 0};
  rows.zero = OperandZero(run.in.OfImage(n), m.format);
  RowTargets targets{own.rows};
  if (is_even) targets = {even.targets(), run.strides.pixel};
  for (size_t p = task.row * out_w, count; p < task.end_row * out_w;
       p += count) {
    count = std::min(block, task.end_row * out_w - p);
    const Pixels begin = pixels;
    for (int32_t g = 0; g < s.groups; ++g) {
      pixels = begin;
      size_t done = 0;
      do {
        const size_t y = pixels.y(), x = pixels.x();
        const size_t taken =
            pixels.Take(count - done, is_even ? nullptr : own.rows + done, n);
        Place(run, lines, y, x, has_long_lines ? 1 : taken, g,
              pieces + done * m.pieces);
        done += taken;
      } while (done < count && !has_long_lines);
      count = done;
      rows.rows.rows = count;
      if (is_even) targets.base = even.Base(image + p);
      MultiplyIntBlock(rows, run.weights.group(g), task.panel, task.end_panel,
                       static_cast<size_t>(g) * m.n, targets, run.epilogue);
    }
  }
}

}  // namespace

size_t IntConv2dWeightBytes(const Conv2dShape& s, IntFormat format) {
  return GroupWords(MatrixOf(s, format)) * sizeof(int32_t) *
         static_cast<size_t>(s.groups);
}

IntConv2dWeights IntConv2dWeightsAt(const Conv2dShape& s, IntFormat format,
                                    const void* packed) {
  IntConv2dWeights out;
  out.matrix = MatrixOf(s, format);
  out.matrix.packed = static_cast<const int32_t*>(packed);
  out.group_words = GroupWords(out.matrix);
  return out;
}

void PackIntConv2d(const int16_t* weights, const Conv2dShape& s,
                   IntFormat format, void* packed) {
  const IntMatrixView sizes = MatrixOf(s, format);
  for (int32_t g = 0; g < s.groups; ++g) {
    const auto group = static_cast<size_t>(g);
    PackIntMatrix(weights + group * sizes.n * sizes.k(), sizes, 1, sizes.k(),
                  static_cast<int32_t*>(packed) + group * GroupWords(sizes));
  }
}

OutputStrides DenseStrides(const Conv2dShape& s) {
  OutputStrides strides;
  strides.pixel = static_cast<size_t>(s.out_c);
  strides.line = strides.pixel * static_cast<size_t>(s.out_w);
  strides.image = strides.line * static_cast<size_t>(s.out_h);
  return strides;
}

size_t IntConv2dScratchBytes(const Conv2dShape& s, IntFormat format,
                             int threads) {
  return Layout(s, format).total * static_cast<size_t>(threads);
}

void IntConv2d(const Conv2dShape& s, const IntInput& in,
               const IntConv2dWeights& weights, const float* image_scales,
               const OutputStrides& strides, const IntEpilogue& epilogue,
               void* scratch, ThreadPool& pool) {
  const IntMatrixView& m = weights.matrix;
  if (m.n == 0 || s.batch == 0 || s.out_h == 0 || s.out_w == 0) return;
  const EvenPixels even(s, image_scales, strides);
  const Run run{s,       in,       weights, image_scales,
                strides, epilogue, even,    Layout(s, m.format)};
  const bool is_product = IsMatrixProduct(s);
  ForEachTask(
      SplitOf(s, m.format), pool, [&](const PartitionTask& task, int worker) {
        uint8_t* memory = static_cast<uint8_t*>(scratch) +
                          run.layout.total * static_cast<size_t>(worker);
        if (is_product)
          Multiply(run, task, memory);
        else
          Convolve(run, task, memory);
      });
}

namespace reference {

void IntConv2d(const Conv2dShape& s, const int16_t* in, const int16_t* weights,
               const float* image_scales, const IntEpilogue& epilogue) {
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
          StoreSum(epilogue, sum, target, static_cast<size_t>(co));
        }
        target.offset += static_cast<size_t>(s.out_c);
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
