#include "base/buffer.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace munja {

Result<Buffer> Buffer::Allocate(size_t bytes) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  // PTRDIFF_MAX bounds every object; beyond it the rounding below could wrap.
  if (bytes <= static_cast<size_t>(PTRDIFF_MAX) - kBufferAlignment) {
    buffer.data_ = static_cast<uint8_t*>(
        std::aligned_alloc(kBufferAlignment, RoundUp(bytes, kBufferAlignment)));
  }
  if (buffer.data_ == nullptr)
    return OutOfMemory("cannot allocate " + std::to_string(bytes) + " bytes");
  buffer.size_ = bytes;
  return buffer;
}

Result<Buffer> Buffer::AllocateZeroed(size_t bytes) {
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Allocate(bytes));
  if (bytes > 0) std::memset(buffer.data(), 0, RoundUp(bytes, kBufferAlignment));
  return buffer;
}

void Buffer::Free() {
  std::free(data_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace munja
