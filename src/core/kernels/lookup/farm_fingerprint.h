// FarmHash's 64-bit fingerprint, which never changes: what LSH_PROJECTION
// projects with.
#ifndef MUNJA_KERNELS_LOOKUP_FARM_FINGERPRINT_H_
#define MUNJA_KERNELS_LOOKUP_FARM_FINGERPRINT_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

uint64_t FarmFingerprint64(const uint8_t* bytes, size_t count);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_LOOKUP_FARM_FINGERPRINT_H_
