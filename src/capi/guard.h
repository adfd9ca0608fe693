// Guard: the wall between C++ and C. Every function of the interface that can
// fail runs inside it; the only place in the library that catches.
#ifndef MUNJA_CAPI_GUARD_H_
#define MUNJA_CAPI_GUARD_H_

#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "munja/types.h"

namespace munja::capi {

// Keeps the message for munja_last_error() of this thread.
munja_status SetLastError(Code code, std::string_view message) noexcept;

// Runs body(), which gives a Status, and turns what comes out into a code and
// a message. The libraries below may throw std::bad_alloc.
template <class Body>
munja_status Guard(Body&& body) noexcept {
  try {
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

}  // namespace munja::capi

#endif  // MUNJA_CAPI_GUARD_H_
