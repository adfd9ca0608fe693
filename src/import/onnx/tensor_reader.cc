#include "import/onnx/tensor_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "import/raw_tensor.h"
#include "tensor/half.h"

namespace munja::foreign::onnx {
namespace {

std::optional<RawType> ToRawType(int type) {
  switch (type) {
    case kFloat:
      return RawType::kFloat32;
    case kFloat16:
      return RawType::kFloat16;
    case kDouble:
      return RawType::kFloat64;
    case kBool:
      return RawType::kBool;
    case kUint8:
      return RawType::kUint8;
    case kInt8:
      return RawType::kInt8;
    case kUint16:
      return RawType::kUint16;
    case kInt16:
      return RawType::kInt16;
    case kUint32:
      return RawType::kUint32;
    case kInt32:
      return RawType::kInt32;
    case kInt64:
    case kUint64:
      return RawType::kInt64;
    case kBFloat16:
      return RawType::kBFloat16;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ElementType> ReadElementType(int type) {
  switch (type) {
    case kFloat:
    case kFloat16:
    case kDouble:
    case kBFloat16:
      return ElementType::kFloat32;
    case kBool:
      return ElementType::kBool;
    case kUint8:
      return ElementType::kUInt8;
    case kInt8:
      return ElementType::kInt8;
    case kUint16:
      return ElementType::kUInt16;
    case kInt16:
      return ElementType::kInt16;
    case kUint32:
      return ElementType::kUInt32;
    case kInt32:
      return ElementType::kInt32;
    case kInt64:
    case kUint64:
      return ElementType::kInt64;
    default:
      return std::nullopt;
  }
}

bool IsFloatType(int type) {
  const std::optional<RawType> raw = ToRawType(type);
  return raw && IsFloat(*raw);
}

bool IsIntegerType(int type) {
  const std::optional<RawType> raw = ToRawType(type);
  return raw && !IsFloat(*raw);
}

Result<Tensor> ReadTensor(const munja::onnx::TensorProto& proto) {
  const int type = proto.data_type();
  const std::string where = "tensor '" + proto.name() + "'";
  const std::optional<RawType> stored = ToRawType(type);
  if (!stored)
    return Unsupported(where + " has element type " + std::to_string(type));
  if (proto.data_location() != 0)
    return Unsupported(where + " lies in another file");
  Tensor t;
  t.shape.assign(proto.dims().begin(), proto.dims().end());
  t.is_integer = !IsFloat(*stored);
  t.type = ReadElementType(type).value_or(ElementType::kFloat32);
  if (t.shape.size() > 8) return Unsupported(where + " has too many axes");
  MUNJA_ASSIGN_OR_RETURN(const int64_t count,
                         CountElements(t.shape).With(where));
  const auto check = [&](int64_t have) {
    if (have == count) return Status();
    return Malformed(where + " of shape " + ToString(t.shape) + " holds " +
                     std::to_string(have) + " elements");
  };
  if (proto.raw_data().empty()) {
    if (type == kFloat) {
      MUNJA_RETURN_IF_ERROR(check(proto.float_data_size()));
      t.floats.assign(proto.float_data().begin(), proto.float_data().end());
    } else if (type == kDouble) {
      MUNJA_RETURN_IF_ERROR(check(proto.double_data_size()));
      t.floats.assign(proto.double_data().begin(), proto.double_data().end());
    } else if (type == kInt64) {
      MUNJA_RETURN_IF_ERROR(check(proto.int64_data_size()));
      t.integers.assign(proto.int64_data().begin(), proto.int64_data().end());
    } else if (type == kUint32 || type == kUint64) {
      MUNJA_RETURN_IF_ERROR(check(proto.uint64_data_size()));
      t.integers.assign(proto.uint64_data().begin(), proto.uint64_data().end());
    } else {
      MUNJA_RETURN_IF_ERROR(check(proto.int32_data_size()));
      for (const int32_t v : proto.int32_data()) {
        if (type == kFloat16)
          t.floats.push_back(HalfToFloat(static_cast<uint16_t>(v)));
        else
          t.integers.push_back(v);
      }
    }
    return t;
  }
  const std::string& raw = proto.raw_data();
  const size_t size = BytesOf(*stored);
  if (raw.size() % size != 0)
    return Malformed(where + " has " + std::to_string(raw.size()) + " bytes");
  MUNJA_RETURN_IF_ERROR(check(static_cast<int64_t>(raw.size() / size)));
  Tensor read =
      ReadRaw(*stored, std::move(t.shape),
              {reinterpret_cast<const uint8_t*>(raw.data()), raw.size()});
  read.type = t.type;
  return read;
}

}  // namespace munja::foreign::onnx
