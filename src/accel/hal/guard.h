// Calls of a driver in this process with a deadline. A call that misses it is
// abandoned with its thread: the caller continues, and the device is not used
// until the call returns, if ever.
#ifndef MUNJA_HAL_GUARD_H_
#define MUNJA_HAL_GUARD_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace munja::hal {

class Guard : public std::enable_shared_from_this<Guard> {
 public:
  // Abandoned calls that have not returned yet.
  int left_behind() const {
    const std::lock_guard lock(mutex_);
    return left_behind_;
  }

  // Calls `end` when the last abandoned call has returned, or now if there is
  // none.
  void WhenBack(std::function<void()> end) {
    {
      const std::lock_guard lock(mutex_);
      if (left_behind_ > 0) {
        ends_.push_back(std::move(end));
        return;
      }
    }
    end();
  }

  // Returns the result of `call`; nothing if it does not return by the deadline
  // (CLOCK_MONOTONIC, in nanoseconds): its later result goes to `late`. Both
  // own what they use.
  template <class Answer>
  std::optional<Answer> Run(uint64_t deadline_ns, std::function<Answer()> call,
                            std::function<void(Answer)> late) {
    struct Shared {
      std::mutex mutex;
      std::condition_variable changed;
      std::optional<Answer> answer;
      bool is_left = false;
    };
    const auto shared = std::make_shared<Shared>();
    std::thread thread([self = shared_from_this(), shared,
                        call = std::move(call), late = std::move(late)] {
      Answer answer = call();
      {
        const std::lock_guard lock(shared->mutex);
        if (!shared->is_left) {
          shared->answer = std::move(answer);
          shared->changed.notify_all();
          return;
        }
      }
      late(std::move(answer));
      self->Return();
    });
    const auto deadline = std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::nanoseconds(static_cast<int64_t>(deadline_ns))));
    std::unique_lock lock(shared->mutex);
    if (shared->changed.wait_until(
            lock, deadline, [&] { return shared->answer.has_value(); })) {
      lock.unlock();
      thread.join();
      return std::move(shared->answer);
    }
    shared->is_left = true;
    Leave();
    lock.unlock();
    thread.detach();
    return std::nullopt;
  }

 private:
  void Leave() {
    const std::lock_guard lock(mutex_);
    ++left_behind_;
  }
  void Return() {
    std::unique_lock lock(mutex_);
    while (left_behind_ == 1 && !ends_.empty()) {
      std::vector<std::function<void()>> ends;
      ends.swap(ends_);
      lock.unlock();
      for (const auto& end : ends) end();
      lock.lock();
    }
    --left_behind_;
  }

  mutable std::mutex mutex_;
  int left_behind_ = 0;
  std::vector<std::function<void()>> ends_;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_GUARD_H_
