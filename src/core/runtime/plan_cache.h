// PlanCache: the plans used last, and the arena that they share.
#ifndef MUNJA_RUNTIME_PLAN_CACHE_H_
#define MUNJA_RUNTIME_PLAN_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "runtime/plan.h"

namespace munja::runtime {

// One plan runs at a time, so all lie in the same memory, which only grows.
class PlanCache {
 public:
  // `max_plans` below 1 counts as 1. Program and pool outlive the cache.
  PlanCache(const Program& program, ThreadPool& pool, int max_plans);

  // The plan for these shapes, made when it is not there, with memory for all
  // of it and bound. Valid until the next call. Allocates nothing when the
  // plan was there and nothing grew.
  Result<Plan*> Get(std::span<const Shape> inputs, std::span<Buffer> variables);

  size_t arena_bytes() const { return arena_.size(); }
  size_t size() const { return plans_.size(); }
  // How many plans were ever made: tells a new plan from a dropped one that
  // lay at the same address.
  int64_t made() const { return made_; }
  // The bytes at [data, data + bytes) touch the arena.
  bool Overlaps(const void* data, size_t bytes) const;

 private:
  const Program& program_;
  ThreadPool& pool_;
  size_t max_plans_;
  struct Entry {
    uint64_t key = 0;  // Hash of the input shapes.
    std::unique_ptr<Plan> plan;
  };
  std::vector<Entry> plans_;  // The last used one first.
  Buffer arena_;
  int64_t made_ = 0;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PLAN_CACHE_H_
