// Threads for calls of a driver, which may take as long as they like: there is
// always one more for the next.
#ifndef MUNJA_TRANSPORT_WORKERS_H_
#define MUNJA_TRANSPORT_WORKERS_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace munja::hal {

class Workers {
 public:
  explicit Workers(size_t most) : max_(most) {}
  ~Workers() { Finish(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs in an idle thread or a new one; beyond the maximum it waits.
  void Submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (tasks_.size() > idle_ && threads_.size() < max_)
      threads_.emplace_back([this] { Work(); });
    changed_.notify_one();
  }
  // Waits for what was submitted.
  void Finish() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      threads.swap(threads_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.wait(lock, [&] { return is_over_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // Destroyed before the lock is taken again.
      lock.lock();
    }
  }

  const size_t max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool is_over_ = false;
};

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_WORKERS_H_
