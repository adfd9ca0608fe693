#include "runtime/plan_cache.h"

#include <algorithm>
#include <utility>

namespace munja::runtime {

PlanCache::PlanCache(const Program& program, ThreadPool& pool, int max_plans)
    : program_(program),
      pool_(pool),
      max_plans_(static_cast<size_t>(std::max(max_plans, 1))) {}

Result<Plan*> PlanCache::Get(std::span<const Shape> inputs,
                             std::span<Buffer> variables) {
  auto it = std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) {
    return std::ranges::equal(plan->input_shapes(), inputs);
  });
  if (it == plans_.end()) {
    MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                           Plan::Make(program_, inputs, pool_));
    if (plans_.size() >= max_plans_) plans_.pop_back();
    plans_.push_back(std::move(plan));
    ++made_;
    it = plans_.end() - 1;
  }
  std::rotate(plans_.begin(), it, it + 1);
  Plan& plan = *plans_.front();
  if (plan.arena_bytes() > arena_.size()) {
    arena_ = Buffer();  // First, so that both are never held.
    MUNJA_ASSIGN_OR_RETURN(arena_, Buffer::Allocate(plan.arena_bytes()));
  }
  plan.Bind(arena_.data(), variables);
  return &plan;
}

bool PlanCache::Overlaps(const void* data, size_t bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const auto arena = reinterpret_cast<uintptr_t>(arena_.data());
  return begin < arena + arena_.size() && arena < begin + bytes;
}

}  // namespace munja::runtime
