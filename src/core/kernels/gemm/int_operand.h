// Activations in the form in which integer kernels multiply them.
#ifndef MUNJA_KERNELS_GEMM_INT_OPERAND_H_
#define MUNJA_KERNELS_GEMM_INT_OPERAND_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/element_type.h"

namespace munja::kernels {

// Quantized values of 8 bits, images of height x width x channels, of which an
// enlarged (or reduced) image takes pixels.
struct IntMap {
  const uint8_t* data = nullptr;
  size_t channels = 0;
  size_t height = 0, width = 0;
  // The line and the column of the map for each of the enlarged image.
  const int32_t* rows = nullptr;
  const int32_t* columns = nullptr;
  size_t first_row = 0;  // Row of the map at which data begins.
};

// Quantized values: 8 bits with a zero point, or int16 without (zero is 0).
struct IntInput {
  const void* data = nullptr;
  ElementType type = ElementType::kInt8;
  int32_t zero = 0;
  // If there are any: pixels are those of all maps, enlarged, one after the
  // other, and data is not read.
  std::span<const IntMap> maps = {};
  // If not null, each image has a zero point of its own, and `zero` is not
  // read.
  const int32_t* zeros = nullptr;
  IntInput OfImage(size_t n) const {
    IntInput one = *this;
    if (zeros != nullptr) one.zero = zeros[n];
    return one;
  }
};

// Format of the LHS rows of a product. A 32-bit lane multiplies two int16 at
// once, without their zero point, or four bytes with it (the sums of the
// weights compensate for that).
enum class IntFormat : uint8_t { kInt16, kUInt8, kInt8 };

// The format in which this CPU multiplies bytes with the vectors in use;
// kInt16 if it cannot (see byte_dot.h).
IntFormat ByteFormat();

inline size_t IntElementBytes(IntFormat format) {
  return format == IntFormat::kInt16 ? sizeof(int16_t) : sizeof(int8_t);
}
// Lanes' worth of `count` elements.
inline size_t IntWords(IntFormat format, size_t count) {
  const size_t bytes = count * IntElementBytes(format);
  return bytes / sizeof(int32_t) + (bytes % sizeof(int32_t) != 0);
}

// Whether stored bytes differ by 128 from those of the format. False for pairs,
// which are made of either.
bool HasOtherSign(const IntInput& in, IntFormat format);
// An activation of 0 as a byte; 0 for pairs. These three use the zero point of
// the input, not those of its images.
int32_t OperandZero(const IntInput& in, IntFormat format);
// Elements [first, first + count) of the input. Input of int16 has no bytes.
void LoadOperand(const IntInput& in, size_t first, size_t count,
                 IntFormat format, uint8_t* to);
// Pixels [first, first + count) of line `row` of image n of input from maps.
void LoadMaps(const IntInput& in, size_t n, size_t row, size_t first,
              size_t count, IntFormat format, uint8_t* to);
// As many activations of 0.
void FillOperand(const IntInput& in, size_t count, IntFormat format,
                 uint8_t* to);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_GEMM_INT_OPERAND_H_
