#include "runtime/plan_cache.h"

#include <algorithm>
#include <utility>

namespace munja::runtime {
namespace {

uint64_t KeyOf(std::span<const Shape> shapes) {
  uint64_t key = 0;
  for (const Shape& shape : shapes)
    for (const int32_t dim : shape.dims())
      key = (key ^ static_cast<uint32_t>(dim)) * 0x9e3779b97f4a7c15u;
  return key;
}

}  // namespace

PlanCache::PlanCache(const Program& program, ThreadPool& pool, int max_plans)
    : program_(program),
      pool_(pool),
      max_plans_(static_cast<size_t>(std::max(max_plans, 1))) {}

Result<Plan*> PlanCache::Get(std::span<const Shape> inputs,
                             std::span<Buffer> variables) {
  const uint64_t key = KeyOf(inputs);
  auto it = std::find_if(plans_.begin(), plans_.end(), [&](const Entry& entry) {
    return entry.key == key &&
           std::ranges::equal(entry.plan->input_shapes(), inputs);
  });
  if (it == plans_.end()) {
    MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                           Plan::Make(program_, inputs, pool_));
    if (plans_.size() >= max_plans_) plans_.pop_back();
    plans_.push_back({key, std::move(plan)});
    ++made_;
    it = plans_.end() - 1;
  }
  std::rotate(plans_.begin(), it, it + 1);
  Plan& plan = *plans_.front().plan;
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
