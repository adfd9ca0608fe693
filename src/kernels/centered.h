// Quantized values as int16 without their zero point, which is the form that
// integer kernels read: what lies outside of an image is then 0.
#ifndef MUNJA_KERNELS_CENTERED_H_
#define MUNJA_KERNELS_CENTERED_H_

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace munja::kernels {

// out[i] = in[i] - zero.
void Center(const int8_t* in, size_t count, int32_t zero, int16_t* out);
void Center(const uint8_t* in, size_t count, int32_t zero, int16_t* out);

// Real activations for 8-bit weights: each of `rows` rows of `depth` numbers
// gets a scale of its own, scales[row] * out[i] ~ in[i]. Symmetric: the
// largest magnitude is 127 steps; asymmetric: 255 steps from the smallest to
// the largest value, 0 among them. A row of zeros has scale 1.
void QuantizeRows(const float* in, size_t rows, size_t depth,
                  bool is_asymmetric, int16_t* out, float* scales,
                  ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CENTERED_H_
