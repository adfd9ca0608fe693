// Pooling over windows of an NHWC image of quantized values.
#ifndef MUNJA_KERNELS_SPATIAL_INT_POOL_H_
#define MUNJA_KERNELS_SPATIAL_INT_POOL_H_

#include <cstdint>

#include "kernels/spatial/pool.h"

namespace munja::kernels {

// Output rows [y_begin, y_end) as Pool makes them; kMaximum and kAverage
// (rounded half away from zero) of quantized values, clamped to [low, high].
// T: int8_t, uint8_t, int16_t. Integers are exact, so that the reference of
// the operator is the same loop in other words: reference::IntPool.
template <class T>
void IntPool(PoolKind kind, const PoolShape& shape, int32_t low, int32_t high,
             const T* in, int32_t y_begin, int32_t y_end, T* out);

namespace reference {
template <class T>
void IntPool(PoolKind kind, const PoolShape& shape, int32_t low, int32_t high,
             const T* in, int32_t y_begin, int32_t y_end, T* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_SPATIAL_INT_POOL_H_
