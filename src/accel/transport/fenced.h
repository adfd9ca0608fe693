// What a driver keeps of a fenced request (munja/driver.h).
#ifndef MUNJA_TRANSPORT_FENCED_H_
#define MUNJA_TRANSPORT_FENCED_H_

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/descriptor.h"
#include "munja/driver.h"
#include "transport/channel.h"
#include "transport/wire.h"

namespace munja::nn {

// What became of a fenced request, for who asks and who signals.
struct Fenced {
  std::mutex mutex;
  int32_t status = MUNJA_NN_GENERAL_FAILURE;  // Until it is known.
  munja_nn_timing launched = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  munja_nn_timing fenced = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  uint64_t begun_ns = 0;
  Descriptor fence;

  void Finish(const ExecutionAnswer& answer, bool measure) {
    {
      const std::lock_guard lock(mutex);
      status = answer.status;
      if (measure && status == MUNJA_NN_NONE) {
        fenced = answer.timing;
        launched = {answer.timing.on_device,
                    (MonotonicNow() - begun_ns) / 1000};
      }
    }
    const uint64_t value = answer.status == MUNJA_NN_NONE
                               ? MUNJA_NN_FENCE_DONE
                               : MUNJA_NN_FENCE_FAILED;
    [[maybe_unused]] const ssize_t written =
        write(fence.get(), &value, sizeof value);
  }
};

struct FenceInfo {
  munja_nn_fence_info table = {};
  std::shared_ptr<Fenced> fenced;

  static munja_nn_fence_info* Make(std::shared_ptr<Fenced> of) {
    auto* made = new FenceInfo();
    made->table = {sizeof(munja_nn_fence_info), made, Query, Release};
    made->fenced = std::move(of);
    return &made->table;
  }
  static int32_t Query(void* self, munja_nn_timing* launched,
                       munja_nn_timing* fenced) {
    Fenced& of = *static_cast<FenceInfo*>(self)->fenced;
    const std::lock_guard lock(of.mutex);
    if (launched != nullptr) *launched = of.launched;
    if (fenced != nullptr) *fenced = of.fenced;
    return of.status;
  }
  static void Release(void* self) { delete static_cast<FenceInfo*>(self); }
};

inline bool IsFailedFence(int fd) {
  pollfd state = {fd, POLLIN | POLLOUT, 0};
  return poll(&state, 1, 0) < 0 ||
         (state.revents & (POLLNVAL | POLLERR)) != 0 ||
         (state.revents & (POLLIN | POLLOUT)) == POLLIN;
}

}  // namespace munja::nn

#endif  // MUNJA_TRANSPORT_FENCED_H_
