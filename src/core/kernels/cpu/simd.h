// Which set of vector instructions the kernels use.
#ifndef MUNJA_KERNELS_CPU_SIMD_H_
#define MUNJA_KERNELS_CPU_SIMD_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::kernels {

// Names of the instruction sets that this build has and this CPU can run, the
// best first: "avx3" (AVX-512), "avx2", "sse4", "neon", "scalar".
const std::vector<std::string>& SimdNames();

// The one in use.
const std::string& SimdName();

// Weights are packed for the set in use, and kernels of no other set can read
// them. Owners of kernels with weights hold one of these, too; the set cannot
// change while there is one.
class SimdLock {
 public:
  SimdLock();
  ~SimdLock();
  SimdLock(const SimdLock&) = delete;
  SimdLock& operator=(const SimdLock&) = delete;
};

// Uses `name` from now on in the whole process, for every user of Highway in
// it; "" the best. kInvalidArgument where there is no such set, and where
// another one is locked. No kernel may be running.
Status SelectSimd(std::string_view name);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CPU_SIMD_H_
