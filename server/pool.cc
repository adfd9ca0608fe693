#include "server/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace munja::server {
namespace {

// The descriptor of its socket in a worker.
constexpr int kWorkerSocket = 3;
// For a worker that should have ended by itself.
constexpr double kGraceSeconds = 2;
constexpr double kStartSeconds = 120;

}  // namespace

void Task::Finish(Answer final_answer) {
  const std::lock_guard lock(mutex);
  if (state == State::kDone) return;
  state = State::kDone;
  answer = std::move(final_answer);
  finished = Clock::now();
  parts.clear();
  memory.reset();
  changed.notify_all();
}

Pool::Pool(const ServerOptions& options, Metrics* metrics)
    : options_(options), metrics_(*metrics) {}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    has_work_.notify_all();
  }
  for (Worker& worker : workers_)
    if (worker.thread.joinable()) worker.thread.join();
}

int Pool::Start() {
  for (int i = 0; i < options_.workers; ++i) workers_.emplace_back();
  for (Worker& worker : workers_)
    worker.thread = std::thread([this, &worker] { Main(&worker); });
  std::unique_lock lock(mutex_);
  has_started_.wait(lock, [this] { return started_ == options_.workers; });
  lock.unlock();
  if (ready_ == options_.workers) return 0;
  for (const Worker& worker : workers_)
    if (worker.exit_code != 0) return worker.exit_code;
  return 1;
}

bool Pool::HasPlace(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  if (is_draining_) return false;
  if (queued_ < options_.limits.queue || running_ < ready_) return true;
  size_t longest = 0;
  for (const auto& [name, queue] : queues_)
    longest = std::max(longest, queue.size());
  const auto own = queues_.find(client);
  return (own == queues_.end() ? 0 : own->second.size()) + 1 < longest;
}

bool Pool::Submit(const std::shared_ptr<Task>& task) {
  if (!HasPlace(task->client)) return false;
  const std::lock_guard lock(mutex_);
  if (is_draining_) return false;
  // A free worker takes it at once, so that without a queue, too, there is
  // work.
  if (queued_ >= options_.limits.queue && running_ + queued_ >= ready_) {
    auto longest = queues_.end();
    for (auto it = queues_.begin(); it != queues_.end(); ++it)
      if (longest == queues_.end() ||
          it->second.size() > longest->second.size())
        longest = it;
    if (longest == queues_.end() || longest->first == task->client)
      return false;
    const std::shared_ptr<Task> last = longest->second.back();
    Remove(last.get());
    last->Finish({.code = "busy",
                  .message = "the queue is full, and others have less in it"});
  }
  std::deque<std::shared_ptr<Task>>& queue = queues_[task->client];
  if (queue.empty()) {
    turns_.push_back(task->client);
    double& used = used_[task->client];
    used = std::max(used, served_);
  }
  queue.push_back(task);
  ++queued_;
  has_work_.notify_one();
  return true;
}

void Pool::Remove(const Task* task) {
  const auto found = queues_.find(task->client);
  if (found == queues_.end()) return;
  std::deque<std::shared_ptr<Task>>& queue = found->second;
  const auto it =
      std::find_if(queue.begin(), queue.end(),
                   [task](const auto& one) { return one.get() == task; });
  if (it == queue.end()) return;
  queue.erase(it);
  --queued_;
  if (!queue.empty()) return;
  turns_.erase(std::find(turns_.begin(), turns_.end(), found->first));
  queues_.erase(found);
}

void Pool::Cancel(const std::shared_ptr<Task>& task) {
  task->is_cancelled = true;
  const std::lock_guard lock(mutex_);
  Remove(task.get());
  bool is_waiting = false;
  {
    const std::lock_guard task_lock(task->mutex);
    is_waiting = task->state == Task::State::kQueued;
  }
  if (is_waiting)
    task->Finish({.code = "cancelled", .message = "the request was cancelled"});
}

