// ThreadPool: a fixed set of workers that share loops over index ranges.
#ifndef MUNJA_BASE_THREAD_POOL_H_
#define MUNJA_BASE_THREAD_POOL_H_

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace munja {

// A reference to a callable that outlives the call; no allocation.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-*)
      FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const {
    return call_(object_, std::forward<Args>(args)...);
  }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Runs loops on `threads` threads: the caller and threads - 1 workers, which
// sleep when there is nothing to do (a short spin first keeps back-to-back
// operators from paying a wake-up each). One loop at a time: a second thread
// that calls ParallelFor meanwhile, and a nested call from inside a loop, run
// their loop alone on the calling thread. So a pool may be shared freely. A
// child that fork() made starts workers of its own when it runs a loop; a fork
// in the middle of a loop's body leaves the child without that loop's workers,
// so there it must end in exec or _exit.
class ThreadPool {
 public:
  // threads >= 1; 1 starts no worker. 0: one for each processor available.
  // Where the system does not give so many there are fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls body(begin, end, worker) for disjoint ranges that cover [0, count),
  // each at most `grain` long and starting at a multiple of `grain` (>= 1);
  // worker is in [0, threads()). A thread takes its own share of the ranges in
  // order, the w-th of as many parts, then the last ones of others' shares. The
  // bounds of ranges never depend on the number of threads, so a body whose
  // result depends on its own range only gives the same answer on any number of
  // threads. What a body throws is thrown here, once no thread is in a body any
  // more; ranges not begun by then are left out.
  void ParallelFor(
      size_t count, size_t grain,
      FunctionRef<void(size_t begin, size_t end, int worker)> body);

 private:
  class State;
  int threads_ = 1;
  std::unique_ptr<State> state_;
};

}  // namespace munja

#endif  // MUNJA_BASE_THREAD_POOL_H_
