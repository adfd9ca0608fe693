#include "kernels/simd.h"

#include "capi/guard.h"
#include "munja/workshop.h"

extern "C" {

const char* munja_simd_name(void) {
  const char* name = "";
  munja::capi::Guard([&] {
    name = munja::kernels::SimdName().c_str();
    return munja::Status();
  });
  return name;
}

munja_status munja_simd_select(const char* name) {
  return munja::capi::Guard(
      [&] { return munja::kernels::SelectSimd(name == nullptr ? "" : name); });
}

}  // extern "C"
