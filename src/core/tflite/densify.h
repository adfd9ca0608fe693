// Sparse constants as dense ones.
#ifndef MUNJA_TFLITE_DENSIFY_H_
#define MUNJA_TFLITE_DENSIFY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "tensor/shape.h"
#include "tflite/schema_generated.h"

namespace munja::tflite {

// All elements of the shape, which has no unknown dimension and whose size in
// bytes the caller has found acceptable: `values` where the sparsity says that
// there are some, zero bytes elsewhere. An element has `size` bytes. Takes any
// order of dimensions, blocks, and dense and compressed (CSR) levels;
// kMalformed when they do not describe exactly the values given.
Result<Buffer> Densify(const fb::SparsityParameters& sparsity,
                       const Shape& shape, size_t size,
                       std::span<const uint8_t> values);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_DENSIFY_H_
