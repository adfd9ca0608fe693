// Strings through operators that only move elements.
#ifndef MUNJA_OPS_SUPPORT_STRING_MOVES_H_
#define MUNJA_OPS_SUPPORT_STRING_MOVES_H_

#include <memory>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

using MakeFunction = Result<std::unique_ptr<Kernel>> (*)(const NodeInfo&);

// The kernel that `make` makes. When the node moves strings (RESHAPE, GATHER,
// CONCATENATION, ...) that kernel moves the strings' numbers, as int32, and
// the strings follow.
Result<std::unique_ptr<Kernel>> MakeMovingStrings(const NodeInfo& info,
                                                  MakeFunction make);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_STRING_MOVES_H_
