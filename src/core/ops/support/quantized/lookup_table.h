// Operators of one input on quantized values: what they do to one quantized
// value is a function of integers. On 8 bits it becomes a table of 256 entries,
// on 16 bits one of 65536 where a tensor has more elements.
#ifndef MUNJA_OPS_SUPPORT_QUANTIZED_LOOKUP_TABLE_H_
#define MUNJA_OPS_SUPPORT_QUANTIZED_LOOKUP_TABLE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "base/status.h"
#include "ops/op.h"
#include "ops/support/quantized/quantized.h"
#include "tensor/view.h"

namespace munja::ops {

// From a quantized value to a quantized value within the output's type.
using StoredFunction = std::function<int32_t(int32_t)>;
// In place of a result: the operator is not defined there.
inline constexpr int32_t kUndefined = std::numeric_limits<int32_t>::min();
// Called in Prepare; the tensors have types and quantization, no data.
using StoredFunctionMaker = std::function<Result<StoredFunction>(
    const TensorView& in, const TensorView& out)>;

// An operator that applies the function to each element. Input and output are
// each int8, uint8, int16 or int32. With an `undefined` text, Eval is refused
// with it when a value comes for which there is no result. The reference calls
// the function for every element.
std::unique_ptr<Kernel> MakeStoredMap(StoredFunctionMaker maker,
                                      bool reference_kernels,
                                      std::string undefined = {});

// The function of reals `f` between quantized values of one type: on 8 bits
// round(f(x) / scale) + zero for every quantized value, on 16 bits by
// interpolation (kernels/elementwise/interpolation_table.h).
StoredFunction FromReals(const Affine& in, const Affine& out, ElementType type,
                         const std::function<float(float)>& f);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_QUANTIZED_LOOKUP_TABLE_H_