std::shared_ptr<Task> Pool::Take() {
  // Jobs leave a worker for requests with a client that waits.
  const int most_jobs = std::max(1, options_.workers - 1);
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    auto next = turns_.end();
    for (auto it = turns_.begin(); it != turns_.end(); ++it) {
      if (queues_[*it].front()->is_job && running_jobs_ >= most_jobs) continue;
      if (next == turns_.end() || used_[*it] < used_[*next]) next = it;
    }
    return next;
  };
  has_work_.wait_for(lock, std::chrono::milliseconds(500),
                     [&] { return is_ended_ || find() != turns_.end(); });
  const auto turn = find();
  if (is_ended_ || turn == turns_.end()) return nullptr;
  const std::string client = *turn;
  turns_.erase(turn);
  std::deque<std::shared_ptr<Task>>& queue = queues_[client];
  std::shared_ptr<Task> task = queue.front();
  queue.pop_front();
  // Its real time is known at its end.
  served_ = used_[client];
  task->charged = mean_seconds_;
  used_[client] += task->charged;
  if (queue.empty())
    queues_.erase(client);
  else
    turns_.push_back(client);
  --queued_;
  ++running_;
  if (task->is_job) ++running_jobs_;
  const std::lock_guard task_lock(task->mutex);
  if (task->state == Task::State::kQueued) task->state = Task::State::kRunning;
  task->changed.notify_all();
  return task;
}

void Pool::Main(Worker* worker) {
  // Children get a signal when the thread that started them ends, so this one
  // lives as long as the pool.
  int failures = 0;
  auto tell_started = [&, is_told = false]() mutable {
    if (std::exchange(is_told, true)) return;
    const std::lock_guard lock(mutex_);
    ++started_;
    has_started_.notify_all();
  };
  for (bool is_first = true;; is_first = false) {
    {
      std::unique_lock lock(mutex_);
      // One that cannot start is tried again after 1, 2, 4 ... 30 seconds.
      if (failures > 0)
        has_work_.wait_for(lock,
                           Seconds(std::min(30.0, std::exp2(failures - 1))),
                           [this] { return is_ended_.load(); });
      if (is_ended_) break;
    }
    if (!Spawn(worker)) {
      ++failures;
      LogLine("error", "worker_failed", {{"message", Reap(worker)}});
      tell_started();
      if (is_first) return;
      continue;
    }
    if (!is_first) metrics_.CountRestart();
    failures = 0;
    ++ready_;
    tell_started();
    while (worker->pid > 0) {
      const std::shared_ptr<Task> task = Take();
      if (IsGone(*worker)) {
        LogLine("error", "worker_ended", {{"message", Reap(worker)}});
        --ready_;
        if (task == nullptr) break;
        Restart(worker);
      }
      if (task != nullptr) {
        const Clock::time_point start = Clock::now();
        // One that ends before it has the task ends by no fault of this task.
        bool is_taken = false;
        for (int i = 0; i < 2 && !is_taken && worker->pid > 0; ++i) {
          is_taken = Run(worker, task.get());
          if (!is_taken) Restart(worker);
        }
        if (!is_taken) {
          task->Finish({.code = "internal",
                        .message = "no worker can be started; see the log"});
          ++failures;
        }
        const double seconds =
            std::chrono::duration<double>(Clock::now() - start).count();
        const std::lock_guard lock(mutex_);
        mean_seconds_ += (seconds - mean_seconds_) / 16;
        --running_;
        if (task->is_job) --running_jobs_;
        Charge(*task, seconds);
        is_idle_.notify_all();
        has_work_.notify_one();
      }
      const std::lock_guard lock(mutex_);
      if (is_ended_) break;
    }
  }
  if (worker->pid > 0) {
    --ready_;
    // It ends when its socket does.
    ::close(std::exchange(worker->socket, -1));
    Reap(worker);
  }
}

void Pool::Restart(Worker* worker) {
  if (!Spawn(worker)) {
    LogLine("error", "worker_failed", {{"message", Reap(worker)}});
    return;
  }
  metrics_.CountRestart();
  ++ready_;
}

