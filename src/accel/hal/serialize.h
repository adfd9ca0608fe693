// Models as bytes: for the files of compiled models and for drivers in other
// processes. Both sides are of one build, on one machine.
#ifndef MUNJA_HAL_SERIALIZE_H_
#define MUNJA_HAL_SERIALIZE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hal/model.h"

namespace munja::hal {

class ByteWriter {
 public:
  template <class T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void PutBytes(const void* data, size_t size);  // With their number.
  void PutText(const std::string& text) { PutBytes(text.data(), text.size()); }
  template <class T>
  void PutList(const std::vector<T>& values) {
    PutBytes(values.data(), values.size() * sizeof(T));
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// After the first thing that is not there everything reads as zero and empty,
// and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool ok() const { return is_ok_; }
  // All was there, and nothing is left.
  bool IsDone() const { return is_ok_ && at_ == bytes_.size(); }
  void Fail() { is_ok_ = false; }

  template <class T>
  T Get() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    T value = {};
    if (const uint8_t* from = Next(sizeof value); from != nullptr)
      std::memcpy(&value, from, sizeof value);
    return value;
  }
  bool GetFlag();  // 0 or 1; others fail.
  std::string GetText();
  template <class T>
  std::vector<T> GetList() {
    const uint64_t size = Get<uint64_t>();
    std::vector<T> values;
    if (size % sizeof(T) != 0) Fail();
    const uint8_t* from = Next(size);
    if (from == nullptr || size == 0) return values;
    values.resize(size / sizeof(T));
    std::memcpy(values.data(), from, size);
    return values;
  }
  // A count of items of at least `bytes_each`; a count larger than the
  // remaining bytes fails.
  uint32_t GetCount(size_t bytes_each);

 private:
  const uint8_t* Next(uint64_t size);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool is_ok_ = true;
};

void PutLocation(const Location& at, ByteWriter& to);
Location GetLocation(ByteReader& from);

// A pool is written as its number in `pools`. Reading does not validate; the
// data of pools is null.
void PutModel(const Model& model, const std::vector<uint32_t>& pools,
              ByteWriter& to);
Model GetModel(ByteReader& from, std::vector<uint32_t>& pools);

}  // namespace munja::hal

#endif  // MUNJA_HAL_SERIALIZE_H_
