// Partitioning: which nodes of a subgraph go to a delegate together.
#ifndef MUNJA_RUNTIME_PARTITION_H_
#define MUNJA_RUNTIME_PARTITION_H_

#include <vector>

#include "graph/graph.h"
#include "runtime/delegate.h"

namespace munja::runtime {

// The fewest groups of wanted nodes (one flag for each node) with which the
// subgraph can still run group by group, each as large as it can be for its
// place. Every wanted node is in one; they are in an order in which they can
// run. Beside the values that nodes pass on, the order of nodes with effects
// (variables, resources: see graph/side_effects.h) is kept.
std::vector<Partition> PartitionNodes(const graph::Subgraph& subgraph,
                                      const std::vector<bool>& wanted);

// The partitions within the limits, in the same order.
std::vector<Partition> ApplyLimits(std::vector<Partition> partitions,
                                   const Delegate::Limits& limits);

// One thing to run: a node of the subgraph, or a partition as a whole.
struct ScheduledItem {
  bool is_partition = false;
  int index = 0;  // The node's or the partition's.
};
// An order in which all can run, near to that of the subgraph. `partitions`
// come from PartitionNodes, perhaps less some of them.
std::vector<ScheduledItem> Schedule(const graph::Subgraph& subgraph,
                                    const std::vector<Partition>& partitions);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PARTITION_H_
