// The partition that a user's delegate compiles.
#ifndef MUNJA_CAPI_RUNTIME_PARTITION_H_
#define MUNJA_CAPI_RUNTIME_PARTITION_H_

#include <string>
#include <vector>

#include "capi/runtime/op_context.h"
#include "munja/delegates.h"
#include "runtime/delegate.h"

struct munja_partition {
  const munja::runtime::Partition& partition;
  // One for each node of the partition; the contexts point at the infos.
  std::vector<munja::ops::NodeInfo> infos = {};
  std::vector<munja_op_context> nodes = {};
  std::string reason = {};
};

#endif  // MUNJA_CAPI_RUNTIME_PARTITION_H_
