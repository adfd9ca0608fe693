// munja_tensor_info from what the runtime and the graph say of a tensor.
#ifndef MUNJA_CAPI_RUNTIME_TENSOR_INFO_H_
#define MUNJA_CAPI_RUNTIME_TENSOR_INFO_H_

#include "capi/runtime/tensor_args.h"
#include "munja/runtime.h"

namespace munja::capi {

// `t` is a graph::Value or a runtime::TensorInfo; info->name points into it.
template <class Tensor>
munja_tensor_info TensorInfoOf(const Tensor& t) {
  munja_tensor_info info = {};
  info.name = t.name.c_str();
  info.type = static_cast<munja_element_type>(t.type);
  CopyShape(t.shape, &info.rank, info.dims);
  if (t.quantization.scales.size() == 1) {
    info.scale = t.quantization.scales[0];
    if (!t.quantization.zero_points.empty())
      info.zero_point = static_cast<int32_t>(t.quantization.zero_points[0]);
  }
  return info;
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_TENSOR_INFO_H_
