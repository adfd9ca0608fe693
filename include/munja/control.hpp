// C++20 over munja/control.h and munja/log.h: limits, cancellation, progress,
// messages. Part of munja/munja.hpp.
#ifndef MUNJA_CONTROL_HPP_
#define MUNJA_CONTROL_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "munja/control.h"
#include "munja/log.h"
#include "munja/result.hpp"
#include "munja/types.h"

namespace munja {
inline namespace v0 {

// ---- Limits, cancellation, progress -----------------------------------------

struct ControlOptions {
  int64_t max_memory = 0;  // Bytes; 0: the default, negative: unlimited.
  double seconds = 0;      // 0: unlimited.
  int64_t max_pixels = 0;  // Pixels of a decoded image; 0: the default.
  // Activity, units done, total (0: not known); false cancels. Called by the
  // thread that made the call.
  std::function<bool(std::string_view, uint64_t, uint64_t)> progress = nullptr;
};

// See munja/control.h. Must outlive the calls and objects that it is given to.
class Control {
 public:
  explicit Control(ControlOptions options = {})
      : progress_(std::make_unique<ControlOptions>(std::move(options))) {
    munja_control_options o = {};
    o.struct_size = sizeof o;
    o.max_memory = progress_->max_memory;
    o.seconds = progress_->seconds;
    o.max_pixels = progress_->max_pixels;
    if (progress_->progress) {
      o.context = progress_.get();
      o.progress = [](void* context, const char* what, uint64_t done,
                      uint64_t total) {
        const auto* const self = static_cast<const ControlOptions*>(context);
        return self->progress(what, done, total) ? 0 : 1;
      };
    }
    munja_control* control = nullptr;
    Check(munja_control_create(&o, &control));
    handle_.reset(control);
  }
  // By any thread, also from a signal handler.
  void Cancel() { munja_control_cancel(get()); }
  Status Restart() { return StatusOf(munja_control_restart(get())); }
  // For loops of the caller: why they should end, a cancellation or the time.
  Status state() const { return StatusOf(munja_control_check(get())); }
  munja_control_use memory() const {
    munja_control_use use = {};
    use.struct_size = sizeof use;
    Check(munja_control_memory(get(), &use));
    return use;
  }
  munja_control* get() const { return handle_.get(); }

 private:
  std::unique_ptr<ControlOptions> progress_;
  Handle<munja_control, munja_control_free> handle_;
};

// Applies a control to all calls of this thread as long as it lives.
class BoundControl {
 public:
  explicit BoundControl(const Control& control)
      : previous_(munja_control_bind(control.get())) {}
  ~BoundControl() { munja_control_bind(previous_); }
  BoundControl(const BoundControl&) = delete;
  BoundControl& operator=(const BoundControl&) = delete;

 private:
  munja_control* previous_;
};

namespace internal {
inline munja_control* Get(const Control* control) {
  return control != nullptr ? control->get() : nullptr;
}
}  // namespace internal

// ---- Messages ---------------------------------------------------------------

// Receives a message without a line end; see munja_set_log().
using Log = std::function<void(munja_log_severity, std::string_view)>;

// By one thread at a time, and not from a log; null: silent.
inline void SetLog(Log log) {
  static Log* kept = nullptr;
  Log* const next = log ? new Log(std::move(log)) : nullptr;
  const munja_log call = [](void* user, munja_log_severity severity,
                            const char* line) {
    (*static_cast<Log*>(user))(severity, line);
  };
  munja_set_log(next != nullptr ? call : nullptr, next);
  delete std::exchange(kept, next);
}

// "0.1.0": of the library.
inline std::string Version() { return munja_version(); }

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_CONTROL_HPP_
