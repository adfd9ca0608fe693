// Guard: the wall between C++ and C. Every function of the interface that can
// fail runs inside it; the only place in the library that catches.
#ifndef MUNJA_CAPI_RUNTIME_GUARD_H_
#define MUNJA_CAPI_RUNTIME_GUARD_H_

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/control.h"
#include "base/status.h"
#include "munja/types.h"

namespace munja::capi {

// Keeps the message for munja_last_error() of this thread.
munja_status SetLastError(Code code, std::string_view message) noexcept;

// The control that munja_control_bind() set for this thread, or null.
Control* BoundControl() noexcept;

// The limits of a call, unless it is made by an operator or a callback inside
// of another: those of what is bound, else the default ones, with `seconds`.
class CallLimits {
 public:
  explicit CallLimits(double seconds) {
    if (CurrentControl() != nullptr) return;
    if (Control* const bound = BoundControl(); bound != nullptr) {
      scope_.emplace(bound);
      return;
    }
    own_.emplace(Control::Limits{Control::kDefaultMemory, seconds});
    scope_.emplace(&*own_);
  }

 private:
  std::optional<Control> own_;
  std::optional<ControlScope> scope_;
};

// Runs body(), which returns a Status, and turns the result into a code and a
// message. The libraries below may throw std::bad_alloc.
template <class Body>
munja_status Guard(Body&& body,
                   double seconds = Control::kDefaultSeconds) noexcept {
  try {
    const CallLimits limits(seconds);
    const Status status = std::forward<Body>(body)();
    if (status.ok()) return MUNJA_OK;
    return SetLastError(status.code(), status.message());
  } catch (const std::bad_alloc&) {
    return SetLastError(Code::kOutOfMemory, "out of memory");
  } catch (const std::exception& e) {
    return SetLastError(Code::kInternal, e.what());
  } catch (...) {
    return SetLastError(Code::kInternal, "an exception of an unknown kind");
  }
}

// The status of body(), for threads of the library that no caller waits for.
template <class Body>
Status Caught(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return OutOfMemory("out of memory");
  } catch (const std::exception& e) {
    return Internal(e.what());
  } catch (...) {
    return Internal("an exception of an unknown kind");
  }
}

// Guard() for calls that may take hours: converting, quantizing, downloading.
template <class Body>
munja_status LongGuard(Body&& body) noexcept {
  return Guard(std::forward<Body>(body), Control::kDefaultLongSeconds);
}

// Copies this thread's last error to the caller's, which may be null.
munja_status KeepError(munja_error* error, munja_status status) noexcept;

// The error that a caller gave in its options, which may be null or shorter
// than ours.
template <class Options>
munja_error* ErrorOf(const Options* options) noexcept {
  if (options == nullptr ||
      options->struct_size < offsetof(Options, error) + sizeof(munja_error*))
    return nullptr;
  return options->error;
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_GUARD_H_
