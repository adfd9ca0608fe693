#include "transport/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace munja::hal {
namespace {

std::string Said(const char* doing, int error) {
  return std::string("shared memory: ") + doing + ": " + std::strerror(error);
}

}  // namespace

Result<std::shared_ptr<SharedMemory>> SharedMemory::Create(uint64_t bytes) {
  Descriptor file(memfd_create("munja-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) return OutOfMemory(Said("cannot create", errno));
  if (bytes == 0 || bytes > uint64_t{1} << 40 ||
      ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return OutOfMemory("shared memory: not of " + std::to_string(bytes) +
                       " bytes");
  // Never more than is there: a page that cannot be had when it is touched is
  // a signal, and not an error.
  if (const int error =
          posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
      error != 0)
    return OutOfMemory(Said("cannot be filled", error));
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return OutOfMemory(Said("cannot be sealed", errno));
  return Map(std::move(file), 0, bytes, kReadWrite);
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::Map(Descriptor file,
                                                        uint64_t offset,
                                                        uint64_t bytes,
                                                        Access access) {
  if (!IsSealedMemory(file.get(), offset, bytes))
    return InvalidArgument(
        "shared memory: not sealed against shrinking, or shorter than said");
  const uint64_t before = offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::shared_ptr<SharedMemory> memory(new SharedMemory());
  memory->mapped_bytes_ = bytes + before;
  const auto map = [&](int protection) {
    return mmap(nullptr, memory->mapped_bytes_, protection,
                MAP_SHARED | MAP_POPULATE, file.get(),
                static_cast<off_t>(offset - before));
  };
  void* base = MAP_FAILED;
  if (access == kReadWrite) {
    base = map(PROT_READ | PROT_WRITE);
    memory->is_writable_ = base != MAP_FAILED;
  }
  if (base == MAP_FAILED) base = map(PROT_READ);
  if (base == MAP_FAILED) return OutOfMemory(Said("cannot be mapped", errno));
  memory->base_ = static_cast<uint8_t*>(base);
  memory->data_ = memory->base_ + before;
  memory->file_ = std::move(file);
  memory->offset_ = offset;
  memory->bytes_ = bytes;
  return memory;
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, mapped_bytes_);
}

Result<Memory> SharedPool(uint64_t bytes) {
  MUNJA_ASSIGN_OR_RETURN(auto shared, SharedMemory::Create(bytes));
  Memory memory;
  memory.data = shared->data();
  memory.bytes = bytes;
  memory.fd = shared->fd();
  memory.owner = std::move(shared);
  return memory;
}

bool IsSealedMemory(int fd, uint64_t offset, uint64_t bytes) {
  if (fd < 0 || bytes == 0) return false;
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return false;
  struct stat status = {};
  if (fstat(fd, &status) != 0 || status.st_size < 0) return false;
  const auto size = static_cast<uint64_t>(status.st_size);
  return offset <= size && bytes <= size - offset;
}

}  // namespace munja::hal
