// The convolution is a matrix product whose LHS rows, one for each output
// pixel, are not copied: they are given as pieces of the input. In NHWC a row
// of the kernel covers contiguous floats, so a 3x3 window is three pieces.
// Only windows that stick out at the left or right are copied, with zeros,
// into scratch memory; rows above and below the image are pieces of zeros.
#include "kernels/conv/conv_2d.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/control.h"
#include "kernels/conv/half_line_conv.h"
#include "kernels/gemm/half_gemm.h"
#include "kernels/gemm/half_weights.h"

namespace munja::kernels {
namespace {

struct Pieces {
  explicit Pieces(const Conv2dShape& s) {
    const size_t in_c = static_cast<size_t>(s.in_c / s.groups);
    by_row = HasRowPieces(s);
    count = static_cast<size_t>(s.kernel_h) * (by_row ? 1 : s.kernel_w);
    length = in_c * (by_row ? s.kernel_w : 1);
    // Is any window partly left or right of the image?
    const int64_t last = int64_t{s.out_w - 1} * s.stride_w - s.pad_left +
                         int64_t{s.kernel_w - 1} * s.dilation_w;
    copies = by_row && s.kernel_w > 0 && (s.pad_left > 0 || last >= s.in_w);
  }
  bool by_row, copies;
  size_t count, length;
  size_t k() const { return count * length; }
};

size_t PointerBytes(const Pieces& p) {
  return RoundUp((kGemmBlockRows + 1) * p.count * sizeof(const float*),
                 kBufferAlignment);
}

size_t WorkerBytes(const Pieces& p) {
  const size_t copies =
      p.copies ? RoundUp(kGemmBlockRows * p.k() * sizeof(float), 64) : 0;
  return PointerBytes(p) + copies;
}

// Gives the pieces of successive output pixels; T: float or uint16_t.
template <class T>
class Gatherer {
 public:
  // `scratch` holds WorkerBytes.
  Gatherer(const Conv2dShape& shape, const T* in, const T* zeros,
           uint8_t* scratch)
      : s_(shape), p_(shape), in_(in), zeros_(zeros) {
    pieces_ = reinterpret_cast<const T**>(scratch);
    row_bases_ = pieces_ + kGemmBlockRows * p_.count;
    copies_ = reinterpret_cast<T*>(scratch + PointerBytes(p_));
  }

  // Pixels [first, first + count) of all the output, count <= kGemmBlockRows.
  Indirection<T> Gather(size_t first, size_t count, int32_t group) {
    size_t done = 0;
    while (done < count) {
      const size_t pixel = first + done;
      const size_t line = pixel / s_.out_w;
      const int32_t x = static_cast<int32_t>(pixel % s_.out_w);
      const int32_t run = static_cast<int32_t>(
          std::min<size_t>(count - done, static_cast<size_t>(s_.out_w - x)));
      if (p_.by_row)
        AddRowPieces(line, x, run, done);
      else
        AddTapPieces(line, x, run, group, done);
      done += run;
    }
    return {pieces_, count, p_.count, p_.length};
  }

  // Pixels of one output line from x on, all of whose kernel columns lie in
  // the image: the pieces of the first, which the others follow by a step.
  Indirection<T> Step(size_t line, int32_t x, size_t count) {
    const int64_t column = int64_t{x} * s_.stride_w - s_.pad_left;
    for (int32_t i = 0; i < s_.kernel_h; ++i) {
      const T* row = InputRow(line, i);
      pieces_[i] = row == nullptr ? nullptr : row + column * s_.in_c;
    }
    return {pieces_,   count, p_.count,
            p_.length, true,  static_cast<size_t>(s_.stride_w) * s_.in_c};
  }

  const Pieces& pieces() const { return p_; }

 private:
  // The input row under kernel row `i` of an output line, or null outside.
  const T* InputRow(size_t line, int32_t i) const {
    const int64_t y = static_cast<int64_t>(line % s_.out_h) * s_.stride_h -
                      s_.pad_top + int64_t{i} * s_.dilation_h;
    if (y < 0 || y >= s_.in_h) return nullptr;
    const size_t image = line / s_.out_h;
    return in_ + (image * s_.in_h + static_cast<size_t>(y)) * s_.in_w * s_.in_c;
  }

