// Elements as files store them: little-endian, row-major -> Tensor.
#ifndef MUNJA_IMPORT_COMPOSE_RAW_TENSOR_H_
#define MUNJA_IMPORT_COMPOSE_RAW_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "import/ir/tensor.h"

namespace munja::importer {

enum class RawType {
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kBool,
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kInt64,
};

bool IsFloat(RawType type);
size_t BytesOf(RawType type);

// `bytes` holds exactly the elements of `shape`: the caller has checked that.
Tensor ReadRaw(RawType type, Dims shape, std::span<const uint8_t> bytes);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_RAW_TENSOR_H_
