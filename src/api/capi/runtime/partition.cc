// Partitions, as the compile callback of a delegate sees them.
#include "capi/runtime/partition.h"

#include <vector>

#include "capi/runtime/guard.h"

using munja::Status;
using munja::capi::Guard;

namespace {

int32_t Item(const std::vector<munja::graph::ValueId>& list, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < list.size()
             ? list[static_cast<size_t>(index)]
             : -1;
}

}  // namespace

extern "C" {

munja_status munja_partition_fail(munja_partition* partition,
                                  munja_status status, const char* reason) {
  if (partition != nullptr && reason != nullptr) {
    (void)Guard([&] {
      partition->reason = reason;
      return Status();
    });
  }
  return status;
}

int32_t munja_partition_node_count(const munja_partition* partition) {
  return partition ? static_cast<int32_t>(partition->nodes.size()) : 0;
}

munja_op_context* munja_partition_node(munja_partition* partition,
                                       int32_t index) {
  if (partition == nullptr || index < 0 ||
      static_cast<size_t>(index) >= partition->nodes.size())
    return nullptr;
  return &partition->nodes[static_cast<size_t>(index)];
}

int32_t munja_partition_input_count(const munja_partition* partition) {
  return partition ? static_cast<int32_t>(partition->partition.inputs.size())
                   : 0;
}

int32_t munja_partition_input(const munja_partition* partition, int32_t index) {
  return partition ? Item(partition->partition.inputs, index) : -1;
}

int32_t munja_partition_output_count(const munja_partition* partition) {
  return partition ? static_cast<int32_t>(partition->partition.outputs.size())
                   : 0;
}

int32_t munja_partition_output(const munja_partition* partition,
                               int32_t index) {
  return partition ? Item(partition->partition.outputs, index) : -1;
}

}  // extern "C"
