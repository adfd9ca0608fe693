// BATCH_MATMUL of quantized matrices.
#ifndef MUNJA_OPS_MATMUL_BATCH_MATMUL_INT_H_
#define MUNJA_OPS_MATMUL_BATCH_MATMUL_INT_H_

#include <memory>

#include "base/status.h"
#include "ops/op.h"

namespace munja::ops {

Result<std::unique_ptr<Kernel>> MakeBatchMatMulInt(const NodeInfo& info);

}  // namespace munja::ops

#endif  // MUNJA_OPS_MATMUL_BATCH_MATMUL_INT_H_
