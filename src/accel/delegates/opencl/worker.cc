#include "delegates/opencl/worker.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/fork.h"

namespace munja::delegates::opencl {
namespace {

using Clock = std::chrono::steady_clock;

struct Task {
  Worker::Job job;
  std::optional<Clock::time_point> start;
  bool is_done = false;
  Status result;
};

// The end of the thread: nothing may leave it.
Status RunJob(const Worker::Job& job) {
  try {
    return job();
  } catch (const std::exception& e) {  // source-rule-ok: the end of a thread.
    return OutOfMemory(std::string("on the device's thread: ") + e.what());
  }
}

}  // namespace

struct Worker::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Task>> tasks;
  bool is_ending = false, is_stuck = false;

  void Loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return is_ending || !tasks.empty(); });
      if (tasks.empty()) return;
      const std::shared_ptr<Task> task = std::move(tasks.front());
      tasks.pop_front();
      task->start = Clock::now();
      changed.notify_all();
      lock.unlock();
      Status result = RunJob(task->job);
      task->job = nullptr;  // Destroyed before the waiting thread continues.
      lock.lock();
      task->result = std::move(result);
      task->is_done = true;
      changed.notify_all();
    }
  }
};

Worker::Worker()
    : shared_(std::make_shared<Shared>()), generation_(ForkGeneration()) {
  std::thread([shared = shared_] { shared->Loop(); }).detach();
}

Worker::~Worker() {
  if (generation_ != ForkGeneration()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->is_ending = true;
  shared_->changed.notify_all();
}

Status Worker::Run(Job job, std::chrono::milliseconds longest) {
  if (generation_ != ForkGeneration())
    return Unavailable("the device belongs to the process before fork()");
  auto task = std::make_shared<Task>();
  task->job = std::move(job);
  std::unique_lock lock(shared_->mutex);
  if (!shared_->is_stuck) {
    shared_->tasks.push_back(task);
    shared_->changed.notify_all();
  }
  for (;;) {
    if (task->is_done) return std::move(task->result);
    if (shared_->is_stuck)
      return Unavailable(
          "the device did not come back from an earlier call and is not asked "
          "again");
    if (!task->start) {
      shared_->changed.wait(lock);
    } else if (shared_->changed.wait_until(lock, *task->start + longest) ==
                   std::cv_status::timeout &&
               !task->is_done) {
      shared_->is_stuck = true;
      shared_->changed.notify_all();
      return TimedOut("the device did not come back within " +
                      std::to_string(longest.count()) +
                      " ms and is not asked again");
    }
  }
}

void Worker::Post(Job job) {
  if (generation_ != ForkGeneration()) return;
  auto task = std::make_shared<Task>();
  task->job = std::move(job);
  const std::lock_guard lock(shared_->mutex);
  if (shared_->is_stuck) {
    // Dropping it would release what a call that hangs may touch.
    shared_->tasks.push_back(std::move(task));
    return;
  }
  shared_->tasks.push_back(std::move(task));
  shared_->changed.notify_all();
}

bool Worker::is_stuck() const {
  if (generation_ != ForkGeneration()) return true;
  const std::lock_guard lock(shared_->mutex);
  return shared_->is_stuck;
}

}  // namespace munja::delegates::opencl
