// Watchdog: releases what has been idle for a while.
#ifndef MUNJA_HAL_MANAGER_WATCHDOG_H_
#define MUNJA_HAL_MANAGER_WATCHDOG_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace munja::hal {

// One thread for the whole process, which lives as long as anything is watched.
// A child that fork() made has none: nothing is given back there.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // A watched object has one as a member. It is no base class: its destructor
  // would write the table of virtual functions that the watchdog's thread still
  // reads, before it can call Remove().
  struct Watched {
    // Gives back what is due by now. When to come again; max(): not before
    // Wake(). By the watchdog's thread.
    std::function<Clock::time_point(Clock::time_point now)> release_idle;
  };

  // The process's; made when there is none.
  static std::shared_ptr<Watchdog> Get();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void Add(Watched* watched);
  // Waits for a call of release_idle.
  void Remove(Watched* watched);
  // Something became idle.
  void Wake();

 private:
  Watchdog();
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false, is_woken_ = false;
  std::vector<Watched*> watched_;
  const unsigned generation_;  // Fork generation.
  std::thread thread_;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_WATCHDOG_H_
