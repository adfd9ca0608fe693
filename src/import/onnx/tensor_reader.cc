#include "import/onnx/tensor_reader.h"

#include <cstring>
#include <string>

#include "tensor/half.h"

namespace munja::foreign::onnx {
namespace {

size_t TypeSize(int type) {
  switch (type) {
    case kUint8:
    case kInt8:
    case kBool:
      return 1;
    case kUint16:
    case kInt16:
    case kFloat16:
      return 2;
    case kInt64:
    case kDouble:
      return 8;
    default:
      return 4;
  }
}

template <class T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float LoadFloat(int type, const char* p) {
  if (type == kFloat16) return HalfToFloat(Load<uint16_t>(p));
  if (type == kDouble) return static_cast<float>(Load<double>(p));
  return Load<float>(p);
}

int64_t LoadInteger(int type, const char* p) {
  switch (type) {
    case kUint8:
    case kBool:
      return Load<uint8_t>(p);
    case kInt8:
      return Load<int8_t>(p);
    case kUint16:
      return Load<uint16_t>(p);
    case kInt16:
      return Load<int16_t>(p);
    case kInt32:
      return Load<int32_t>(p);
    case kUint32:
      return Load<uint32_t>(p);
    default:
      return Load<int64_t>(p);
  }
}

}  // namespace

bool IsFloatType(int type) {
  return type == kFloat || type == kFloat16 || type == kDouble;
}

bool IsIntegerType(int type) {
  return (type >= kUint8 && type <= kInt64) || type == kBool || type == kUint32;
}

Result<Tensor> ReadTensor(const munja::onnx::TensorProto& proto) {
  const int type = proto.data_type();
  const std::string where = "tensor '" + proto.name() + "'";
  if (!IsFloatType(type) && !IsIntegerType(type))
    return Unsupported(where + " has element type " + std::to_string(type));
  if (proto.data_location() != 0)
    return Unsupported(where + " lies in another file");
  Tensor t;
  t.shape.assign(proto.dims().begin(), proto.dims().end());
  t.is_integer = IsIntegerType(type);
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
    } else if (type == kUint32) {
      return Unsupported(where + ": uint32 data in this form");
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
  const size_t size = TypeSize(type);
  if (raw.size() % size != 0)
    return Malformed(where + " has " + std::to_string(raw.size()) + " bytes");
  MUNJA_RETURN_IF_ERROR(check(static_cast<int64_t>(raw.size() / size)));
  if (t.is_integer)
    t.integers.reserve(count);
  else
    t.floats.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    const char* p = raw.data() + i * size;
    if (t.is_integer)
      t.integers.push_back(LoadInteger(type, p));
    else
      t.floats.push_back(LoadFloat(type, p));
  }
  return t;
}

}  // namespace munja::foreign::onnx
