#include "hal/fence.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>

namespace munja::hal {

uint64_t MonotonicNow() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

Descriptor Duplicate(int fd) {
  return Descriptor(fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

bool IsFailedFence(int fd) {
  pollfd state = {fd, POLLIN | POLLOUT, 0};
  return poll(&state, 1, 0) < 0 ||
         (state.revents & (POLLNVAL | POLLERR)) != 0 ||
         (state.revents & (POLLIN | POLLOUT)) == POLLIN;
}

}  // namespace munja::hal
