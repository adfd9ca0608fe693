// Float16 for operators that compute in float32, and packed int4 for those that
// move int8: what comes in is widened into scratch memory, what goes out is
// rounded or packed once.
#ifndef MUNJA_OPS_SUPPORT_HALF_ADAPTER_H_
#define MUNJA_OPS_SUPPORT_HALF_ADAPTER_H_

#include <memory>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

// The kernel itself, or around it one that shows it its float16 inputs and
// outputs (of at most four and one) as float32, when input 0 of the node is
// float16. The kernel must not defer its shape, and base no decision on
// the values of float16 inputs.
std::unique_ptr<Kernel> OnHalves(const NodeInfo& info,
                                 std::unique_ptr<Kernel> kernel);

// The same for int4, which the kernel sees as int8.
std::unique_ptr<Kernel> OnNibbles(const NodeInfo& info,
                                  std::unique_ptr<Kernel> kernel);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_HALF_ADAPTER_H_
