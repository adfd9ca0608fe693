#include "import/paddle/parameters.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "framework.pb.h"

namespace munja::importer::paddle {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  size_t remaining() const { return bytes_.size() - at_; }

  Result<std::span<const uint8_t>> Take(uint64_t count, const char* what) {
    if (count > remaining())
      return Malformed("the file ends at byte ", bytes_.size(), ", but its ",
                       what, " takes ", count, " bytes from byte ", at_);
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  template <class T>
  Result<T> Number(const char* what) {
    MUNJA_ASSIGN_OR_RETURN(const auto bytes, Take(sizeof(T), what));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

Status ExpectVersion(Reader& reader, const char* what) {
  MUNJA_ASSIGN_OR_RETURN(const uint32_t version, reader.Number<uint32_t>(what));
  if (version != 0)
    return Malformed(what, " is ", version, " at byte ", reader.at() - 4,
                     ", 0 is expected");
  return {};
}

// The tensor's own description: it must agree with the program's.
Status CheckDescription(Reader& reader, const Variable& v) {
  MUNJA_ASSIGN_OR_RETURN(const int32_t size,
                         reader.Number<int32_t>("description"));
  if (size < 0) return Malformed("a description of ", size, " bytes");
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, reader.Take(size, "description"));
  munja::paddle::VarType::TensorDesc desc;
  if (!desc.ParseFromArray(bytes.data(), size))
    return Malformed("its description is not a protocol buffer");
  const Dims dims(desc.dims().begin(), desc.dims().end());
  if (ToRawType(desc.data_type()) != v.type)
    return Malformed("element type ", desc.data_type(),
                     " is not the one of the program");
  if (dims != v.shape)
    return Malformed("shape ", ToString(dims), ", the program says ",
                     ToString(v.shape));
  return {};
}

Result<Tensor> ReadTensor(Reader& reader, const Variable& v) {
  MUNJA_RETURN_IF_ERROR(ExpectVersion(reader, "version"));
  MUNJA_ASSIGN_OR_RETURN(const uint64_t levels,
                         reader.Number<uint64_t>("count of levels"));
  for (uint64_t i = 0; i < levels; ++i) {
    MUNJA_ASSIGN_OR_RETURN(const uint64_t size,
                           reader.Number<uint64_t>("level"));
    MUNJA_RETURN_IF_ERROR(reader.Take(size, "level").TakeStatus());
  }
  MUNJA_RETURN_IF_ERROR(ExpectVersion(reader, "tensor version"));
  MUNJA_RETURN_IF_ERROR(CheckDescription(reader, v));
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(v.shape));
  MUNJA_ASSIGN_OR_RETURN(
      const auto data,
      reader.Take(static_cast<uint64_t>(count) * BytesOf(v.type), "data"));
  return ReadRaw(v.type, v.shape, data);
}

}  // namespace

Result<std::map<std::string, Tensor>> ReadParameters(
    std::span<const uint8_t> bytes, std::vector<Variable> parameters) {
  std::sort(
      parameters.begin(), parameters.end(),
      [](const Variable& a, const Variable& b) { return a.name < b.name; });
  Reader reader(bytes);
  std::map<std::string, Tensor> tensors;
  for (const Variable& v : parameters) {
    MUNJA_ASSIGN_OR_RETURN(
        Tensor t, ReadTensor(reader, v).With("parameter '", v.name, "'"));
    if (!tensors.emplace(v.name, std::move(t)).second)
      return Malformed("parameter '", v.name, "' occurs twice");
  }
  if (reader.remaining() > 0)
    return Malformed("the parameters end at byte ", reader.at(), ", but ",
                     reader.remaining(),
                     " bytes follow: not the file of this program");
  return tensors;
}

}  // namespace munja::importer::paddle
