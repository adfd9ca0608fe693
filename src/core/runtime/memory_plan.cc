#include "runtime/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/buffer.h"

namespace munja::runtime {
namespace {

// Places the requests in the given order, each in the smallest gap between
// the buffers that live at the same time. Sizes are at most `limit`, and so
// is every offset, so the sums cannot overflow.
bool PlaceInOrder(std::span<const BufferRequest> requests,
                  std::span<const size_t> order, size_t limit,
                  MemoryPlan* plan) {
  plan->offsets.assign(requests.size(), 0);
  plan->arena_bytes = 0;
  std::vector<size_t> placed;  // By offset.
  placed.reserve(requests.size());
  for (const size_t id : order) {
    const BufferRequest& request = requests[id];
    const size_t bytes = RoundUp(request.bytes, kBufferAlignment);
    if (bytes == 0) continue;
    size_t best = SIZE_MAX, best_gap = SIZE_MAX, end = 0;
    for (const size_t other : placed) {
      const BufferRequest& live = requests[other];
      if (live.last < request.first || request.last < live.first) continue;
      const size_t offset = plan->offsets[other];
      if (offset > end && offset - end >= bytes && offset - end < best_gap) {
        best = end;
        best_gap = offset - end;
      }
      end = std::max(end, offset + RoundUp(live.bytes, kBufferAlignment));
    }
    if (best == SIZE_MAX) best = end;
    if (best + bytes > limit) return false;
    plan->offsets[id] = best;
    plan->arena_bytes = std::max(plan->arena_bytes, best + bytes);
    const auto at = std::upper_bound(
        placed.begin(), placed.end(), best,
        [&](size_t offset, size_t p) { return offset < plan->offsets[p]; });
    placed.insert(at, id);
  }
  return true;
}

}  // namespace

Result<MemoryPlan> PlanMemory(std::span<const BufferRequest> requests,
                              size_t limit) {
  limit = std::min(limit, SIZE_MAX / 4);
  for (const BufferRequest& request : requests) {
    if (request.bytes > limit) {
      return OutOfMemory("one buffer needs " + std::to_string(request.bytes) +
                         " bytes, the limit for all is " +
                         std::to_string(limit));
    }
  }
  // Large buffers first is best as a rule; the order of use wins for chains.
  std::vector<size_t> by_size(requests.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::vector<size_t> by_use = by_size;
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) {
    return requests[a].bytes > requests[b].bytes;
  });
  std::stable_sort(by_use.begin(), by_use.end(), [&](size_t a, size_t b) {
    return requests[a].first < requests[b].first;
  });
  MemoryPlan size_plan, use_plan;
  const bool size_fits = PlaceInOrder(requests, by_size, limit, &size_plan);
  const bool use_fits = PlaceInOrder(requests, by_use, limit, &use_plan);
  if (!size_fits && !use_fits) {
    return OutOfMemory("intermediate results need more than the limit of " +
                       std::to_string(limit) + " bytes");
  }
  const bool take_use =
      !size_fits || (use_fits && use_plan.arena_bytes < size_plan.arena_bytes);
  return take_use ? std::move(use_plan) : std::move(size_plan);
}

}  // namespace munja::runtime
