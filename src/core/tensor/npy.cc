#include "tensor/npy.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace munja {
namespace {

constexpr uint8_t kMagic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

struct TypeName {
  ElementType type;
  std::string_view descr;  // Kind and size, without the byte order.
};
constexpr TypeName kTypes[] = {
    {ElementType::kFloat32, "f4"},   {ElementType::kFloat16, "f2"},
    {ElementType::kFloat64, "f8"},   {ElementType::kInt8, "i1"},
    {ElementType::kInt16, "i2"},     {ElementType::kInt32, "i4"},
    {ElementType::kInt64, "i8"},     {ElementType::kUInt8, "u1"},
    {ElementType::kUInt16, "u2"},    {ElementType::kUInt32, "u4"},
    {ElementType::kUInt64, "u8"},    {ElementType::kBool, "b1"},
    {ElementType::kComplex64, "c8"}, {ElementType::kComplex128, "c16"},
};

// Reads the header, a Python dictionary literal:
// {'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::string_view> Quoted() {
    SkipSpace();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return std::nullopt;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  std::optional<bool> Boolean() {
    SkipSpace();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<int32_t> Dimension() {
    SkipSpace();
    int64_t value = 0;
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = value * 10 + (text_[at_++] - '0');
      if (value > INT32_MAX) return std::nullopt;
    }
    if (at_ == start) return std::nullopt;
    return static_cast<int32_t>(value);
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

std::optional<Shape> ReadShape(HeaderReader& in) {
  if (!in.Take('(')) return std::nullopt;
  Shape shape;
  while (!in.Take(')')) {
    const std::optional<int32_t> dim = in.Dimension();
    if (!dim || shape.rank() == kMaxRank) return std::nullopt;
    shape.Append(*dim);
    if (in.Take(',')) continue;
    if (!in.Take(')')) return std::nullopt;
    break;
  }
  return shape;
}

std::optional<Header> ReadHeader(std::string_view text) {
  HeaderReader in(text);
  Header header;
  if (!in.Take('{')) return std::nullopt;
  while (!in.Take('}')) {
    const std::optional<std::string_view> key = in.Quoted();
    if (!key || !in.Take(':')) return std::nullopt;
    bool read = false;
    if (*key == "descr") {
      header.descr = in.Quoted();
      read = header.descr.has_value();
    } else if (*key == "fortran_order") {
      header.fortran_order = in.Boolean();
      read = header.fortran_order.has_value();
    } else if (*key == "shape") {
      header.shape = ReadShape(in);
      read = header.shape.has_value();
    }
    if (!read) return std::nullopt;
    if (in.Take(',')) continue;
    if (!in.Take('}')) return std::nullopt;
    break;
  }
  if (!header.descr || !header.fortran_order || !header.shape)
    return std::nullopt;
  return header;
}

Result<ElementType> ReadType(std::string_view descr) {
  if (descr.size() >= 3 && (descr[0] == '<' || descr[0] == '|')) {
    for (const TypeName& t : kTypes)
      if (t.descr == descr.substr(1)) return t.type;
  }
  return Unsupported("element type '" + std::string(descr.substr(0, 16)) +
                     "' of a .npy file is not read here");
}

}  // namespace

Result<NpyArray> ReadNpy(std::span<const uint8_t> bytes) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic, 6) != 0)
    return Malformed("not a .npy file");
  const int major = bytes[6];
  if (major < 1 || major > 3)
    return Unsupported("version " + std::to_string(major) +
                       " of the .npy format is not read here");
  size_t start = 10;
  size_t length = bytes[8] | size_t{bytes[9]} << 8;
  if (major >= 2) {
    if (bytes.size() < 12) return Malformed("the .npy header ends early");
    start = 12;
    length |= size_t{bytes[10]} << 16 | size_t{bytes[11]} << 24;
  }
  if (length > bytes.size() - start)
    return Malformed("the .npy header ends early");
  const std::optional<Header> header = ReadHeader(std::string_view(
      reinterpret_cast<const char*>(bytes.data()) + start, length));
  if (!header)
    return Malformed("the .npy header is not the dictionary it should be");

  NpyArray array;
  MUNJA_ASSIGN_OR_RETURN(array.type, ReadType(*header->descr));
  array.shape = *header->shape;
  if (*header->fortran_order && array.shape.rank() > 1)
    return Unsupported("column-major .npy arrays are not read here");
  const int64_t elements = array.shape.elements();
  if (elements < 0)
    return Malformed("the shape of the .npy array is too large");
  array.bytes = static_cast<size_t>(elements) * ElementSize(array.type);
  if (array.bytes != bytes.size() - start - length)
    return Malformed("the .npy array needs " + std::to_string(array.bytes) +
                     " bytes of data, the file has " +
                     std::to_string(bytes.size() - start - length));
  MUNJA_ASSIGN_OR_RETURN(array.data, Buffer::Allocate(array.bytes));
  if (array.bytes > 0)
    std::memcpy(array.data.data(), bytes.data() + start + length, array.bytes);
  return array;
}

Result<std::vector<uint8_t>> WriteNpy(const TensorView& tensor) {
  std::string_view descr;
  for (const TypeName& t : kTypes)
    if (t.type == tensor.type) descr = t.descr;
  if (descr.empty())
    return Unsupported(std::string("a tensor of type ") +
                       ElementTypeName(tensor.type) +
                       " cannot be written as .npy");
  std::string header = "{'descr': '";
  header += descr.back() == '1' && descr.size() == 2 ? '|' : '<';
  header += descr;
  header += "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < tensor.shape.rank(); ++i)
    header +=
        std::to_string(tensor.shape[i]) + (tensor.shape.rank() == 1      ? ","
                                           : i + 1 < tensor.shape.rank() ? ", "
                                                                         : "");
  header += "), }";
  // The data starts at a multiple of 64; the header ends with a line break.
  header.resize(RoundUp(10 + header.size() + 1, 64) - 10 - 1, ' ');
  header += '\n';
  std::vector<uint8_t> out(kMagic, kMagic + 6);
  out.insert(out.end(), {1, 0, static_cast<uint8_t>(header.size() & 0xff),
                         static_cast<uint8_t>(header.size() >> 8)});
  out.insert(out.end(), header.begin(), header.end());
  const uint8_t* data = static_cast<const uint8_t*>(tensor.data);
  if (tensor.bytes > 0) out.insert(out.end(), data, data + tensor.bytes);
  return out;
}

}  // namespace munja
