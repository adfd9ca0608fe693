// The arrays of an ncnn .bin file, read one after the other.
#ifndef MUNJA_IMPORT_NCNN_WEIGHTS_H_
#define MUNJA_IMPORT_NCNN_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace munja::importer::ncnn {

// The file holds no names and no lengths: layers take their weights in order. A
// tagged array starts with four bytes that give its storage (0: float32;
// 0x01306B47: float16, 0x000D4B38: int8, both padded to 4 bytes); an untagged
// one is float32.
class WeightReader {
 public:
  explicit WeightReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  // kMalformed when the file ends first, kUnsupported for table storage, and
  // for int8 where the caller passes no `is_int8`.
  Result<std::vector<float>> Tagged(size_t count, bool* is_int8 = nullptr);
  Result<std::vector<float>> Untagged(size_t count);
  size_t remaining() const { return bytes_.size() - at_; }

 private:
  // The next count * size bytes.
  Result<const uint8_t*> Take(size_t count, size_t size);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_WEIGHTS_H_
