// SpareMemory: a large block that was given back waits for who asks next.
// Memory of a new mapping is cleared by the system before it is written, which
// for a picture costs as much as a quarter of decoding it.
#ifndef MUNJA_BASE_SPARE_MEMORY_H_
#define MUNJA_BASE_SPARE_MEMORY_H_

#include <atomic>
#include <cstddef>

#include "base/buffer.h"
#include "base/status.h"

namespace munja {

// Thread-safe and wait-free: while one thread uses it, others find
// no spare block and free theirs. Holds one block at most, of kMostBytes or
// less; where the system runs short of memory it may take its pages.
class SpareMemory {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20;

  // A buffer of `bytes` or, where the spare one is taken, up to twice as many;
  // not zeroed. A spare one that does not fit is freed before another is made.
  // kOutOfMemory.
  Result<Buffer> Allocate(size_t bytes);
  void GiveBack(Buffer buffer);

 private:
  std::atomic_flag is_taken_;
  Buffer spare_;
};

}  // namespace munja

#endif  // MUNJA_BASE_SPARE_MEMORY_H_
