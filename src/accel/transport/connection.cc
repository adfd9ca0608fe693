#include "transport/connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/log.h"
#include "hal/fence.h"
#include "transport/queue.h"

namespace munja::hal {
namespace {

// More than any client has in flight, and less than fills the memory.
constexpr size_t kMaxWaiting = size_t{1} << 16;
// Time for a host to end by itself after its client has gone.
constexpr int kPatienceMs = 3000;

int PollTimeout(uint64_t until_ns) {
  if (until_ns == UINT64_MAX) return -1;
  const uint64_t now = MonotonicNow();
  if (until_ns <= now) return 0;
  // Rounded up: looking too early would be looking twice.
  const uint64_t milliseconds = (until_ns - now + 999'999) / 1'000'000;
  return static_cast<int>(std::min<uint64_t>(milliseconds, 1'000'000));
}

// Lines of a driver go to terminals and files of the client.
std::string Printable(std::string line) {
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return line;
}

}  // namespace

std::shared_ptr<Connection> Connection::Open(
    std::string name, Descriptor socket, std::unique_ptr<HostProcess> process) {
  std::shared_ptr<Connection> made(new Connection());
  made->name_ = std::move(name);
  made->socket_ = std::move(socket);
  made->wake_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  made->process_ = std::move(process);
  made->process_id_ = made->process_ == nullptr ? 0 : made->process_->id();
  const std::lock_guard lock(made->mutex_);  // The thread looks who it is.
  made->thread_ = std::thread([raw = made.get()] { raw->Run(); });
  return made;
}

Connection::~Connection() { Join(); }

void Connection::Join() {
  Close();
  if (thread_.joinable()) thread_.join();
}

void Connection::Wake() {
  const uint64_t one = 1;
  // A full counter wakes, too.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

void Connection::SendNow(Outgoing message, uint64_t serial) {
  message.serial = serial;
  Done failed;
  {
    const std::lock_guard lock(sending_);
    Transfer result = Transfer::kLater;
    if (waiting_.empty()) result = Send(socket_.get(), message, false);
    if (result == Transfer::kDone || result == Transfer::kClosed)
      return;  // The thread that sees the end notifies everyone.
    if (result == Transfer::kLater && waiting_.size() < kMaxWaiting) {
      waiting_.push_back(std::move(message));
      Wake();
      return;
    }
  }
  // Not to be sent: files that are none, or no end of waiting messages.
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(serial); found != calls_.end()) {
    failed = std::move(found->second.call.done);
    calls_.erase(found);
  }
  if (failed) failed(MUNJA_NN_INVALID_ARGUMENT, nullptr);
}

void Connection::Start(Call call) {
  uint64_t serial = 0;
  bool must_wake = false;
  Outgoing message = std::move(call.message);
  {
    std::unique_lock lock(mutex_);
    if (is_closed_) {
      lock.unlock();
      call.done(MUNJA_NN_DEVICE_UNAVAILABLE, nullptr);
      return;
    }
    serial = next_serial_++;
    must_wake = call.deadline.at_ns < next_look_ns_;
    calls_[serial].call = std::move(call);
  }
  if (must_wake) Wake();
  SendNow(std::move(message), serial);
}

Connection::Reply Connection::Ask(Call call) {
  struct Waiting {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    Reply reply;
  };
  const auto waiting = std::make_shared<Waiting>();
  call.done = [waiting](int32_t status, const Message* answer) {
    const std::lock_guard lock(waiting->mutex);
    waiting->reply.status = status;
    if (answer != nullptr) {
      waiting->reply.is_answered = true;
      waiting->reply.answer.payload = answer->payload;
    }
    waiting->is_done = true;
    waiting->changed.notify_one();
  };
  Start(std::move(call));
  std::unique_lock lock(waiting->mutex);
  waiting->changed.wait(lock, [&] { return waiting->is_done; });
  return std::move(waiting->reply);
}

void Connection::Post(Outgoing message) { SendNow(std::move(message), 0); }

void Connection::Watch(std::vector<Descriptor> fences, Deadline deadline,
                       std::function<void(int32_t status)> done) {
  {
    std::unique_lock lock(mutex_);
    if (!is_closed_) {
      watched_.push_back(std::make_shared<Watched>(
          Watched{std::move(fences), deadline, std::move(done)}));
      lock.unlock();
      Wake();
      return;
    }
  }
  done(MUNJA_NN_DEVICE_UNAVAILABLE);
}

void Connection::AddBell(const std::shared_ptr<SharedMemory>& queues) {
  const std::lock_guard lock(mutex_);
  std::erase_if(bells_, [](const auto& bell) { return bell.expired(); });
  bells_.push_back(queues);
}

void Connection::Abandon(const std::string& why) {
  std::unique_lock lock(mutex_);
  if (why_.empty()) why_ = why;
  must_end_.store(true);
  Wake();
  if (std::this_thread::get_id() == thread_.get_id()) return;
  ended_.wait(lock, [&] { return is_over_.load(); });
}

void Connection::Close() {
  const std::lock_guard lock(mutex_);
  is_wanted_ = true;
  must_end_.store(true);
  Wake();
}

void Connection::Run() {
  std::vector<pollfd> waits;
  std::string why;
  while (!must_end_.load()) {
    waits.clear();
    waits.push_back({socket_.get(), POLLIN, 0});
    waits.push_back({wake_.get(), POLLIN, 0});
    {
      const std::lock_guard lock(sending_);
      if (!waiting_.empty()) waits[0].events |= POLLOUT;
    }
    CheckFences();
    const uint64_t next = CheckDeadlines();
    if (must_end_.load()) break;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& watched : watched_)
        for (const Descriptor& fence : watched->fences)
          waits.push_back({fence.get(), POLLIN, 0});
    }
    if (poll(waits.data(), waits.size(), PollTimeout(next)) < 0 &&
        errno != EINTR) {
      why = "poll failed";
      break;
    }
    if (waits[1].revents != 0) {
      uint64_t count = 0;
      [[maybe_unused]] const ssize_t got =
          read(wake_.get(), &count, sizeof count);
    }
    if ((waits[0].revents & POLLOUT) != 0) Flush();
    if ((waits[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    // Several at once, but a limited number: deadlines come between.
    Transfer result = Transfer::kDone;
    for (int i = 0; i < 64 && result == Transfer::kDone && !must_end_.load();
         ++i) {
      Message message;
      result = Receive(socket_.get(), kMaxToClient, false, &message);
      if (result == Transfer::kDone) Handle(std::move(message));
    }
    if (result == Transfer::kClosed) why = "it has ended";
    if (result == Transfer::kNonsense) why = "what it sends is no message";
    if (!why.empty()) break;
  }
  Lose(why);
}

void Connection::Flush() {
  const std::lock_guard lock(sending_);
  while (!waiting_.empty() &&
         Send(socket_.get(), waiting_.front(), false) != Transfer::kLater)
    waiting_.pop_front();
}

void Connection::Handle(Message message) {
  ByteReader from(message.payload);
  if (message.type == MessageType::kLog) {
    const auto severity = from.Get<int32_t>();
    const std::string line = from.GetText();
    if (from.IsDone() && severity >= MUNJA_NN_LOG_INFO)
      Log(severity == MUNJA_NN_LOG_INFO      ? Severity::kInfo
          : severity == MUNJA_NN_LOG_WARNING ? Severity::kWarning
                                             : Severity::kError,
          "driver " + name_ + ": " + Printable(line));
    return;
  }
  std::optional<Pending> pending;
  if (message.type == MessageType::kAnswer) {
    const std::lock_guard lock(mutex_);
    if (const auto found = calls_.find(message.serial); found != calls_.end()) {
      pending = std::move(found->second);
      calls_.erase(found);
    }
  }
  if (!pending.has_value()) {
    Abandon("it answers what was not asked");
    return;
  }
  if (!pending->is_late)
    pending->call.done(MUNJA_NN_NONE, &message);
  else if (pending->call.late)
    pending->call.late(message);
}

uint64_t Connection::CheckDeadlines() {
  const uint64_t now = MonotonicNow();
  uint64_t next = UINT64_MAX;
  std::vector<Done> missed;
  std::vector<std::function<void(int32_t)>> unwatched;
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [serial, pending] : calls_) {
      Call& call = pending.call;
      if (call.deadline.at_ns <= now) {
        if (pending.is_late || call.deadline.is_watchdog) {
          why = "it hangs";
        } else if (call.writes_shared) {
          why = "a request goes on after its deadline in its caller's memory";
          pending.status_when_lost = MUNJA_NN_MISSED_DEADLINE_TRANSIENT;
        } else {
          missed.push_back(std::move(call.done));
          pending.is_late = true;
          call.deadline.at_ns = call.grace_ns > UINT64_MAX - now
                                    ? UINT64_MAX
                                    : now + call.grace_ns;
        }
      }
      next = std::min(next, call.deadline.at_ns);
    }
    for (size_t i = 0; i < watched_.size();) {
      if (watched_[i]->deadline.at_ns <= now) {
        unwatched.push_back(std::move(watched_[i]->done));
        watched_.erase(watched_.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
      next = std::min(next, watched_[i++]->deadline.at_ns);
    }
    next_look_ns_ = next;
  }
  if (!why.empty()) Abandon(why);
  for (const Done& done : missed)
    done(MUNJA_NN_MISSED_DEADLINE_TRANSIENT, nullptr);
  for (const auto& done : unwatched) done(MUNJA_NN_MISSED_DEADLINE_TRANSIENT);
  return next;
}

void Connection::CheckFences() {
  std::vector<std::pair<std::function<void(int32_t)>, int32_t>> done;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < watched_.size();) {
      Watched& watched = *watched_[i];
      int32_t status = MUNJA_NN_NONE;
      std::erase_if(watched.fences, [&](const Descriptor& fence) {
        pollfd state = {fence.get(), POLLIN | POLLOUT, 0};
        poll(&state, 1, 0);
        const bool is_failed = (state.revents & POLLIN) == 0
                                   ? (state.revents & ~POLLOUT) != 0
                                   : (state.revents & POLLOUT) == 0;
        if (is_failed) status = MUNJA_NN_GENERAL_FAILURE;
        return (state.revents & POLLIN) != 0;
      });
      if (status == MUNJA_NN_NONE && !watched.fences.empty()) {
        ++i;
        continue;
      }
      done.emplace_back(std::move(watched.done), status);
      watched_.erase(watched_.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const auto& [function, status] : done) function(status);
}

void Connection::Lose(const std::string& why) {
  bool is_wanted = false;
  std::string reason;
  {
    const std::lock_guard lock(mutex_);
    is_wanted = is_wanted_;
    reason = why_.empty() ? why : why_;
  }
  if (is_wanted) Post({MessageType::kGoodbye, 0, {}, {}, nullptr});
  // The host sees that its client is gone.
  shutdown(socket_.get(), SHUT_WR);
  if (process_ != nullptr) {
    if (!is_wanted || !process_->WaitForEnd(kPatienceMs)) process_->Kill();
  } else if (!is_wanted) {
    WaitForStranger();
  }
  if (!is_wanted)
    Log(Severity::kWarning,
        "the host of driver " + name_ + " is lost: " + Printable(reason));
  EndAll();
  {
    const std::lock_guard lock(mutex_);
    is_over_.store(true);
  }
  ended_.notify_all();
}

// Not ours to kill. It ends by itself without a goodbye, and its end closes the
// socket; what it still says before does not matter any more.
void Connection::WaitForStranger() {
  const uint64_t until = MonotonicNow() + uint64_t{kPatienceMs} * 1'000'000;
  Transfer result = Transfer::kLater;
  while (result != Transfer::kClosed && MonotonicNow() < until) {
    pollfd ended = {socket_.get(), POLLIN, 0};
    poll(&ended, 1, PollTimeout(until));
    Message message;
    result = Receive(socket_.get(), kMaxToClient, false, &message);
  }
}

void Connection::EndAll() {
  std::map<uint64_t, Pending> calls;
  std::vector<std::shared_ptr<Watched>> watched;
  std::vector<std::weak_ptr<SharedMemory>> bells;
  is_lost_.store(true, std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    calls.swap(calls_);
    watched.swap(watched_);
    bells.swap(bells_);
  }
  for (const auto& bell : bells)
    if (const auto queues = bell.lock(); queues != nullptr)
      QueueReader(queues->data() + kQueueBytes).Ring();
  for (auto& [serial, pending] : calls)
    if (!pending.is_late) pending.call.done(pending.status_when_lost, nullptr);
  for (const auto& one : watched) one->done(MUNJA_NN_DEVICE_UNAVAILABLE);
  const std::lock_guard lock(sending_);
  waiting_.clear();
}

}  // namespace munja::hal
