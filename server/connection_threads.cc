#include "server/connection_threads.h"

#include <system_error>
#include <utility>

#include "server/journal.h"

namespace munja::server {

void ConnectionThreads::enqueue(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  work_.push_back(std::move(work));
  if (idle_ >= work_.size()) {
    changed_.notify_one();
    return;
  }
  // Front counts connections and refuses those above its number.
  try {
    threads_.emplace_back([this] { Main(); });
  } catch (const std::system_error&) {
    // The threads that there are take it when they are free.
    LogLine("error", "no_thread", {{"threads", threads_.size()}});
  }
}

void ConnectionThreads::shutdown() {
  std::unique_lock lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
  lock.unlock();
  for (std::thread& thread : threads_) thread.join();
}

void ConnectionThreads::Main() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return !work_.empty() || is_ended_; });
    --idle_;
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace munja::server