bool Pool::Spawn(Worker* worker) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return false;
  // The standard descriptors may be closed in this process.
  for (int& end : pair)
    if (end <= kWorkerSocket)
      end = ::fcntl(end, F_DUPFD_CLOEXEC, kWorkerSocket + 1);
  const int bytes = 1 << 20;
  for (const int end : pair)
    for (const int direction : {SO_SNDBUF, SO_RCVBUF})
      ::setsockopt(end, SOL_SOCKET, direction, &bytes, sizeof bytes);
  std::vector<std::string> words = options_.worker_command;
  words.push_back(std::to_string(kWorkerSocket));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pair[1], kWorkerSocket);
  // Connections of clients would stay open in it.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kWorkerSocket + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes,
                                  argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(pair[1]);
  worker->socket = pair[0];
  worker->pid = error == 0 ? pid : -1;
  Frame frame;
  if (error != 0 ||
      ReceiveFrame(worker->socket, Clock::now() + Seconds(kStartSeconds),
                   &frame) != Transfer::kDone)
    return false;
  const std::lock_guard lock(mutex_);
  model_ = frame.head.value("model", "");
  return true;
}

std::string Pool::Reap(Worker* worker) {
  if (worker->socket >= 0) ::close(std::exchange(worker->socket, -1));
  if (worker->pid <= 0) return "a process could not be started";
  int status = 0;
  // A process whose socket has ended is about to end itself.
  const Clock::time_point deadline = Clock::now() + Seconds(kGraceSeconds);
  pid_t ended = 0;
  while ((ended = ::waitpid(worker->pid, &status, WNOHANG)) == 0 &&
         Clock::now() < deadline)
    ::usleep(2000);
  if (ended == 0) {
    ::kill(worker->pid, SIGKILL);
    ::waitpid(worker->pid, &status, 0);
  }
  worker->pid = -1;
  worker->exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return WIFEXITED(status) ? "the worker ended with code " +
                                 std::to_string(WEXITSTATUS(status))
                           : "the worker was ended by signal " +
                                 std::to_string(WTERMSIG(status)) + " (" +
                                 ::strsignal(WTERMSIG(status)) + ")";
}

bool Pool::IsGone(const Worker& worker) const {
  pollfd wait = {worker.socket, POLLIN, 0};
  // An idle worker sends nothing: whatever comes is its end.
  return ::poll(&wait, 1, 0) > 0;
}

bool Pool::Run(Worker* worker, Task* task) {
  const Clock::time_point start = Clock::now();
  const double waited =
      std::chrono::duration<double>(start - task->submitted).count();
  const double left =
      std::chrono::duration<double>(task->deadline - start).count();
  if (task->is_cancelled) {
    task->Finish({.code = "cancelled"});
    return true;
  }
  if (left <= 0) {
    task->Finish({.code = "busy",
                  .message = "no worker was free within the time of a "
                             "request"});
    return true;
  }
  Json head = task->options;
  head["seconds"] = left;
  head["parts"] = Json::array();
  std::vector<std::string_view> bodies;
  for (const Task::Part& part : task->parts) {
    head["parts"].push_back({{"name", part.name}, {"size", part.bytes.size()}});
    bodies.emplace_back(part.bytes);
  }
  // The worker ends by itself when the time is over, as a rule.
  const Clock::time_point last = task->deadline + Seconds(kGraceSeconds);
  Transfer transfer = SendFrame(worker->socket, head, bodies, last);
  Clock::time_point killed_at = last;
  bool is_cancel_sent = false, is_taken = false;
  while (transfer == Transfer::kDone) {
    if (task->is_cancelled && !std::exchange(is_cancel_sent, true)) {
      SendFrame(worker->socket, {{"cancel", true}}, {}, last);
      killed_at = std::min(last, Clock::now() + Seconds(kGraceSeconds));
    }
    if (is_ended_ || Clock::now() > killed_at) {
      transfer = Transfer::kTimedOut;
      break;
    }
    if (!IsReadable(worker->socket, 50)) continue;
    Frame frame;
    transfer = ReceiveFrame(worker->socket, last, &frame);
    if (transfer != Transfer::kDone) break;
    is_taken = true;
    if (!frame.head.contains("status")) {
      const std::lock_guard lock(task->mutex);
      task->page = frame.head.value("page", 0);
      task->pages = frame.head.value("pages", 0);
      task->changed.notify_all();
      continue;
    }
    Answer answer;
    answer.code = frame.head.value("code", "");
    answer.message = frame.head.value("message", "");
    answer.media_type = frame.head.value("media_type", "");
    answer.pages = frame.head.value("pages", 0);
    answer.output = std::move(frame.body);
    metrics_.CountRead(
        answer.pages, waited,
        std::chrono::duration<double>(Clock::now() - start).count());
    task->Finish(std::move(answer));
    return true;
  }
  --ready_;
  if (transfer == Transfer::kTimedOut) ::kill(worker->pid, SIGKILL);
  const std::string end = Reap(worker);
  LogLine("error", "worker_ended", {{"message", end}});
  if (task->is_cancelled)
    task->Finish({.code = "cancelled"});
  else if (is_ended_)
    task->Finish({.code = "stopping", .message = "the server is stopping"});
  else if (transfer == Transfer::kTimedOut)
    task->Finish({.code = "timed_out",
                  .message = "reading took longer than the time of a request"});
  else if (!is_taken)
    return false;
  else
    task->Finish({.code = "crashed",
                  .message = "reading this request failed: " + end +
                             "; other requests are not affected"});
  return true;
}

