// Queues of packets in shared memory, with one writer and one reader, which
// need not trust each other: each keeps its own position to itself, copies data
// before it looks at it, and detects invalid positions of the other.
#ifndef MUNJA_TRANSPORT_QUEUE_H_
#define MUNJA_TRANSPORT_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "transport/packet.h"
#include "transport/shared_memory.h"

namespace munja::hal {

// The beginning of a queue's memory; the elements follow.
struct QueueControl {
  alignas(64) std::atomic<uint32_t> written;  // Elements, ever; wraps around.
  alignas(64) std::atomic<uint32_t> read;
  // Changes with every packet and every wake-up.
  alignas(64) std::atomic<uint32_t> bell;
  std::atomic<uint32_t> is_asleep;  // The reader waits for the bell.
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// Elements that a queue holds; a packet may be as long.
inline constexpr uint32_t kQueueElements = 1024;
inline constexpr size_t kQueueBytes =
    sizeof(QueueControl) + kQueueElements * sizeof(Element);

class QueueWriter {
 public:
  // At the beginning of memory of kQueueBytes.
  explicit QueueWriter(uint8_t* memory);
  // All or nothing, and wakes the reader. kMalformed: the reader's position is
  // invalid. kOutOfMemory: longer than the free space.
  Status Write(std::span<const Element> packet);
  void Ring();  // Wakes the reader.

 private:
  QueueControl* control_;
  Element* elements_;
  uint32_t position_ = 0;
};

class QueueReader {
 public:
  explicit QueueReader(uint8_t* memory);
  // There is data, or an invalid position to report.
  bool IsReady() const;
  // Copies all there is, which is one packet where one is on its way at a time,
  // and empties the queue. kMalformed: the writer's position is invalid.
  Status Read(std::vector<Element>* packet);

  // Until something is there (true), `stopped` is set and the bell rung, or the
  // deadline has passed (UINT64_MAX: none). Spins for a while first if that
  // paid off recently.
  bool Wait(uint64_t deadline_ns, const std::atomic<bool>& stopped);
  void Ring();

 private:
  QueueControl* control_;
  const Element* elements_;
  uint32_t position_ = 0;
  uint64_t expected_ns_ = 0;  // How long waits last.
};

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_QUEUE_H_
