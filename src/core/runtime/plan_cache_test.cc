#include "runtime/plan_cache.h"

#include <gtest/gtest.h>

#include "runtime/testing.h"
#include "tests/counted_allocations.h"

namespace munja::runtime {
namespace {

using testing::CreateSessionWith;
using testing::FindFakeOp;
using testing::GraphBuilder;
using testing::View;

std::shared_ptr<const Program> MustCompile(GraphBuilder& builder) {
  auto program = Program::Compile(builder.graph(), 0, {}, Resolver(FindFakeOp));
  EXPECT_TRUE(program.ok()) << program.status().message();
  return program.ok() ? *program : nullptr;
}

TEST(PlanCacheTest, LeastRecentlyUsedPlans_AreDropped) {
  GraphBuilder b;
  b.Output(b.Add("ROLL", {b.Input({kDynamic})}));
  const auto program = MustCompile(b);
  ASSERT_NE(program, nullptr);
  ThreadPool pool(1);
  PlanCache cache(*program, pool, 2);
  const auto get = [&](int n) {
    const Shape shape{n};
    auto plan = cache.Get({&shape, 1}, {});
    EXPECT_TRUE(plan.ok());
    return plan.ok() ? *plan : nullptr;
  };
  Plan* const first = get(100);
  get(200);
  EXPECT_EQ(get(100), first);
  EXPECT_EQ(cache.made(), 2);
  get(300);  // Drops 200.
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(get(100), first);
  EXPECT_EQ(cache.made(), 3);
  get(200);
  EXPECT_EQ(cache.made(), 4);
}

// Whatever dimension of whatever input differs.
TEST(PlanCacheTest, Plan_CoversAllDimensionsOfAllInputs) {
  GraphBuilder b;
  const auto x = b.Input({kDynamic, kDynamic});
  b.Output(b.Add("ROLL", {x}));
  b.Output(b.Add("NEG", {b.Input({kDynamic, kDynamic})}));
  const auto program = MustCompile(b);
  ASSERT_NE(program, nullptr);
  ThreadPool pool(1);
  PlanCache cache(*program, pool, 8);
  std::vector<Shape> inputs = {Shape{2, 3}, Shape{4, 5}};
  ASSERT_TRUE(cache.Get(inputs, {}).ok());
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (int axis = 0; axis < 2; ++axis) {
      std::vector<Shape> other = inputs;
      ++other[i][axis];
      const auto plan = cache.Get(other, {});
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ((*plan)->outputs()[0].shape, other[0]) << i << ", " << axis;
      EXPECT_EQ((*plan)->outputs()[1].shape, other[1]) << i << ", " << axis;
    }
  }
  EXPECT_EQ(cache.made(), 5);
}

TEST(PlanCacheTest, AllPlans_ShareOneGrowingArena) {
  GraphBuilder b;
  b.Output(b.Add("ROLL", {b.Input({kDynamic})}));
  const auto program = MustCompile(b);
  ASSERT_NE(program, nullptr);
  ThreadPool pool(1);
  PlanCache cache(*program, pool, 4);
  size_t arena = 0;
  for (const int n : {16, 1600, 160, 16}) {
    const Shape shape{n};
    ASSERT_TRUE(cache.Get({&shape, 1}, {}).ok());
    EXPECT_GE(cache.arena_bytes(), arena);
    arena = cache.arena_bytes();
  }
  EXPECT_EQ(arena, 2 * 6400u);  // Output and scratch of the largest.
}

TEST(PlanCacheTest, RunWithCachedPlan_AllocatesNothing) {
  if (!kCountsAllocations) GTEST_SKIP() << "nothing is counted here";
  GraphBuilder b;
  const auto x = b.Input({kDynamic});
  b.Output(b.Add("ADD", {b.Add("ROLL", {b.Add("NEG", {x})}), x}));
  for (const bool profile : {false, true}) {
    SessionOptions options;
    options.profile = profile;
    auto session = CreateSessionWith(
        std::make_shared<const graph::Graph>(b.graph()), options, FindFakeOp);
    ASSERT_TRUE(session.ok());
    const std::vector<float> data(100);
    const TensorView large = View(data, {100});
    TensorView small = View(data, {50});
    small.bytes = 200;
    const Shape shapes[] = {large.shape, small.shape};
    for (const Shape& shape : shapes)
      ASSERT_TRUE((*session)->Plan({&shape, 1}).ok());
    // A profile tells the shapes of the run before, and so may allocate when
    // they change.
    if (profile) {
      ASSERT_TRUE((*session)->Run({&large, 1}).ok());
    }
    const int64_t before = allocations;
    bool is_ok = true;
    for (int run = 0; run < 10; ++run) {
      is_ok &= (*session)->Run({&large, 1}).ok();
      if (!profile) is_ok &= (*session)->Run({&small, 1}).ok();
    }
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(is_ok);
  }
}

}  // namespace
}  // namespace munja::runtime
