// The queue of requests and the worker processes that answer them.
#ifndef MUNJA_SERVER_POOL_H_
#define MUNJA_SERVER_POOL_H_

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/frames.h"
#include "server/journal.h"
#include "server/server.h"

namespace munja::server {

// Bytes of bodies that the server holds: a share of a common limit, returned
// when it is destroyed.
class BodyMemory {
 public:
  explicit BodyMemory(std::atomic<size_t>* all) : all_(all) {}
  ~BodyMemory() { *all_ -= held_; }
  BodyMemory(const BodyMemory&) = delete;
  BodyMemory& operator=(const BodyMemory&) = delete;
  // False: more than `limit` bytes would be held by all.
  bool Take(size_t bytes, size_t limit) {
    held_ += bytes;
    return (*all_ += bytes) <= limit;
  }

 private:
  std::atomic<size_t>* const all_;
  size_t held_ = 0;
};

// A worker's answer, or why there is none.
struct Answer {
  std::string code = {};  // "": a result; else as in the interface's errors.
  std::string message = {}, media_type = {}, output = {};
  int pages = 0;
};

// A request to read, and later its answer.
struct Task {
  struct Part {
    std::string name, bytes;
  };
  std::string client;  // Clients share the workers' time.
  std::string owner;   // A job is shown to clients with the same key only.
  bool is_job = false;
  Json options;
  std::vector<Part> parts;
  std::unique_ptr<BodyMemory> memory;
  Clock::time_point submitted, deadline;
  std::atomic<bool> is_cancelled = false;
  double charged = 0;  // Seconds that its client was charged beforehand.

  std::mutex mutex;  // For the members below.
  std::condition_variable changed;
  enum class State { kQueued, kRunning, kDone } state = State::kQueued;
  int page = 0, pages = 0;
  Answer answer;
  Clock::time_point finished;

  void Finish(Answer final_answer);
};

class Pool {
 public:
  Pool(const ServerOptions& options, Metrics* metrics);
  ~Pool();

  // Starts the workers and waits for them. The exit code of one that could not
  // start, else 0.
  int Start();

  // Whether a request of this client would find a place now.
  bool HasPlace(const std::string& client) const;
  // False: the queue is full. Where one client has much more in it than this
  // one, its last request makes room and is answered so.
  bool Submit(const std::shared_ptr<Task>& task);
  // The task ends soon, by an answer or without one.
  void Cancel(const std::shared_ptr<Task>& task);
  // Refuses new tasks, ends jobs, and waits for the others until the deadline.
  void Drain(Clock::time_point deadline);

  int queued() const;
  int ready() const { return ready_; }
  int running() const { return running_; }
  // How many tasks run before this one; 0: none waits before it.
  int PositionOf(const Task& task) const;
  // Seconds after which a new attempt makes sense.
  int RetryAfter() const;
  const std::string& model() const { return model_; }

 private:
  struct Worker {
    int socket = -1;
    pid_t pid = -1;
    int exit_code = 0;  // The last process ended so.
    std::thread thread;
  };

  void Main(Worker* worker);
  bool Spawn(Worker* worker);
  // Ends it if it has not; a description of its end.
  std::string Reap(Worker* worker);
  bool IsGone(const Worker& worker) const;
  // The next task, or null after half a second without one, or at the end.
  std::shared_ptr<Task> Take();
  // False: the worker ended before it had the task.
  bool Run(Worker* worker, Task* task);
  void Restart(Worker* worker);
  // With the lock held.
  void Remove(const Task* task);
  void Charge(const Task& task, double seconds);

  const ServerOptions& options_;
  Metrics& metrics_;
  std::string model_;
  std::deque<Worker> workers_;

  mutable std::mutex mutex_;
  std::condition_variable has_work_, is_idle_, has_started_;
  // Clients with tasks, in the order of their turns.
  std::deque<std::string> turns_;
  // Seconds of workers that clients have had: the one with the fewest is next.
  // One that comes later begins with those of the one served last.
  std::map<std::string, double> used_;
  double served_ = 0;
  std::map<std::string, std::deque<std::shared_ptr<Task>>> queues_;
  int queued_ = 0, running_jobs_ = 0, started_ = 0;
  double mean_seconds_ = 0.2;
  bool is_draining_ = false;
  std::atomic<bool> is_ended_ = false;
  std::atomic<int> ready_ = 0, running_ = 0;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_POOL_H_
