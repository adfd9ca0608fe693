// NumPy's .npy format: one dense array in a file.
#ifndef MUNJA_TENSOR_NPY_H_
#define MUNJA_TENSOR_NPY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "tensor/view.h"

namespace munja {

// Owns its data, dense and row-major.
struct NpyArray {
  ElementType type = ElementType::kFloat32;
  Shape shape;
  Buffer data;
  size_t bytes = 0;
  TensorView view() {
    return TensorView{type, shape, data.data(), bytes, nullptr};
  }
};

// Versions 1 to 3 of the format, little endian, C order, rank up to kMaxRank,
// and the numeric types that ElementType shares with NumPy. kMalformed when
// the bytes are not such a file or end early, kUnsupported for big-endian or
// column-major arrays and other types.
Result<NpyArray> ReadNpy(std::span<const uint8_t> bytes);

// Version 1.0. kUnsupported for types that NumPy does not have.
Result<std::vector<uint8_t>> WriteNpy(const TensorView& tensor);

}  // namespace munja

#endif  // MUNJA_TENSOR_NPY_H_
