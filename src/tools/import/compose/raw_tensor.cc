#include "import/compose/raw_tensor.h"

#include <bit>
#include <cstring>
#include <utility>

#include "tensor/half.h"

namespace munja::importer {
namespace {

template <class T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float LoadFloat(RawType type, const uint8_t* p) {
  switch (type) {
    case RawType::kFloat16:
      return HalfToFloat(Load<uint16_t>(p));
    case RawType::kBFloat16:
      return std::bit_cast<float>(uint32_t{Load<uint16_t>(p)} << 16);
    case RawType::kFloat64:
      return static_cast<float>(Load<double>(p));
    default:
      return Load<float>(p);
  }
}

int64_t LoadInteger(RawType type, const uint8_t* p) {
  switch (type) {
    case RawType::kBool:
    case RawType::kUint8:
      return *p;
    case RawType::kInt8:
      return Load<int8_t>(p);
    case RawType::kUint16:
      return Load<uint16_t>(p);
    case RawType::kInt16:
      return Load<int16_t>(p);
    case RawType::kUint32:
      return Load<uint32_t>(p);
    case RawType::kInt32:
      return Load<int32_t>(p);
    default:
      return Load<int64_t>(p);
  }
}

}  // namespace

bool IsFloat(RawType type) { return type <= RawType::kFloat64; }

size_t BytesOf(RawType type) {
  switch (type) {
    case RawType::kBool:
    case RawType::kUint8:
    case RawType::kInt8:
      return 1;
    case RawType::kFloat16:
    case RawType::kBFloat16:
    case RawType::kUint16:
    case RawType::kInt16:
      return 2;
    case RawType::kFloat64:
    case RawType::kInt64:
      return 8;
    default:
      return 4;
  }
}

Tensor ReadRaw(RawType type, Dims shape, std::span<const uint8_t> bytes) {
  Tensor t;
  t.shape = std::move(shape);
  t.is_integer = !IsFloat(type);
  const size_t size = BytesOf(type);
  const size_t count = bytes.size() / size;
  if (type == RawType::kFloat32) {
    t.floats.resize(count);
    if (count > 0) std::memcpy(t.floats.data(), bytes.data(), count * size);
    return t;
  }
  if (t.is_integer)
    t.integers.reserve(count);
  else
    t.floats.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (t.is_integer)
      t.integers.push_back(LoadInteger(type, bytes.data() + i * size));
    else
      t.floats.push_back(LoadFloat(type, bytes.data() + i * size));
  }
  return t;
}

}  // namespace munja::importer
