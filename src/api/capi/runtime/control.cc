#include "munja/control.h"

#include <cmath>
#include <utility>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"

using munja::Control;
using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;

namespace {

// The control of this thread, until another one is bound.
thread_local munja_control* bound = nullptr;

}  // namespace

namespace munja::capi {

Control* BoundControl() noexcept {
  return bound != nullptr ? &bound->control : nullptr;
}

}  // namespace munja::capi

extern "C" {

munja_status munja_control_create(const munja_control_options* options,
                                  munja_control** control) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(control));
    munja_control_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    if (std::isnan(o.seconds))
      return InvalidArgument("seconds is not a number");
    Control::Limits limits;
    if (o.max_memory == 0) {
      limits.memory = Control::kDefaultMemory;
    } else if (o.max_memory > 0 &&
               static_cast<uint64_t>(o.max_memory) < SIZE_MAX) {
      limits.memory = static_cast<size_t>(o.max_memory);
    }
    if (o.max_pixels < 0) return InvalidArgument("max_pixels is negative");
    limits.seconds = o.seconds > 0 ? o.seconds : 0;
    limits.pixels = o.max_pixels;
    Control::Progress progress;
    if (o.progress != nullptr) {
      progress = [o](const char* what, uint64_t done, uint64_t total) {
        return o.progress(o.context, what, done, total) == 0;
      };
    }
    *control = new munja_control{limits, std::move(progress)};
    return Status();
  });
}

void munja_control_free(munja_control* control) { delete control; }

void munja_control_cancel(munja_control* control) {
  if (control != nullptr) control->control.Cancel();
}

munja_status munja_control_restart(munja_control* control) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(control));
    control->control.Restart();
    return Status();
  });
}

munja_status munja_control_check(munja_control* control) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(control));
    return control->control.Check();
  });
}

munja_control* munja_control_bind(munja_control* control) {
  return std::exchange(bound, control);
}

munja_status munja_control_memory(const munja_control* control,
                                  munja_control_use* use) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(control, use));
    const munja::MemoryAccount* const account =
        const_cast<munja_control*>(control)->control.account();
    if (account == nullptr) return munja::OutOfMemory("out of memory");
    return munja::capi::WriteStruct(
        munja_control_use{0, account->limit(), account->used(),
                          account->peak()},
        use);
  });
}

}  // extern "C"
