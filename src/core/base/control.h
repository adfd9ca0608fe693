// Control: what a call may use (memory, time), whether it shall go on, and whom
// to tell how far it is. Set for a thread at the entry of the interface, so
// that nothing in between passes it on.
#ifndef MUNJA_BASE_CONTROL_H_
#define MUNJA_BASE_CONTROL_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/status.h"

namespace munja {

// Bytes in use against a limit. What was allocated holds on to its account, so
// it lives as long as the last of them and the control it came with.
class MemoryAccount {
 public:
  // Null when there is no memory. Release() it.
  static MemoryAccount* Create(size_t limit) noexcept;
  // False, and nothing taken, when the limit would be passed.
  bool Take(size_t bytes) noexcept;
  void Give(size_t bytes) noexcept;  // Returns bytes that were taken.
  void Release() noexcept;
  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  explicit MemoryAccount(size_t limit) : limit_(limit) {}

  const size_t limit_;
  std::atomic<size_t> used_{0}, peak_{0};
  std::atomic<size_t> owners_{1};
};

// Any thread may use any function of it but Restart().
class Control {
 public:
  // Gets the current activity and how many of its `total` units are done; total
  // is 0 if unknown. Called only by the thread that made the call. Returns
  // false to cancel.
  using Progress =
      std::function<bool(const char* what, uint64_t done, uint64_t total)>;
  // Limits of a call without a control: more than any honest input
  // takes, and less than what hurts a machine.
  static constexpr size_t kDefaultMemory =
      sizeof(void*) > 4 ? size_t{1} << 32 : size_t{1} << 30;
  static constexpr double kDefaultSeconds = 3600;
  // Converting, quantizing, downloading.
  static constexpr double kDefaultLongSeconds = 24 * 3600;
  struct Limits {
    size_t memory = SIZE_MAX;  // Bytes of Buffers alive, and of claims.
    double seconds = 0;        // From its making or last restart; 0: none.
    int64_t pixels = 0;  // Pixels of an image; 0: the decoder's own limit.
  };

  explicit Control(const Limits& limits, Progress progress = {});
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // Everything under it ends soon. May be called in a signal handler.
  void Cancel() noexcept;
  // The time begins anew and nothing is cancelled. Not while it is in use.
  void Restart() noexcept;
  // Once true it stays so until Restart(): what was left out is an error.
  bool IsStopped() noexcept {
    if (stop_.load(std::memory_order_relaxed) != kGoOn) return true;
    return has_deadline_ && Clock::now() >= deadline_ && PassDeadline();
  }
  Status Check();  // kCancelled, kTimedOut

  // Null when there is no memory even for it.
  MemoryAccount* account() noexcept;
  const Limits& limits() const { return limits_; }
  void Report(const char* what, uint64_t done, uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  enum Stop : int { kGoOn, kCancelled, kTimedOut };
  bool PassDeadline() noexcept;

  const Limits limits_;
  const Progress progress_;
  bool has_deadline_ = false;
  Clock::time_point deadline_;
  std::atomic<int> stop_{kGoOn};
  static_assert(std::atomic<int>::is_always_lock_free);
  std::atomic<MemoryAccount*> account_{nullptr};  // Made when it is needed.
};

// The control of this thread; null: no limits.
Control* CurrentControl() noexcept;

// Sets the current control of this thread for as long as it lives. Workers of
// a pool do so with that of the thread whose loop they share.
class ControlScope {
 public:
  // kSilent: ReportProgress() does nothing. For workers, and for what is but a
  // step of something that tells how far it is itself.
  enum Role { kTelling, kSilent };
  explicit ControlScope(Control* control, Role role = kTelling) noexcept;
  ~ControlScope();
  ControlScope(const ControlScope&) = delete;
  ControlScope& operator=(const ControlScope&) = delete;

 private:
  Control* const previous_;
  const Role previous_role_;
};

// Whether the work of this thread shall end: for loops that cannot give a
// status. Who called them asks CheckControl() afterwards. A pool leaves out the
// ranges that are left then, so the same holds after ThreadPool::ParallelFor.
inline bool IsStopped() noexcept {
  Control* const control = CurrentControl();
  return control != nullptr && control->IsStopped();
}

// kCancelled, kTimedOut. Cheap: for every row, node, line, iteration.
inline Status CheckControl() {
  Control* const control = CurrentControl();
  if (control == nullptr || !control->IsStopped()) return Status();
  return control->Check();
}

// Calls the progress callback, if any.
void ReportProgress(const char* what, uint64_t done, uint64_t total);

// Memory that is not a Buffer's (of a library, of vectors) and counts.
class MemoryClaim {
 public:
  MemoryClaim() = default;
  // kOutOfMemory: more than is left under the current control.
  static Result<MemoryClaim> Take(size_t bytes);
  ~MemoryClaim() { Give(); }
  MemoryClaim(MemoryClaim&& other) noexcept
      : account_(std::exchange(other.account_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryClaim& operator=(MemoryClaim&& other) noexcept {
    if (this != &other) {
      Give();
      account_ = std::exchange(other.account_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }

 private:
  void Give() noexcept {
    if (account_ != nullptr) account_->Give(bytes_);
    account_ = nullptr;
  }
  MemoryAccount* account_ = nullptr;
  size_t bytes_ = 0;
};

// For Buffer and MemoryClaim: takes from the current account, which stays null
// where there is none. kOutOfMemory.
Status TakeMemory(size_t bytes, MemoryAccount** account);

}  // namespace munja

#endif  // MUNJA_BASE_CONTROL_H_
