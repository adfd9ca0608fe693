// Buffer: 64-byte aligned bytes whose allocation can fail without throwing.
#ifndef MUNJA_BASE_BUFFER_H_
#define MUNJA_BASE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/status.h"

namespace munja {

inline constexpr size_t kBufferAlignment = 64;

// a * b, or false when it does not fit.
inline bool CheckedMultiply(size_t a, size_t b, size_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}
inline bool CheckedAdd(size_t a, size_t b, size_t* out) {
  return !__builtin_add_overflow(a, b, out);
}
inline constexpr size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Owns aligned memory. The size is rounded up to a multiple of 64 inside, so a
// vector load that starts in the buffer's last 64-byte block never leaves it.
class Buffer {
 public:
  Buffer() = default;
  // Not zeroed. kOutOfMemory when the system has none.
  static Result<Buffer> Allocate(size_t bytes);
  static Result<Buffer> AllocateZeroed(size_t bytes);
  ~Buffer() { Free(); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      Free();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  void Free();
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace munja

#endif  // MUNJA_BASE_BUFFER_H_
