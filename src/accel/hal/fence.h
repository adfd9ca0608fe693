// Fences (munja/driver.h): eventfds that are signaled when a request is done.
#ifndef MUNJA_HAL_FENCE_H_
#define MUNJA_HAL_FENCE_H_

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/descriptor.h"
#include "hal/execution.h"
#include "munja/driver.h"

namespace munja::hal {

// Nanoseconds of CLOCK_MONOTONIC.
uint64_t MonotonicNow();
// Duplicates with close-on-exec; -1 where there is none.
Descriptor Duplicate(int fd);

// The state of a fenced request, shared by the thread that runs it and the
// caller's munja_nn_fence_info.
struct Fenced {
  std::mutex mutex;
  int32_t status = MUNJA_NN_GENERAL_FAILURE;  // Until it is known.
  munja_nn_timing launched = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  munja_nn_timing fenced = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
  uint64_t begun_ns = 0;
  Descriptor fence;

  void Finish(const Execution& execution, bool measure) {
    {
      const std::lock_guard lock(mutex);
      status = execution.status;
      if (measure && status == MUNJA_NN_NONE) {
        fenced = execution.timing;
        launched = {execution.timing.on_device,
                    (MonotonicNow() - begun_ns) / 1000};
      }
    }
    const uint64_t value = execution.status == MUNJA_NN_NONE
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

bool IsFailedFence(int fd);

}  // namespace munja::hal

#endif  // MUNJA_HAL_FENCE_H_