void Pool::Drain(Clock::time_point deadline) {
  std::vector<std::shared_ptr<Task>> jobs;
  std::unique_lock lock(mutex_);
  is_draining_ = true;
  for (const auto& [client, queue] : queues_)
    for (const std::shared_ptr<Task>& task : queue)
      if (task->is_job) jobs.push_back(task);
  lock.unlock();
  for (const std::shared_ptr<Task>& job : jobs) Cancel(job);
  lock.lock();
  is_idle_.wait_until(lock, deadline, [this] {
    return queued_ == 0 && running_ == running_jobs_;
  });
  std::vector<std::shared_ptr<Task>> rest;
  for (const auto& [client, queue] : queues_)
    rest.insert(rest.end(), queue.begin(), queue.end());
  turns_.clear();
  queues_.clear();
  queued_ = 0;
  is_ended_ = true;
  has_work_.notify_all();
  lock.unlock();
  for (const std::shared_ptr<Task>& task : rest)
    task->Finish({.code = "stopping", .message = "the server is stopping"});
}

int Pool::queued() const {
  const std::lock_guard lock(mutex_);
  return queued_;
}

void Pool::Charge(const Task& task, double seconds) {
  // A long job must not keep its client from reading for as long.
  constexpr double kMostDebt = 10;
  double& used = used_[task.client];
  used = std::min(used + seconds - task.charged, served_ + kMostDebt);
  if (queued_ == 0 && running_ == 0) {
    used_.clear();
    served_ = 0;
  } else if (used_.size() > 1000) {
    // These would begin anew with as much.
    std::erase_if(used_, [this](const auto& one) {
      return one.second <= served_ && !queues_.contains(one.first);
    });
  }
}

int Pool::PositionOf(const Task& task) const {
  const std::lock_guard lock(mutex_);
  int before = 0;
  const auto own = queues_.find(task.client);
  if (own == queues_.end()) return 0;
  int depth = 0;
  while (static_cast<size_t>(depth) < own->second.size() &&
         own->second[static_cast<size_t>(depth)].get() != &task)
    ++depth;
  // Clients take turns: others have as many before it as its own.
  for (const auto& [client, queue] : queues_)
    before += std::min(depth, static_cast<int>(queue.size()));
  return before;
}

int Pool::RetryAfter() const {
  const std::lock_guard lock(mutex_);
  const double seconds =
      mean_seconds_ * (queued_ + 1) / std::max(1, options_.workers);
  return static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0));
}

}  // namespace munja::server
