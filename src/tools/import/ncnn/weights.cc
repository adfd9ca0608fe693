#include "import/ncnn/weights.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/buffer.h"
#include "tensor/half.h"

namespace munja::importer::ncnn {
namespace {

constexpr uint32_t kHalf = 0x01306B47;
constexpr uint32_t kInt8 = 0x000D4B38;
constexpr uint32_t kPlainFloat = 0x0002C056;

}  // namespace

Result<const uint8_t*> WeightReader::Take(size_t count, size_t size) {
  size_t bytes = 0;
  if (!CheckedMultiply(count, size, &bytes) || bytes > remaining())
    return Malformed("the weights end at byte ", bytes_.size(), ", but ", count,
                     " values are expected at byte ", at_);
  const uint8_t* data = bytes_.data() + at_;
  at_ += bytes;
  return data;
}

Result<std::vector<float>> WeightReader::Untagged(size_t count) {
  MUNJA_ASSIGN_OR_RETURN(const uint8_t* data, Take(count, sizeof(float)));
  std::vector<float> values(count);
  if (count > 0) std::memcpy(values.data(), data, count * sizeof(float));
  return values;
}

Result<std::vector<float>> WeightReader::Tagged(size_t count, bool* is_int8) {
  const size_t start = at_;
  MUNJA_ASSIGN_OR_RETURN(const uint8_t* head, Take(1, sizeof(uint32_t)));
  uint32_t tag = 0;
  std::memcpy(&tag, head, sizeof tag);
  if (tag == 0 || tag == kPlainFloat) return Untagged(count);
  const std::string where = " at byte " + std::to_string(start);
  if (tag == kInt8 && is_int8 != nullptr) {
    *is_int8 = true;
    MUNJA_ASSIGN_OR_RETURN(const uint8_t* data, Take(count, sizeof(int8_t)));
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(static_cast<int8_t>(data[i]));
    at_ += std::min<size_t>((4 - count % 4) % 4, remaining());
    return values;
  }
  if (tag == kInt8)
    return Unsupported("weights stored as int8", where, " are not supported");
  if (tag != kHalf)
    return Unsupported("weights stored with tag ", tag, where,
                       " are not supported (a table of 256 values, or not an "
                       "ncnn file)");
  MUNJA_ASSIGN_OR_RETURN(const uint8_t* data, Take(count, sizeof(uint16_t)));
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    uint16_t half = 0;
    std::memcpy(&half, data + 2 * i, sizeof half);
    values[i] = HalfToFloat(half);
  }
  // Padded to four bytes; the last array of a file may lack the padding.
  at_ += std::min<size_t>(count % 2 * 2, remaining());
  return values;
}

}  // namespace munja::importer::ncnn
