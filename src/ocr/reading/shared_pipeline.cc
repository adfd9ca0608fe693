#include "reading/shared_pipeline.h"

#include <algorithm>

namespace munja::ocr {

SharedPipeline::SharedPipeline(std::unique_ptr<Pipeline> first)
    : first_(*first) {
  slots_[0].pipeline = std::move(first);
  slots_[0].state = State::kIdle;
}

SharedPipeline::~SharedPipeline() {
  for (Slot& slot : slots_) {
    // A thread that is not in this process left it in the middle of its work.
    if (slot.state == State::kBusy) (void)slot.pipeline.release();
  }
}

bool SharedPipeline::Claim(Slot& slot, State expected) {
  return slot.state.load(std::memory_order_relaxed) == expected &&
         slot.state.compare_exchange_strong(expected, State::kBusy,
                                            std::memory_order_acquire);
}

Result<SharedPipeline::Lease> SharedPipeline::Take() {
  // From the first one on: the more often one is used the better its memory
  // fits, and the others are seen not to be needed.
  const uint64_t now = reads_.fetch_add(1, std::memory_order_relaxed);
  for (Slot& slot : slots_) {
    if (!Claim(slot, State::kIdle)) continue;
    slot.last_used.store(now, std::memory_order_relaxed);
    return Lease(*this, &slot, nullptr);
  }
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Pipeline> fork, first_.Fork());
  for (Slot& slot : slots_) {
    if (!Claim(slot, State::kEmpty)) continue;
    slot.pipeline = std::move(fork);
    slot.last_used.store(now, std::memory_order_relaxed);
    return Lease(*this, &slot, nullptr);
  }
  return Lease(*this, nullptr, std::move(fork));
}

void SharedPipeline::GiveBack(Slot& slot) {
  slot.state.store(State::kIdle, std::memory_order_release);
  const uint64_t now = reads_.load(std::memory_order_relaxed);
  if (now % (kUnusedFor / 4) == 0) FreeUnused(now);
}

void SharedPipeline::FreeUnused(uint64_t now) {
  for (size_t i = 1; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.last_used.load(std::memory_order_relaxed) + kUnusedFor >= now ||
        !Claim(slot, State::kIdle))
      continue;
    slot.pipeline = nullptr;
    slot.state.store(State::kEmpty, std::memory_order_release);
  }
}

size_t SharedPipeline::kept() const {
  return static_cast<size_t>(std::count_if(
      slots_.begin(), slots_.end(),
      [](const Slot& slot) { return slot.state.load() != State::kEmpty; }));
}

}  // namespace munja::ocr
