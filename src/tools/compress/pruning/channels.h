// Channels: which channels of a graph exist only together, found from its
// operators alone.
#ifndef MUNJA_COMPRESS_PRUNING_CHANNELS_H_
#define MUNJA_COMPRESS_PRUNING_CHANNELS_H_

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::compress {

// One output filter of a layer.
struct Filter {
  size_t node = 0;
  int index = 0;
};

// The channels that the same layers make: one layer as a rule, several where
// their maps are added or multiplied. Any of them may go.
struct ChannelGroup {
  std::vector<size_t> layers;  // Nodes.
  std::vector<int> channels;   // Numbers of channels; see below.
};

// Every channel of every float value has an id; channels that an operator maps
// onto each other, or needs together, share one. An id has filters in each
// layer that outputs it. Channels that are inputs or outputs of the graph, or
// that an operator without a rule reads, have no group: they stay.
class Channels {
 public:
  // Analyzes the main subgraph, whose values must have ranks and channel
  // counts.
  static Channels Find(const graph::Subgraph& subgraph);

  // The ids of the last dimension's elements. Empty: none of them is known.
  const std::vector<int>& Of(graph::ValueId v) const;
  const std::vector<Filter>& FiltersOf(int channel) const {
    return filters_[static_cast<size_t>(channel)];
  }
  const std::vector<ChannelGroup>& groups() const { return groups_; }
  int count() const { return static_cast<int>(filters_.size()); }

 private:
  std::vector<std::vector<int>> of_;  // By value.
  std::vector<std::vector<Filter>> filters_;
  std::vector<ChannelGroup> groups_;
};

// Returns the graph without the channels for which `keeps` is false. Channels
// that have no group must be kept, and at least one of each value. kMalformed:
// the result is no valid graph.
Result<graph::Graph> WithoutChannels(const graph::Graph& graph,
                                     const Channels& channels,
                                     const std::vector<bool>& keeps);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_CHANNELS_H_
