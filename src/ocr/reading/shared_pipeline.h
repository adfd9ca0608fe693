// SharedPipeline: one pipeline for any number of callers at once.
#ifndef MUNJA_READING_SHARED_PIPELINE_H_
#define MUNJA_READING_SHARED_PIPELINE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/status.h"
#include "reading/pipeline.h"

namespace munja::ocr {

// Each caller gets a pipeline of its own for one call: the first one, or a fork
// of it, made when all others are at work. Forks share weights and threads, and
// have memory of their own, which they keep for the next call; those that the
// last reads did not need are freed.
//
// There are no locks, so no thread waits, and a child that fork() made goes on
// with the pipelines that no thread of its parent was using.
class SharedPipeline {
 public:
  explicit SharedPipeline(std::unique_ptr<Pipeline> first);
  // No lease may be left. In a child those of its parent's other threads are:
  // what they were working on is not touched any more.
  ~SharedPipeline();
  SharedPipeline(const SharedPipeline&) = delete;
  SharedPipeline& operator=(const SharedPipeline&) = delete;

  // A pipeline that is this caller's until the lease ends.
  class Lease;
  Result<Lease> Take();

  const Config& config() const { return first_.config(); }
  const std::string& name() const { return first_.name(); }
  // How many there are, at work or idle.
  size_t kept() const;

 private:
  // Forks beyond these are made for one call.
  static constexpr size_t kMaxKept = 256;
  // One that so many reads did not need is freed.
  static constexpr uint64_t kUnusedFor = 64;

  enum class State : uint8_t { kEmpty, kIdle, kBusy };
  // Who makes it busy may touch the pipeline; that of the first slot stays.
  struct Slot {
    std::atomic<State> state{State::kEmpty};
    std::unique_ptr<Pipeline> pipeline;
    std::atomic<uint64_t> last_used{0};
  };

  static bool Claim(Slot& slot, State expected);
  void GiveBack(Slot& slot);
  void FreeUnused(uint64_t now);

  const Pipeline& first_;  // Its constant part may be read at any time.
  std::array<Slot, kMaxKept> slots_;
  std::atomic<uint64_t> reads_{0};
};

class SharedPipeline::Lease {
 public:
  Lease(Lease&& other) noexcept
      : owner_(other.owner_),
        slot_(std::exchange(other.slot_, nullptr)),
        own_(std::move(other.own_)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (slot_ != nullptr) owner_.GiveBack(*slot_);
  }
  Pipeline& operator*() const {
    return slot_ != nullptr ? *slot_->pipeline : *own_;
  }
  Pipeline* operator->() const { return &**this; }

 private:
  friend class SharedPipeline;
  Lease(SharedPipeline& owner, Slot* slot, std::unique_ptr<Pipeline> own)
      : owner_(owner), slot_(slot), own_(std::move(own)) {}

  SharedPipeline& owner_;
  Slot* slot_;
  std::unique_ptr<Pipeline> own_;  // For this lease alone.
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_SHARED_PIPELINE_H_
