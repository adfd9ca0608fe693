#include "runtime/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using graph::ValueId;
using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::IsEmpty;

struct RandomGraph {
  graph::Subgraph subgraph;
  std::vector<bool> wanted;
  std::vector<std::set<int>> before;  // By node, what must run first.
};

RandomGraph MakeRandomGraph(std::mt19937& random, int nodes, double wanted,
                            double effects) {
  const auto chance = [&](double p) {
    return std::uniform_real_distribution<>(0, 1)(random) < p;
  };
  RandomGraph made;
  GraphBuilder builder;
  std::vector<ValueId> values = {builder.Input({2}), builder.Input({2})};
  std::vector<int> producer = {-1, -1};
  const ValueId constant = builder.Constant({2}, std::vector<float>{1, 2});
  int last_effect = -1;
  for (int n = 0; n < nodes; ++n) {
    std::set<int> before;
    std::vector<ValueId> inputs = {constant};
    for (int i = chance(0.4) ? 2 : 1; i > 0; --i) {
      const size_t from = random() % values.size();
      inputs.push_back(values[from]);
      if (producer[from] >= 0) before.insert(producer[from]);
    }
    const bool has_effect = chance(effects);
    if (has_effect && last_effect >= 0) before.insert(last_effect);
    if (has_effect) last_effect = n;
    values.push_back(builder.Add(has_effect ? "READ_VARIABLE" : "ADD", inputs));
    producer.push_back(n);
    if (chance(0.2)) builder.Output(values.back());
    made.before.push_back(std::move(before));
    made.wanted.push_back(chance(wanted));
  }
  made.subgraph = builder.sub();
  return made;
}

// Whether each node can run as one of its group's, groups being given by node
// (-1: alone).
bool CanRun(const RandomGraph& g, const std::vector<int>& group) {
  const size_t count = group.size();
  std::vector<bool> done(count);
  for (size_t left = count; left > 0;) {
    bool moved = false;
    for (size_t n = 0; n < count && !moved; ++n) {
      if (done[n]) continue;
      std::vector<size_t> together;
      for (size_t m = 0; m < count; ++m)
        if (m == n || (group[n] >= 0 && group[m] == group[n]))
          together.push_back(m);
      const bool is_ready =
          std::all_of(together.begin(), together.end(), [&](size_t m) {
            return std::all_of(
                g.before[m].begin(), g.before[m].end(), [&](int b) {
                  return done[b] || std::find(together.begin(), together.end(),
                                              b) != together.end();
                });
          });
      if (!is_ready) continue;
      for (const size_t m : together) done[m] = true;
      left -= together.size();
      moved = true;
    }
    if (!moved) return false;
  }
  return true;
}

// The fewest groups of any division at all.
int FewestGroups(const RandomGraph& g) {
  std::vector<int> group(g.wanted.size(), -1);
  int best = static_cast<int>(g.wanted.size());
  const std::function<void(size_t, int)> divide = [&](size_t n, int used) {
    if (used >= best) return;
    while (n < group.size() && !g.wanted[n]) ++n;
    if (n == group.size()) {
      if (CanRun(g, group)) best = used;
      return;
    }
    for (int c = 0; c <= used; ++c) {
      group[n] = c;
      divide(n + 1, std::max(used, c + 1));
    }
    group[n] = -1;
  };
  divide(0, 0);
  return best;
}

void ExpectRunnable(const RandomGraph& g,
                    const std::vector<Partition>& partitions) {
  std::vector<bool> done(g.wanted.size());
  const auto run = [&](const std::vector<int>& nodes) {
    for (const int n : nodes) {
      EXPECT_FALSE(done[n]) << "node " << n << " twice";
      for (const int b : g.before[n]) {
        EXPECT_TRUE(done[b] ||
                    std::find(nodes.begin(), nodes.end(), b) != nodes.end())
            << "node " << n << " before node " << b;
      }
    }
    for (const int n : nodes) done[n] = true;
  };
  for (const ScheduledItem& item : Schedule(g.subgraph, partitions))
    run(item.is_partition ? partitions[item.index].nodes
                          : std::vector<int>{item.index});
  EXPECT_EQ(std::count(done.begin(), done.end(), true),
            static_cast<int>(done.size()));
}

