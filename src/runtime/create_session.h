// Sessions over a table of operators other than ops.def's, for tests.
#ifndef MUNJA_RUNTIME_CREATE_SESSION_H_
#define MUNJA_RUNTIME_CREATE_SESSION_H_

#include <memory>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/op_finder.h"
#include "runtime/session.h"

namespace munja::runtime {

// CreateSession with operators from `find_op`, which is used during this call
// only.
Result<std::unique_ptr<Session>> CreateSessionWith(
    std::shared_ptr<const graph::Graph> graph, const SessionOptions& options,
    OpFinder find_op);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_CREATE_SESSION_H_
