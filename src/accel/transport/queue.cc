#include "transport/queue.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <string>

#include "base/fork.h"
#include "hal/fence.h"
#include "transport/channel.h"

namespace munja::hal {
namespace {

// Longer than a small network takes, and too short to notice.
constexpr uint64_t kLookNs = 250'000;

void CpuPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool CountCpus() { return sysconf(_SC_NPROCESSORS_ONLN) > 1; }
bool HasSeveralCpus() { return MadeOnce<CountCpus>(); }

// Not the private kind: the other side is another process.
void FutexWake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, INT_MAX,
          nullptr, nullptr, 0);
}

void FutexWait(std::atomic<uint32_t>& word, uint32_t value,
               uint64_t deadline_ns) {
  timespec at = {};
  at.tv_sec = static_cast<time_t>(deadline_ns / 1'000'000'000);
  at.tv_nsec = static_cast<long>(deadline_ns % 1'000'000'000);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_BITSET,
          value, deadline_ns == UINT64_MAX ? nullptr : &at, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

// Either the reader sees the bell changed before it sleeps, or this sees that
// it sleeps: all four steps are in one order for both.
void RingBell(QueueControl* control) {
  control->bell.fetch_add(1, std::memory_order_seq_cst);
  if (control->is_asleep.load(std::memory_order_seq_cst) != 0)
    FutexWake(control->bell);
}

}  // namespace

QueueWriter::QueueWriter(uint8_t* memory)
    : control_(reinterpret_cast<QueueControl*>(memory)),
      elements_(reinterpret_cast<Element*>(memory + sizeof(QueueControl))) {}

Status QueueWriter::Write(std::span<const Element> packet) {
  const uint32_t used =
      position_ - control_->read.load(std::memory_order_acquire);
  if (used > kQueueElements)
    return Malformed("the reader of a queue is where nothing was written");
  if (packet.empty() || packet.size() > kQueueElements - used)
    return OutOfMemory("a packet of " + std::to_string(packet.size()) +
                       " elements, and a queue with room for " +
                       std::to_string(kQueueElements - used));
  for (const Element& element : packet)
    std::memcpy(elements_ + position_++ % kQueueElements, &element,
                sizeof element);
  control_->written.store(position_, std::memory_order_release);
  RingBell(control_);
  return Status();
}

void QueueWriter::Ring() { RingBell(control_); }

QueueReader::QueueReader(uint8_t* memory)
    : control_(reinterpret_cast<QueueControl*>(memory)),
      elements_(reinterpret_cast<Element*>(memory + sizeof(QueueControl))) {}

bool QueueReader::IsReady() const {
  return control_->written.load(std::memory_order_acquire) != position_;
}

Status QueueReader::Read(std::vector<Element>* packet) {
  const uint32_t count =
      control_->written.load(std::memory_order_acquire) - position_;
  if (count > kQueueElements)
    return Malformed("the writer of a queue is where there is no room");
  packet->resize(count);
  for (Element& element : *packet)
    std::memcpy(&element, elements_ + position_++ % kQueueElements,
                sizeof element);
  control_->read.store(position_, std::memory_order_release);
  return Status();
}

bool QueueReader::Wait(uint64_t deadline_ns, const std::atomic<bool>& stopped) {
  if (IsReady()) return true;
  const uint64_t begin = MonotonicNow();
  uint64_t now = begin;
  if (HasSeveralCpus() && expected_ns_ < 2 * kLookNs) {
    const uint64_t until = std::min(deadline_ns, begin + kLookNs);
    while (!IsReady() && now < until &&
           !stopped.load(std::memory_order_acquire)) {
      for (int i = 0; i < 16 && !IsReady(); ++i) CpuPause();
      // The other side may wait for this very processor.
      sched_yield();
      now = MonotonicNow();
    }
  }
  while (!IsReady()) {
    control_->is_asleep.store(1, std::memory_order_seq_cst);
    const uint32_t bell = control_->bell.load(std::memory_order_seq_cst);
    if (!IsReady() && !stopped.load(std::memory_order_acquire) &&
        MonotonicNow() < deadline_ns)
      FutexWait(control_->bell, bell, deadline_ns);
    control_->is_asleep.store(0, std::memory_order_relaxed);
    if (IsReady()) break;
    if (stopped.load(std::memory_order_acquire)) return false;
    if (MonotonicNow() >= deadline_ns) return false;
  }
  // One long wait does not end polling permanently: short ones restore it.
  const uint64_t took = std::min(MonotonicNow() - begin, 8 * kLookNs);
  expected_ns_ = (3 * expected_ns_ + took) / 4;
  return true;
}

void QueueReader::Ring() { RingBell(control_); }

}  // namespace munja::hal
