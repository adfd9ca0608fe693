#include "import/onnx/tensor_reader.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/compose/raw_tensor.h"

namespace munja::importer::onnx {
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

// The part of an external file that holds the tensor's data.
Result<std::span<const uint8_t>> ReadExternal(
    const munja::onnx::TensorProto& proto, const ExternalData& external) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const munja::onnx::StringStringEntryProto& e : proto.external_data()) {
    if (e.key() == "location") location = e.value();
    if (e.key() != "offset" && e.key() != "length") continue;
    uint64_t number = 0;
    const char* end = e.value().data() + e.value().size();
    const auto read = std::from_chars(e.value().data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
      return Malformed(e.key(), " '", e.value(), "' in an external file");
    if (e.key() == "offset")
      offset = number;
    else
      length = number;
  }
  if (location.empty())
    return Malformed("is in an external file without a name");
  if (external == nullptr)
    return Unsupported("is in an external file, '", location, "'");
  MUNJA_ASSIGN_OR_RETURN(const std::span<const uint8_t> all,
                         external(location));
  if (offset > all.size() || length.value_or(0) > all.size() - offset)
    return Malformed("is said to end behind the end of '", location, "'");
  return all.subspan(offset, length.value_or(all.size() - offset));
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

Result<Tensor> ReadTensor(const munja::onnx::TensorProto& proto,
                          const ExternalData& external) {
  const int type = proto.data_type();
  const std::string where = "tensor '" + proto.name() + "'";
  const std::optional<RawType> stored = ToRawType(type);
  if (!stored) return Unsupported(where, " has element type ", type);
  Tensor t;
  t.shape.assign(proto.dims().begin(), proto.dims().end());
  t.is_integer = !IsFloat(*stored);
  t.type = ReadElementType(type).value_or(ElementType::kFloat32);
  if (t.shape.size() > 8) return Unsupported(where, " has too many axes");
  MUNJA_ASSIGN_OR_RETURN(const int64_t count,
                         CountElements(t.shape).With(where));
  const auto check = [&](int64_t have) {
    if (have == count) return Status();
    return Malformed(where, " of shape ", ToString(t.shape), " holds ", have,
                     " elements");
  };
  std::span<const uint8_t> raw(
      reinterpret_cast<const uint8_t*>(proto.raw_data().data()),
      proto.raw_data().size());
  if (proto.data_location() != 0) {
    MUNJA_ASSIGN_OR_RETURN(raw, ReadExternal(proto, external).With(where));
  } else if (raw.empty()) {
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
      if (t.is_integer) {
        t.integers.assign(proto.int32_data().begin(), proto.int32_data().end());
      } else {
        // 16-bit floats, each in the lower half of an int32.
        const std::vector<uint16_t> halves(proto.int32_data().begin(),
                                           proto.int32_data().end());
        t.floats = ReadRaw(*stored, t.shape,
                           {reinterpret_cast<const uint8_t*>(halves.data()),
                            halves.size() * sizeof(uint16_t)})
                       .floats;
      }
    }
    return t;
  }
  const size_t size = BytesOf(*stored);
  if (raw.size() % size != 0)
    return Malformed(where, " has ", raw.size(), " bytes");
  MUNJA_RETURN_IF_ERROR(check(static_cast<int64_t>(raw.size() / size)));
  Tensor read = ReadRaw(*stored, std::move(t.shape), raw);
  read.type = t.type;
  return read;
}

}  // namespace munja::importer::onnx
