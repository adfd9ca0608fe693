// Shared by the files of this folder: descriptors that close themselves, and
// what the system said.
#ifndef MUNJA_BASE_DESCRIPTOR_H_
#define MUNJA_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "base/status.h"

namespace munja {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }  // Now the caller's.
  int Close() {
    const int result = fd_ >= 0 ? close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// "PATH: cannot open: No such file or directory".
inline std::string SystemMessage(const std::string& path, const char* doing,
                                 int error) {
  return path + ": " + doing + ": " + std::strerror(error);
}

}  // namespace munja

#endif  // MUNJA_BASE_DESCRIPTOR_H_
