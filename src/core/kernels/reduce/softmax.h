// Softmax of one row.
#ifndef MUNJA_KERNELS_REDUCE_SOFTMAX_H_
#define MUNJA_KERNELS_REDUCE_SOFTMAX_H_

#include <cstddef>

namespace munja::kernels {

// out[i] = exp(beta (in[i] - max)) / sum of these. `in` and `out` may be the
// same. beta >= 0. A row with NaN or +inf in it gives NaN.
void Softmax(const float* in, size_t count, float beta, float* out);
// out[i] = in[i] - max - log(sum of exp(in[j] - max)).
void LogSoftmax(const float* in, size_t count, float* out);

namespace reference {
void Softmax(const float* in, size_t count, float beta, float* out);
void LogSoftmax(const float* in, size_t count, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_REDUCE_SOFTMAX_H_
