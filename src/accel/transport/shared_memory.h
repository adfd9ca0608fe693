// Memory that two processes see: files that exist in memory only, sealed so
// that they cannot be shortened while they are read.
#ifndef MUNJA_TRANSPORT_SHARED_MEMORY_H_
#define MUNJA_TRANSPORT_SHARED_MEMORY_H_

#include <cstdint>
#include <memory>

#include "base/descriptor.h"
#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

// Mapped as long as it lives.
class SharedMemory {
 public:
  enum Access { kRead, kReadWrite };

  // New, zero, sealed against shrinking and growing. kOutOfMemory.
  static Result<std::shared_ptr<SharedMemory>> Create(uint64_t bytes);
  // A part of what another side gives. kInvalidArgument: it is not sealed
  // against shrinking, or shorter than said. kOutOfMemory. With kReadWrite
  // what may only be read is mapped so, see is_writable().
  static Result<std::shared_ptr<SharedMemory>> Map(Descriptor file,
                                                   uint64_t offset,
                                                   uint64_t bytes,
                                                   Access access);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  uint8_t* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }
  bool is_writable() const { return is_writable_; }
  int fd() const { return file_.get(); }
  uint64_t offset() const { return offset_; }

 private:
  SharedMemory() = default;

  Descriptor file_;
  uint64_t offset_ = 0, bytes_ = 0, mapped_bytes_ = 0;
  uint8_t* base_ = nullptr;
  uint8_t* data_ = nullptr;
  bool is_writable_ = false;
};

// A pool for models and requests that drivers in processes of their own read
// and write where it is; others are copied on their way there and back.
Result<Memory> SharedPool(uint64_t bytes);

// Whether this many bytes from `offset` on can be mapped safely.
bool IsSealedMemory(int fd, uint64_t offset, uint64_t bytes);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_SHARED_MEMORY_H_