  void AddRowPieces(size_t line, int32_t x, int32_t run, size_t row) {
    for (int32_t i = 0; i < s_.kernel_h; ++i) row_bases_[i] = InputRow(line, i);
    const T** out = pieces_ + row * p_.count;
    for (int32_t end = x + run; x < end; ++x, ++row) {
      const int64_t column = int64_t{x} * s_.stride_w - s_.pad_left;
      if (column >= 0 && column + s_.kernel_w <= s_.in_w) {
        const size_t offset = static_cast<size_t>(column) * s_.in_c;
        for (int32_t i = 0; i < s_.kernel_h; ++i)
          *out++ = row_bases_[i] == nullptr ? zeros_ : row_bases_[i] + offset;
        continue;
      }
      // Columns [begin, end) of the kernel lie in the image.
      const int64_t begin = std::clamp<int64_t>(-column, 0, s_.kernel_w);
      const int64_t stop =
          std::clamp<int64_t>(s_.in_w - column, begin, s_.kernel_w);
      for (int32_t i = 0; i < s_.kernel_h; ++i) {
        if (row_bases_[i] == nullptr || begin == stop) {
          *out++ = zeros_;
          continue;
        }
        T* copy = copies_ + row * p_.k() + i * p_.length;
        *out++ = copy;
        const size_t before = static_cast<size_t>(begin) * s_.in_c;
        const size_t valid = static_cast<size_t>(stop - begin) * s_.in_c;
        std::memset(copy, 0, before * sizeof(T));
        std::memcpy(copy + before, row_bases_[i] + (column + begin) * s_.in_c,
                    valid * sizeof(T));
        std::memset(copy + before + valid, 0,
                    (p_.length - before - valid) * sizeof(T));
      }
    }
  }

  void AddTapPieces(size_t line, int32_t x, int32_t run, int32_t group,
                    size_t row) {
    for (int32_t i = 0; i < s_.kernel_h; ++i) {
      const T* base = InputRow(line, i);
      for (int32_t j = 0; j < s_.kernel_w; ++j) {
        const T** out = pieces_ + row * p_.count + i * s_.kernel_w + j;
        for (int32_t n = 0; n < run; ++n, out += p_.count) {
          const int64_t column = int64_t{x + n} * s_.stride_w - s_.pad_left +
                                 int64_t{j} * s_.dilation_w;
          const bool outside =
              base == nullptr || column < 0 || column >= s_.in_w;
          *out = outside ? zeros_
                         : base + column * s_.in_c +
                               static_cast<size_t>(group) * p_.length;
        }
      }
    }
  }

