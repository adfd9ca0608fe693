// Lines of an image of quantized values, brought into the form in which
// integer kernels multiply them, with what lies left and right of the image.
#ifndef MUNJA_KERNELS_INT_CONV_INT_LINES_H_
#define MUNJA_KERNELS_INT_CONV_INT_LINES_H_

#include <cstddef>
#include <cstdint>

#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"

namespace munja::kernels {

struct IntLineLayout {
  IntFormat format = IntFormat::kInt16;
  int64_t before = 0;   // Columns left of the image; negative: it begins later.
  int64_t columns = 0;  // Columns of a row, including the first `before`.
  size_t outside = 0;   // Elements of the line that stands for missing ones.
};

// The lines of input that some lines of output read.
class IntLines {
 public:
  // Bytes of one line, and of all for `rows` lines of output. Every line ends
  // with 64 bytes that hold anything.
  static size_t LineBytes(const Conv2dShape& shape,
                          const IntLineLayout& layout);
  static size_t Bytes(const Conv2dShape& shape, const IntLineLayout& layout,
                      size_t rows);

  // Fills `memory` (64-byte aligned) for lines [first, last) of image n of the
  // output.
  IntLines(const Conv2dShape& shape, const IntInput& in,
           const IntLineLayout& layout, size_t n, size_t first, size_t last,
           uint8_t* memory);

  // Line `row` of the image, column -before; the outside where there is none.
  const uint8_t* Row(int64_t row) const {
    return Has(row) ? lines_ + static_cast<size_t>(row - begin_) * line_bytes_
                    : outside_;
  }
  bool Has(int64_t row) const { return row >= begin_ && row < end_; }
  const uint8_t* outside() const { return outside_; }

 private:
  const uint8_t* outside_;
  uint8_t* lines_;
  size_t line_bytes_;
  int64_t begin_, end_;  // Lines of the image that are in memory.
};

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_INT_CONV_INT_LINES_H_
