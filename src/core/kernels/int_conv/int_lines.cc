#include "kernels/int_conv/int_lines.h"

#include <algorithm>

#include "base/buffer.h"

namespace munja::kernels {
namespace {

// Kernels read whole words and vectors.
constexpr size_t kSlack = 64;

size_t PaddedBytes(size_t elements, IntFormat format) {
  return RoundUp(elements * IntElementBytes(format) + kSlack, kBufferAlignment);
}

// Lines of input from the first to the last that `rows` lines of output read.
int64_t CountLines(const Conv2dShape& s, size_t rows) {
  const int64_t lines = (static_cast<int64_t>(rows) - 1) * s.stride_h +
                        int64_t{std::max(s.kernel_h, 1) - 1} * s.dilation_h + 1;
  return std::clamp<int64_t>(lines, 1, std::max(s.in_h, 1));
}

}  // namespace

size_t IntLines::LineBytes(const Conv2dShape& s, const IntLineLayout& layout) {
  const auto columns =
      static_cast<size_t>(std::max<int64_t>(0, layout.columns));
  return PaddedBytes(columns * static_cast<size_t>(s.in_c), layout.format);
}

size_t IntLines::Bytes(const Conv2dShape& s, const IntLineLayout& layout,
                       size_t rows) {
  return PaddedBytes(layout.outside, layout.format) +
         static_cast<size_t>(CountLines(s, rows)) * LineBytes(s, layout);
}

IntLines::IntLines(const Conv2dShape& s, const IntInput& images,
                   const IntLineLayout& layout, size_t n, size_t first,
                   size_t last, uint8_t* memory)
    : outside_(memory),
      lines_(memory + PaddedBytes(layout.outside, layout.format)),
      line_bytes_(LineBytes(s, layout)) {
  const IntFormat format = layout.format;
  const IntInput in = images.OfImage(n);
  FillOperand(in, layout.outside, format, memory);
  const int64_t top = static_cast<int64_t>(first) * s.stride_h - s.pad_top;
  const int64_t span = int64_t{std::max(s.kernel_h, 1) - 1} * s.dilation_h;
  const int64_t bottom =
      static_cast<int64_t>(last - 1) * s.stride_h - s.pad_top + span + 1;
  begin_ = std::clamp<int64_t>(top, 0, s.in_h);
  end_ = std::clamp<int64_t>(bottom, begin_, s.in_h);
  // Columns [left, right) of a line are in the image.
  const int64_t columns = std::max<int64_t>(0, layout.columns);
  const int64_t left = std::clamp<int64_t>(layout.before, 0, columns);
  const int64_t right =
      std::clamp<int64_t>(s.in_w + layout.before, left, columns);
  const auto elements = [&](int64_t count) {
    return static_cast<size_t>(count) * static_cast<size_t>(s.in_c);
  };
  for (int64_t row = begin_; row < end_; ++row) {
    uint8_t* line = lines_ + static_cast<size_t>(row - begin_) * line_bytes_;
    const auto at = [&](int64_t column) {
      return line + elements(column) * IntElementBytes(format);
    };
    FillOperand(in, elements(left), format, line);
    if (right > left && !in.maps.empty()) {
      LoadMaps(in, n, static_cast<size_t>(row),
               static_cast<size_t>(left - layout.before),
               static_cast<size_t>(right - left), format, at(left));
    } else if (right > left) {
      const int64_t pixel = (static_cast<int64_t>(n) * s.in_h + row) * s.in_w +
                            left - layout.before;
      LoadOperand(in, elements(pixel), elements(right - left), format,
                  at(left));
    }
    FillOperand(in, elements(columns - right), format, at(right));
  }
}

}  // namespace munja::kernels