  const Conv2dShape& s_;
  const Pieces p_;
  const T* in_;
  const T* zeros_;
  const T** pieces_;
  const T** row_bases_;  // Row pointers of the current output row.
  T* copies_;
};

// Columns [first, end) of the output whose windows lie between the left and
// the right edge of the image.
struct Columns {
  int32_t first = 0, end = 0;
};
Columns Inside(const Conv2dShape& s) {
  const int64_t first = (int64_t{s.pad_left} + s.stride_w - 1) / s.stride_w;
  const int64_t room = int64_t{s.in_w} - s.kernel_w + s.pad_left;
  const int64_t end = room < 0 ? 0 : room / s.stride_w + 1;
  Columns inside;
  inside.first = static_cast<int32_t>(std::min<int64_t>(first, s.out_w));
  inside.end =
      static_cast<int32_t>(std::clamp<int64_t>(end, inside.first, s.out_w));
  return inside;
}

// Long lines are made in steps, the few windows at their ends from pieces of
// their own; in short lines that would leave too many tiles of few rows.
bool HasLongLines(const Conv2dShape& s, const Columns& inside) {
  constexpr int32_t kLong = 64;
  return HasRowPieces(s) && inside.end - inside.first >= kLong;
}

// The matrix of a group in float32, without its numbers.
MatrixView GroupSizes(const Conv2dShape& s) {
  const size_t run = static_cast<size_t>(s.in_c / s.groups) * s.kernel_w;
  return {nullptr, s.kernel_h * run, static_cast<size_t>(s.out_c / s.groups),
          Product::kFloat32, run};
}
// Each group begins on a cache line.
size_t GroupBytes(const MatrixView& sizes) {
  return RoundUp(PackedMatrixBytes(sizes), kBufferAlignment);
}
size_t ZeroFloats(const Conv2dShape& s) {
  return static_cast<size_t>(s.in_c / s.groups) * s.kernel_w;
}
size_t TotalBytes(const Conv2dShape& s, const MatrixView& sizes) {
  return GroupBytes(sizes) * s.groups + ZeroFloats(s) * sizeof(float);
}

}  // namespace

bool HasRowPieces(const Conv2dShape& s) {
  return s.groups == 1 && (s.dilation_w == 1 || s.kernel_w == 1);
}

bool IsMatrixProduct(const Conv2dShape& s) {
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 &&
         s.stride_w == 1 && s.pad_top == 0 && s.pad_left == 0 &&
         s.groups == 1 && s.out_h == s.in_h && s.out_w == s.in_w;
}

Result<size_t> PackedConv2d::Bytes(const Conv2dShape& s) {
  size_t k = 0, floats = 0;
  if (!CheckedMultiply(static_cast<size_t>(s.kernel_h) * s.kernel_w,
                       static_cast<size_t>(s.in_c / s.groups), &k) ||
      !CheckedMultiply(k, static_cast<size_t>(s.out_c / s.groups) + 63,
                       &floats) ||
      !CheckedMultiply(floats + 64, s.groups * sizeof(float), &floats)) {
    return OutOfMemory("convolution weights do not fit memory");
  }
  return TotalBytes(s, GroupSizes(s));
}

PackedConv2d::PackedConv2d(const float* weights, const Conv2dShape& s,
                           const MatrixView& sizes, void* memory)
    : matrix_(sizes), group_bytes_(GroupBytes(sizes)) {
  matrix_.packed = memory;
  auto* to = static_cast<uint8_t*>(memory);
  for (int32_t g = 0; g < s.groups; ++g, to += group_bytes_)
    PackMatrix(weights + g * sizes.n * sizes.k, sizes, 1, sizes.k, to);
  auto* const zeros = reinterpret_cast<float*>(to);
  std::fill_n(zeros, ZeroFloats(s), 0.0f);
  zeros_ = zeros;
}

PackedConv2d PackedConv2d::PackInto(const float* weights, const Conv2dShape& s,
                                    void* memory) {
  return PackedConv2d(weights, s, GroupSizes(s), memory);
}

Result<PackedConv2d> PackedConv2d::Pack(const float* weights,
                                        const Conv2dShape& s, Product product) {
  MUNJA_ASSIGN_OR_RETURN(size_t bytes, Bytes(s));
  MatrixView sizes = GroupSizes(s);
  bool has_lines = product == Product::kHalf && TakesHalfLines(s);
  const size_t k = has_lines ? s.kernel_h * HalfLineRun(s) : sizes.k;
  std::vector<float> filled;
  if (product == Product::kHalf && TakesHalfProduct(k)) {
    sizes = {nullptr, k, sizes.n, product};
    if (has_lines) {
      // Most of an image is windows of equal pixels: these sums matter.
      filled = FillHalfLines(
          s, RoundKeepingSums(HalfTypeInUse(), weights, s.out_c,
                              static_cast<size_t>(s.kernel_h) * s.kernel_w,
                              static_cast<size_t>(s.in_c))
                 .data());
      weights = filled.data();
    }
    bytes = TotalBytes(s, sizes);
  } else {
    has_lines = false;
  }
  MUNJA_ASSIGN_OR_RETURN(Buffer memory, Buffer::Allocate(bytes));
  PackedConv2d packed(weights, s, sizes, memory.data());
  packed.memory_ = std::move(memory);
  packed.has_lines_ = has_lines;
  return packed;
}

Result<size_t> Conv2dScratchBytes(const Conv2dShape& shape, int threads) {
  if (IsMatrixProduct(shape)) return size_t{0};
  const Pieces p(shape);
  size_t bytes = 0;
  if (!CheckedMultiply(p.k(), (kGemmBlockRows + 2) * 16, &bytes) ||
      !CheckedMultiply(WorkerBytes(p), static_cast<size_t>(threads), &bytes)) {
    return OutOfMemory("the windows of a convolution do not fit memory");
  }
  if (!TakesHalfLines(shape) && !SuitsHalfLines(shape)) return bytes;
  MUNJA_ASSIGN_OR_RETURN(size_t lines, HalfLineScratchBytes(shape));
  if (!CheckedMultiply(lines, static_cast<size_t>(threads), &lines))
    return OutOfMemory("the windows of a convolution do not fit memory");
  return std::max(bytes, lines);
}

bool TakesHalfMap(const Conv2dShape& s, const PackedConv2d& weights) {
  return weights.is_half() && !weights.has_lines() && s.groups == 1 &&
         Pieces(s).length % kFloat16Run == 0;
}

namespace {

template <class T>
void Convolve(const Conv2dShape& s, const T* in, const PackedConv2d& weights,
              const Epilogue& epilogue, const MutableRowView& out,
              void* scratch, ThreadPool& pool) {
  const size_t pixels = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
  const size_t out_c = static_cast<size_t>(s.out_c);
  const MutableRowView rows_out{out.data, out_c, out.type};
  const MatrixView matrix = weights.group(0);
  const size_t panels = PanelCount(matrix.n);
  const size_t worker_bytes = WorkerBytes(Pieces(s));
  const Columns inside = Inside(s);
  const bool has_long_lines = HasLongLines(s, inside);
  const bool takes_whole_lines = sizeof(T) == sizeof(uint16_t) && panels == 1;
  const auto* const zeros = reinterpret_cast<const T*>(weights.zeros());
  pool.ParallelFor(
      pixels, RowsPerTask(matrix.k, out_c),
      [&](size_t begin, size_t end, int worker) {
        Gatherer<T> gatherer(s, in, zeros,
                             static_cast<uint8_t*>(scratch) +
                                 worker_bytes * static_cast<size_t>(worker));
        const auto multiply = [&](const Indirection<T>& rows, size_t pixel,
                                  int32_t g) {
          const size_t column = g * matrix.n;
          MultiplyBlock(rows, weights.group(g), 0, panels,
                        EpilogueFrom(epilogue, pixel, column, out_c),
                        RowsFrom(rows_out, pixel, column));
        };
        for (size_t pixel = begin; pixel < end;) {
          size_t count = std::min(kGemmBlockRows, end - pixel);
          if (has_long_lines) {
            const size_t line = pixel / s.out_w;
            const auto x = static_cast<int32_t>(pixel % s.out_w);
            const bool is_inside = x >= inside.first && x < inside.end;
            const int32_t stop = x < inside.first ? inside.first
                                 : is_inside      ? inside.end
                                                  : s.out_w;
            const auto until_stop = static_cast<size_t>(stop - x);
            count = std::min(count, until_stop);
            if (is_inside) {
              // Rows of halves are multiplied as they lie, however many.
              if (takes_whole_lines) count = std::min(end - pixel, until_stop);
              multiply(gatherer.Step(line, x, count), pixel, 0);
              pixel += count;
              continue;
            }
          }
          for (int32_t g = 0; g < s.groups; ++g)
            multiply(gatherer.Gather(pixel, count, g), pixel, g);
          pixel += count;
        }
      });
}

}  // namespace

void Conv2d(const Conv2dShape& s, const RowView& in,
            const PackedConv2d& weights, const Epilogue& epilogue,
            const MutableRowView& out, void* scratch, ThreadPool& pool) {
  const auto* const halves = static_cast<const uint16_t*>(in.data);
  const auto* const floats = static_cast<const float*>(in.data);
  const size_t pixels = static_cast<size_t>(s.batch) * s.out_h * s.out_w;
  if (weights.has_lines() ||
      (weights.is_half() && !in.is_half() && SuitsHalfLines(s))) {
    HalfLineConv(s, floats, weights.group(0), epilogue, out, scratch, pool);
  } else if (!IsMatrixProduct(s)) {
    if (in.is_half())
      Convolve(s, halves, weights, epilogue, out, scratch, pool);
    else
      Convolve(s, floats, weights, epilogue, out, scratch, pool);
  } else {
    Gemm(RowView(in.data, static_cast<size_t>(s.in_c), in.type), pixels,
         weights.group(0), epilogue,
         MutableRowView{out.data, static_cast<size_t>(s.out_c), out.type},
         pool);
  }
}

void Conv2d(const Conv2dShape& s, const float* in, const PackedConv2d& weights,
            const Epilogue& epilogue, float* out, void* scratch,
            ThreadPool& pool) {
  Conv2d(s, RowView{in, 0}, weights, epilogue, MutableRowView{out, 0}, scratch,
         pool);
}

namespace reference {

void Conv2d(const Conv2dShape& s, const float* in, const float* weights,
            const Epilogue& epilogue, float* out) {
  const int32_t in_c = s.in_c / s.groups;
  const int32_t group_out = s.out_c / s.groups;
  size_t at = 0;
  for (int32_t n = 0; n < s.batch; ++n) {
    for (int32_t y = 0; y < s.out_h; ++y) {
      for (int32_t x = 0; x < s.out_w && !IsStopped(); ++x) {
        for (int32_t co = 0; co < s.out_c; ++co, ++at) {
          double sum = epilogue.bias == nullptr ? 0.0 : epilogue.bias[co];
          for (int32_t i = 0; i < s.kernel_h; ++i) {
            const int64_t iy =
                int64_t{y} * s.stride_h - s.pad_top + int64_t{i} * s.dilation_h;
            if (iy < 0 || iy >= s.in_h) continue;
            for (int32_t j = 0; j < s.kernel_w; ++j) {
              const int64_t ix = int64_t{x} * s.stride_w - s.pad_left +
                                 int64_t{j} * s.dilation_w;
              if (ix < 0 || ix >= s.in_w) continue;
              const float* pixel =
                  in + ((int64_t{n} * s.in_h + iy) * s.in_w + ix) * s.in_c +
                  co / group_out * in_c;
              const float* w =
                  weights +
                  ((int64_t{co} * s.kernel_h + i) * s.kernel_w + j) * in_c;
              for (int32_t c = 0; c < in_c; ++c)
                sum += static_cast<double>(pixel[c]) * w[c];
            }
          }
          if (epilogue.residual.data != nullptr)
            sum += epilogue.residual.floats()[at];
          out[at] = Activate(epilogue.activation, static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
