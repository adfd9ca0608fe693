#include "hal/manager/watchdog.h"

#include <algorithm>

#include "base/fork.h"

namespace munja::hal {
namespace {

struct TheWatchdog {
  ForkSafeMutex<std::mutex> mutex;
  unsigned generation = 0;
  std::weak_ptr<Watchdog> watchdog;
};

std::unique_ptr<TheWatchdog> MakeTheWatchdog() {
  return std::make_unique<TheWatchdog>();
}

}  // namespace

std::shared_ptr<Watchdog> Watchdog::Get() {
  TheWatchdog& the = *MadeOnce<MakeTheWatchdog>();
  const auto lock = the.mutex.Lock();
  std::shared_ptr<Watchdog> watchdog = the.watchdog.lock();
  // The parent's watchdog has no thread in a fork.
  if (watchdog != nullptr && the.generation == ForkGeneration())
    return watchdog;
  watchdog.reset(new Watchdog());
  the.generation = ForkGeneration();
  the.watchdog = watchdog;
  return watchdog;
}

Watchdog::Watchdog()
    : generation_(ForkGeneration()), thread_([this] { Run(); }) {}

Watchdog::~Watchdog() {
  if (ForkGeneration() != generation_) {
    thread_.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::Add(Watched* watched) {
  if (ForkGeneration() != generation_) return;
  const std::lock_guard lock(mutex_);
  watched_.push_back(watched);
}

void Watchdog::Remove(Watched* watched) {
  // A lock that the parent's thread held stays held.
  if (ForkGeneration() != generation_) return;
  const std::lock_guard lock(mutex_);
  std::erase(watched_, watched);
}

void Watchdog::Wake() {
  if (ForkGeneration() != generation_) return;
  {
    const std::lock_guard lock(mutex_);
    if (is_woken_) return;
    is_woken_ = true;
  }
  changed_.notify_all();
}

void Watchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    is_woken_ = false;
    const Clock::time_point now = Clock::now();
    Clock::time_point next = Clock::time_point::max();
    for (Watched* watched : watched_)
      next = std::min(next, watched->release_idle(now));
    const auto is_due = [&] { return ends_ || is_woken_; };
    if (next == Clock::time_point::max())
      changed_.wait(lock, is_due);
    else
      changed_.wait_until(lock, next, is_due);
  }
}

}  // namespace munja::hal
