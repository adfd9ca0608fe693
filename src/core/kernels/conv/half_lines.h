// Lines of an image as 16-bit floats for convolutions that read each of them
// several times: rounded once, and kept while windows below need them.
#ifndef MUNJA_KERNELS_CONV_HALF_LINES_H_
#define MUNJA_KERNELS_CONV_HALF_LINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/buffer.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::kernels {

// Line y of an image lies in slot y % slots: `image` numbers behind `before`
// zeros, with more zeros up to `line`.
struct HalfLineLayout {
  // `at_once`: output lines of stride 1 that are made together.
  HalfLineLayout(const Conv2dShape& s, size_t zeros_before, size_t numbers,
                 int32_t at_once)
      : before(zeros_before),
        image(static_cast<size_t>(s.in_w) * s.in_c),
        rows(static_cast<size_t>(s.kernel_h) + at_once - 1) {
    constexpr size_t kAligned = 32;  // Numbers of a cache line.
    line = RoundUp(std::max(numbers, before + image), kAligned);
    const int64_t reach = int64_t{s.kernel_h - 1} * s.dilation_h + at_once;
    slots = static_cast<size_t>(std::min<int64_t>(reach, s.in_h));
    pointer_bytes = RoundUp(rows * sizeof(void*) + slots * sizeof(int64_t),
                            kBufferAlignment);
  }
  // Scratch memory of a thread.
  size_t bytes() const {
    return RoundUp(pointer_bytes + slots * line * sizeof(uint16_t),
                   kBufferAlignment);
  }
  size_t before, image, rows, line, slots, pointer_bytes;
};

// One thread's lines. Those of a map of halves are taken where they lie.
class HalfLines {
 public:
  HalfLines(const Conv2dShape& s, const HalfLineLayout& layout,
            const RowView& in, uint8_t* scratch)
      : s_(s), layout_(layout), in_(in) {
    pieces_ = reinterpret_cast<const uint16_t**>(scratch);
    held_ = reinterpret_cast<int64_t*>(pieces_ + layout.rows);
    lines_ = reinterpret_cast<uint16_t*>(scratch + layout.pointer_bytes);
    if (in.is_half()) return;
    std::fill_n(held_, layout.slots, int64_t{-1});
    if (layout.line == layout.image) return;
    for (size_t i = 0; i < layout.slots; ++i) {
      uint16_t* const line = lines_ + i * layout.line;
      const size_t end = layout.before + layout.image;
      std::memset(line, 0, layout.before * sizeof *line);
      std::memset(line + end, 0, (layout.line - end) * sizeof *line);
    }
  }

  // By row of the kernel, the lines under output line n of all images (and
  // those of the same image that are made together with it): null for lines of
  // zeros.
  const uint16_t* const* Under(size_t n) {
    const size_t image = n / s_.out_h;
    const int64_t top =
        static_cast<int64_t>(n % s_.out_h) * s_.stride_h - s_.pad_top;
    for (size_t i = 0; i < layout_.rows; ++i) {
      const int64_t y = top + static_cast<int64_t>(i) * s_.dilation_h;
      pieces_[i] = nullptr;
      if (y < 0 || y >= s_.in_h) continue;
      pieces_[i] =
          Line(image * static_cast<size_t>(s_.in_h) + static_cast<size_t>(y),
               static_cast<size_t>(y) % layout_.slots);
    }
    return pieces_;
  }

 private:
  const uint16_t* Line(size_t line, size_t slot) {
    const size_t at = line * layout_.image;
    if (in_.is_half()) return static_cast<const uint16_t*>(in_.data) + at;
    uint16_t* const to = lines_ + slot * layout_.line;
    if (held_[slot] != static_cast<int64_t>(line)) {
      RoundToHalf(static_cast<const float*>(in_.data) + at, layout_.image,
                  to + layout_.before);
      held_[slot] = static_cast<int64_t>(line);
    }
    return to;
  }

  const Conv2dShape& s_;
  const HalfLineLayout& layout_;
  const RowView in_;
  const uint16_t** pieces_;
  int64_t* held_;  // By slot: the line of all images.
  uint16_t* lines_;
};

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CONV_HALF_LINES_H_
