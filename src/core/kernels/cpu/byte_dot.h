// Instructions that multiply four bytes by four bytes and add the products to
// a sum of 32 bits: VNNI of x86, which does so with two pairs of int16, too,
// and the dot product of Arm.
#ifndef MUNJA_KERNELS_CPU_BYTE_DOT_H_
#define MUNJA_KERNELS_CPU_BYTE_DOT_H_

namespace munja::kernels {

// This CPU has such an instruction for the vectors in use (SimdName).
bool HasByteDot();

// For tests: whether kernels may use it. Holds for the whole process; weights
// that were packed before can be read only as long as the answer was the same.
void AllowByteDot(bool is_allowed);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CPU_BYTE_DOT_H_
