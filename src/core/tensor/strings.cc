#include "tensor/strings.h"

#include <cstring>
#include <string>

namespace munja {
namespace {

int32_t WordAt(const void* bytes, size_t i) {
  int32_t word;
  std::memcpy(&word, static_cast<const uint8_t*>(bytes) + 4 * i, sizeof word);
  return word;
}

}  // namespace

Status CheckStrings(std::span<const uint8_t> bytes, int64_t elements) {
  const auto size = static_cast<int64_t>(bytes.size());
  // An empty string tensor may have no bytes at all.
  if (size == 0 && elements == 0) return Status();
  if (size < 4) return Malformed("its string data is cut off");
  const int64_t count = WordAt(bytes.data(), 0);
  if (count != elements)
    return Malformed("it holds " + std::to_string(count) +
                     " strings, but its shape has " + std::to_string(elements) +
                     " elements");
  if (size / 4 < count + 2) return Malformed("its string data is cut off");
  int64_t last = 4 * (count + 2);
  for (int64_t i = 0; i <= count; ++i) {
    const int64_t offset = WordAt(bytes.data(), static_cast<size_t>(i) + 1);
    if (offset < last || offset > size)
      return Malformed("string " + std::to_string(i) +
                       " lies outside of its data");
    last = offset;
  }
  return Status();
}

std::string_view StringAt(const TensorView& tensor, size_t i) {
  const int32_t begin = WordAt(tensor.data, i + 1);
  const int32_t end = WordAt(tensor.data, i + 2);
  return {static_cast<const char*>(tensor.data) + begin,
          static_cast<size_t>(end - begin)};
}

size_t StringBytes(std::span<const std::string_view> strings) {
  size_t bytes = 4 * (strings.size() + 2);
  for (const std::string_view s : strings) bytes += s.size();
  return bytes;
}

void WriteStrings(std::span<const std::string_view> strings, void* out) {
  auto* const bytes = static_cast<uint8_t*>(out);
  const auto put = [&](size_t i, size_t value) {
    const auto word = static_cast<int32_t>(value);
    std::memcpy(bytes + 4 * i, &word, sizeof word);
  };
  put(0, strings.size());
  size_t at = 4 * (strings.size() + 2);
  for (size_t i = 0; i < strings.size(); ++i) {
    put(i + 1, at);
    if (!strings[i].empty())
      std::memcpy(bytes + at, strings[i].data(), strings[i].size());
    at += strings[i].size();
  }
  put(strings.size() + 1, at);
}

}  // namespace munja
