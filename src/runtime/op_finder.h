// OpFinder: where a session gets its operators from.
#ifndef MUNJA_RUNTIME_OP_FINDER_H_
#define MUNJA_RUNTIME_OP_FINDER_H_

#include <string_view>

#include "graph/graph.h"
#include "ops/op.h"

namespace munja::runtime {

// ops::FindOp, or a test's own table.
using OpFinder = const ops::OpImpl* (*)(std::string_view name);

// The implementation of a node, whatever its version; null when there is
// none. A custom operator never finds a builtin one of the same name: those
// are all capitals, so its name must hold another kind of letter.
const ops::OpImpl* FindImplementation(const graph::Node& node,
                                      OpFinder find_op);

// The implementation takes the node's version.
bool TakesVersion(const ops::OpImpl& op, const graph::Node& node);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_OP_FINDER_H_
