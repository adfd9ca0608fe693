// The largest of a row and where it stands.
#ifndef MUNJA_KERNELS_REDUCE_ARG_MAX_H_
#define MUNJA_KERNELS_REDUCE_ARG_MAX_H_

#include <cstddef>

namespace munja::kernels {

struct ArgMaxResult {
  size_t index = 0;
  float value = 0.0f;
};

// The first of the largest of `count` >= 1 values. NaN counts as less than
// everything; a row of nothing else gives index 0.
ArgMaxResult ArgMax(const float* in, size_t count);

namespace reference {
ArgMaxResult ArgMax(const float* in, size_t count);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_ARG_MAX_H_
