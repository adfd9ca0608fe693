#include "runtime/memory_plan.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace munja::runtime {
namespace {

constexpr size_t kNoLimit = size_t{1} << 40;

bool LiveTogether(const BufferRequest& a, const BufferRequest& b) {
  return a.first <= b.last && b.first <= a.last;
}

// The most bytes in use at any step: no plan can be smaller.
size_t LowerBound(const std::vector<BufferRequest>& requests) {
  size_t most = 0;
  for (const BufferRequest& at : requests) {
    size_t live = 0;
    for (const BufferRequest& r : requests)
      if (r.first <= at.first && at.first <= r.last)
        live += (r.bytes + 63) / 64 * 64;
    most = std::max(most, live);
  }
  return most;
}

TEST(MemoryPlanTest, DeadBuffers_AreReused) {
  const std::vector<BufferRequest> chain = {
      {640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  auto plan = PlanMemory(chain, kNoLimit);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->arena_bytes, 1280u);
}

TEST(MemoryPlanTest, RandomLifetimes_LiveBuffersNeverOverlap) {
  std::mt19937 random(7);
  size_t planned = 0, bound = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferRequest> requests(random() % 60);
    for (BufferRequest& r : requests) {
      r.bytes = random() % 5 == 0 ? random() % 3 : random() % 100000;
      r.first = static_cast<int>(random() % 50);
      r.last = r.first + static_cast<int>(random() % 12);
    }
    auto plan = PlanMemory(requests, kNoLimit);
    ASSERT_TRUE(plan.ok());
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(plan->offsets[i] % 64, 0u);
      EXPECT_LE(plan->offsets[i] + requests[i].bytes, plan->arena_bytes);
      for (size_t j = 0; j < i; ++j) {
        if (!LiveTogether(requests[i], requests[j])) continue;
        const bool is_apart =
            plan->offsets[i] + requests[i].bytes <= plan->offsets[j] ||
            plan->offsets[j] + requests[j].bytes <= plan->offsets[i];
        ASSERT_TRUE(is_apart) << "round " << round << ": " << i << ", " << j;
      }
    }
    ASSERT_GE(plan->arena_bytes, LowerBound(requests));
    planned += plan->arena_bytes;
    bound += LowerBound(requests);
  }
  // A plan without any reuse would be several times the bound here; a tenth
  // above it keeps a broken gap search from passing unnoticed.
  EXPECT_LT(planned, bound + bound / 10);
}

TEST(MemoryPlanTest, PlanOverTheLimit_IsRefused) {
  const std::vector<BufferRequest> one = {{1000, 0, 0}};
  auto plan = PlanMemory(one, 999);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), Code::kOutOfMemory);
  EXPECT_THAT(std::string(plan.status().message()),
              ::testing::HasSubstr("1000 bytes"));

  const std::vector<BufferRequest> two = {{640, 0, 1}, {640, 1, 2}};
  EXPECT_FALSE(PlanMemory(two, 1279).ok());
  EXPECT_TRUE(PlanMemory(two, 1280).ok());
  // Sizes that would wrap around when added.
  const std::vector<BufferRequest> huge = {{SIZE_MAX - 10, 0, 1},
                                           {SIZE_MAX - 10, 0, 1}};
  EXPECT_FALSE(PlanMemory(huge, SIZE_MAX).ok());
}

TEST(MemoryPlanTest, EmptyBuffers_NeedNothing) {
  const std::vector<BufferRequest> empty = {{0, 0, 5}, {0, 2, 3}};
  auto plan = PlanMemory(empty, kNoLimit);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->arena_bytes, 0u);
}

}  // namespace
}  // namespace munja::runtime
