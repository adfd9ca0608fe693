// SessionUse: sees that two threads use one session at once.
#ifndef MUNJA_CAPI_RUNTIME_SESSION_USE_H_
#define MUNJA_CAPI_RUNTIME_SESSION_USE_H_

#include <atomic>

#include "base/status.h"

namespace munja::capi {

// Who uses an object now: so many readers, or one that changes it.
using Users = std::atomic<int>;
constexpr int kChanging = -1;

// For the time of one call. Where status() is an error nothing may be touched.
class SessionUse {
 public:
  enum Kind { kRead, kChange };

  SessionUse(Users& users, Kind kind) : users_(users), kind_(kind) {
    int now = users_.load(std::memory_order_relaxed);
    do {
      if (now == kChanging || (kind == kChange && now != 0)) return;
    } while (!users_.compare_exchange_weak(
        now, kind == kChange ? kChanging : now + 1, std::memory_order_acquire,
        std::memory_order_relaxed));
    is_allowed_ = true;
  }
  ~SessionUse() {
    if (!is_allowed_) return;
    if (kind_ == kChange)
      users_.store(0, std::memory_order_release);
    else
      users_.fetch_sub(1, std::memory_order_release);
  }
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;

  Status status() const {
    if (is_allowed_) return Status();
    return InvalidArgument(
        "the session is in use by another thread, or by the call that this one "
        "was made in: use it in one call at a time, and munja_session_fork() "
        "for another session of the same model");
  }

 private:
  Users& users_;
  const Kind kind_;
  bool is_allowed_ = false;
};

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_SESSION_USE_H_
