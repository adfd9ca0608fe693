#include "runtime/partition.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <queue>
#include <utility>

#include "graph/side_effects.h"

namespace munja::runtime {
namespace {

using graph::kNoValue;
using graph::Subgraph;
using graph::ValueId;

bool IsOrdered(const Subgraph& subgraph, const graph::Node& node) {
  return graph::HasSideEffects(subgraph, node) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) {
           return v != kNoValue && subgraph.values[v].is_variable;
         });
}

// By node: the nodes that must have run before it.
std::vector<std::vector<int>> Predecessors(const Subgraph& subgraph) {
  std::vector<int> producer(subgraph.values.size(), -1);
  std::vector<std::vector<int>> before(subgraph.nodes.size());
  int last_ordered = -1;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    const graph::Node& node = subgraph.nodes[n];
    const int number = static_cast<int>(n);
    for (const ValueId v : node.inputs) {
      if (v != kNoValue && producer[v] >= 0) before[n].push_back(producer[v]);
    }
    if (IsOrdered(subgraph, node)) {
      if (last_ordered >= 0) before[n].push_back(last_ordered);
      last_ordered = number;
    }
    for (const ValueId v : node.outputs)
      if (v != kNoValue) producer[v] = number;
  }
  return before;
}

// The values that cross the border of a partition.
void FindBorder(const Subgraph& subgraph, Partition* partition) {
  const size_t count = subgraph.values.size();
  std::vector<bool> is_inner(subgraph.nodes.size());
  for (const int n : partition->nodes) is_inner[n] = true;
  std::vector<bool> is_written(count), is_listed(count), is_read(count);
  for (const int n : partition->nodes) {
    for (const ValueId v : subgraph.nodes[n].outputs)
      if (v != kNoValue) is_written[v] = true;
  }
  for (const int n : partition->nodes) {
    for (const ValueId v : subgraph.nodes[n].inputs) {
      if (v == kNoValue || is_written[v] || is_listed[v]) continue;
      const graph::Value& value = subgraph.values[v];
      if (value.constant && !value.is_variable) continue;
      is_listed[v] = true;
      partition->inputs.push_back(v);
    }
  }
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    if (is_inner[n]) continue;
    for (const ValueId v : subgraph.nodes[n].inputs)
      if (v != kNoValue) is_read[v] = true;
  }
  for (const ValueId v : subgraph.outputs) is_read[v] = true;
  for (const int n : partition->nodes) {
    for (const ValueId v : subgraph.nodes[n].outputs)
      if (v != kNoValue && is_read[v]) partition->outputs.push_back(v);
  }
}

}  // namespace

std::vector<Partition> PartitionNodes(const Subgraph& subgraph,
                                      const std::vector<bool>& wanted) {
  // The number of partitions that must have begun when a node runs: along any
  // path to it, each change from an unwanted to a wanted node begins one. No
  // division needs fewer than the longest path, and this one needs no more.
  const std::vector<std::vector<int>> before = Predecessors(subgraph);
  std::vector<int> epoch(subgraph.nodes.size());
  std::vector<Partition> partitions;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    epoch[n] = wanted[n] ? 1 : 0;
    for (const int b : before[n])
      epoch[n] = std::max(epoch[n], epoch[b] + (wanted[n] && !wanted[b]));
    if (!wanted[n]) continue;
    const size_t needed = static_cast<size_t>(epoch[n]);
    if (partitions.size() < needed) partitions.resize(needed);
    partitions[needed - 1].nodes.push_back(static_cast<int>(n));
  }
  for (Partition& partition : partitions) FindBorder(subgraph, &partition);
  return partitions;
}

std::vector<Partition> ApplyLimits(std::vector<Partition> partitions,
                                   const Delegate::Limits& limits) {
  const size_t min_nodes = static_cast<size_t>(std::max(limits.min_nodes, 0));
  std::vector<size_t> by_size;
  for (size_t i = 0; i < partitions.size(); ++i)
    if (partitions[i].nodes.size() >= min_nodes) by_size.push_back(i);
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) {
    return partitions[a].nodes.size() > partitions[b].nodes.size();
  });
  const size_t max = static_cast<size_t>(std::max(limits.max_partitions, 0));
  if (max > 0 && by_size.size() > max) by_size.resize(max);
  std::sort(by_size.begin(), by_size.end());
  std::vector<Partition> kept;
  for (const size_t i : by_size) kept.push_back(std::move(partitions[i]));
  return kept;
}

std::vector<ScheduledItem> Schedule(const Subgraph& subgraph,
                                    const std::vector<Partition>& partitions) {
  // A partition stands where its first node does: items are numbered by that.
  std::vector<int> item(subgraph.nodes.size());
  std::iota(item.begin(), item.end(), 0);
  std::vector<int> partition_of(subgraph.nodes.size(), -1);
  for (size_t p = 0; p < partitions.size(); ++p) {
    for (const int n : partitions[p].nodes) {
      item[n] = partitions[p].nodes[0];
      partition_of[n] = static_cast<int>(p);
    }
  }
  std::vector<std::vector<int>> after(subgraph.nodes.size());
  std::vector<int> waits_for(subgraph.nodes.size());
  const auto before = Predecessors(subgraph);
  for (size_t n = 0; n < before.size(); ++n) {
    for (const int b : before[n]) {
      if (item[b] == item[n]) continue;
      after[item[b]].push_back(item[n]);
      ++waits_for[item[n]];
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t n = 0; n < before.size(); ++n) {
    if (item[n] == static_cast<int>(n) && waits_for[n] == 0)
      ready.push(static_cast<int>(n));
  }
  std::vector<ScheduledItem> order;
  while (!ready.empty()) {
    const int n = ready.top();
    ready.pop();
    const bool is_partition = partition_of[n] >= 0;
    order.push_back({is_partition, is_partition ? partition_of[n] : n});
    for (const int next : after[n])
      if (--waits_for[next] == 0) ready.push(next);
  }
  return order;
}

}  // namespace munja::runtime