TEST(Partition, PartitionCount_IsMinimal) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const RandomGraph g =
        MakeRandomGraph(random, 1 + round % 10, 0.6, round % 3 ? 0.0 : 0.3);
    const auto partitions = PartitionNodes(g.subgraph, g.wanted);
    ASSERT_EQ(static_cast<int>(partitions.size()), FewestGroups(g))
        << "graph " << round;
  }
}

TEST(Partition, EveryWantedNode_IsInAPartitionThatCanRun) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const RandomGraph g =
        MakeRandomGraph(random, 5 + round % 60, 0.1 * (round % 11), 0.05);
    const auto partitions = PartitionNodes(g.subgraph, g.wanted);
    std::vector<bool> taken(g.wanted.size());
    for (const Partition& partition : partitions) {
      EXPECT_FALSE(partition.nodes.empty());
      for (const int n : partition.nodes) taken[n] = true;
    }
    EXPECT_EQ(taken, g.wanted);
    ExpectRunnable(g, partitions);
    // The partitions that the limits leave still can.
    ExpectRunnable(g, ApplyLimits(partitions, {.max_partitions = 2}));
    ExpectRunnable(g, ApplyLimits(partitions, {.min_nodes = 3}));
  }
}

// input -> 0 -> 1 -> 2 -> 3, with 1 unwanted; 1 also reads a constant.
TEST(Partition, Border_IsWhatOthersReadOrWrite) {
  GraphBuilder builder;
  const ValueId in = builder.Input({2});
  const ValueId constant = builder.Constant({2}, std::vector<float>{1, 2});
  const ValueId a = builder.Add("ADD", {in, constant});
  const ValueId b = builder.Add("NEG", {a});
  const ValueId c = builder.Add("ADD", {b, a});
  const ValueId d = builder.Add("ADD", {c, c});
  builder.Output(d);
  builder.Output(c);
  const auto partitions =
      PartitionNodes(builder.sub(), {true, false, true, true});
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_THAT(partitions[0].nodes, ElementsAre(0));
  EXPECT_THAT(partitions[0].inputs, ElementsAre(in));
  EXPECT_THAT(partitions[0].outputs, ElementsAre(a));
  EXPECT_THAT(partitions[1].nodes, ElementsAre(2, 3));
  EXPECT_THAT(partitions[1].inputs, ElementsAre(b, a));
  EXPECT_THAT(partitions[1].outputs, ElementsAre(c, d));
}

TEST(Partition, DisjointBranches_ShareAPartition) {
  GraphBuilder builder;
  const ValueId in = builder.Input({2});
  const ValueId a = builder.Add("ADD", {in, in});
  const ValueId b = builder.Add("NEG", {in});
  const ValueId c = builder.Add("ADD", {b, b});
  builder.Output(a);
  builder.Output(c);
  const auto partitions = PartitionNodes(builder.sub(), {true, false, true});
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_THAT(partitions[0].nodes, ElementsAre(0, 2));
}

TEST(Partition, Limits_KeepTheLargest) {
  const std::vector<Partition> all = {
      {{0}, {}, {}}, {{1, 2, 3}, {}, {}}, {{4, 5}, {}, {}}, {{6, 7}, {}, {}}};
  const auto two = ApplyLimits(all, {.max_partitions = 2});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_THAT(two[0].nodes, ElementsAre(1, 2, 3));
  EXPECT_THAT(two[1].nodes, ElementsAre(4, 5));
  EXPECT_EQ(ApplyLimits(all, {.min_nodes = 2}).size(), 3u);
  EXPECT_THAT(ApplyLimits(all, {.min_nodes = 4}), IsEmpty());
  EXPECT_EQ(ApplyLimits(all, {}).size(), 4u);
}

}  // namespace
}  // namespace munja::runtime
