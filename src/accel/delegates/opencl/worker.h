// Worker: the one thread that calls OpenCL for a device. Drivers can hang, and
// a call cannot be stopped: the caller gives up at a deadline and abandons the
// thread with everything that the call may still touch.
#ifndef MUNJA_DELEGATES_OPENCL_WORKER_H_
#define MUNJA_DELEGATES_OPENCL_WORKER_H_

#include <chrono>
#include <functional>
#include <memory>

#include "base/status.h"

namespace munja::delegates::opencl {

class Worker {
 public:
  // Owns (by shared pointers) all that it touches.
  using Job = std::function<Status()>;

  Worker();
  // The thread goes on until it has nothing more to do; a stuck one stays.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs the job after those given before, and waits. kTimedOut when it runs
  // longer than that; from then on, and in a child that fork() made, all is
  // kUnavailable.
  Status Run(Job job, std::chrono::milliseconds longest);
  // Runs it some time, without effect where the worker is stuck.
  void Post(Job job);
  bool is_stuck() const;

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;
  const unsigned generation_;
};

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_WORKER_H_
