// munja_tensor <-> TensorView.
#ifndef MUNJA_CAPI_RUNTIME_TENSOR_ARGS_H_
#define MUNJA_CAPI_RUNTIME_TENSOR_ARGS_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "munja/types.h"
#include "tensor/view.h"

namespace munja::capi {

// kInvalidArgument for a rank, dimension, type or size that cannot be.
Result<std::vector<TensorView>> ViewsOf(std::span<const munja_tensor> tensors);
munja_tensor TensorOf(const TensorView& view);
// Copies rank and dimensions; dims has MUNJA_MAX_RANK places.
void CopyShape(const Shape& shape, int32_t* rank, int32_t* dims);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_TENSOR_ARGS_H_
