#include "kernels/cpu/simd.h"

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "kernels/cpu/machine_speed.h"
#include "kernels/gemm/half_gemm.h"
#include "munja/tools/machine.h"

extern "C" {

const char* munja_simd_name(void) {
  const char* name = "";
  munja::capi::Guard([&] {
    name = munja::kernels::SimdName().c_str();
    return munja::Status();
  });
  return name;
}

const char* munja_float16_name(void) {
  const char* name = "";
  munja::capi::Guard([&] {
    name = munja::kernels::HalfTypeName(munja::kernels::HalfTypeInUse());
    return munja::Status();
  });
  return name;
}

munja_status munja_simd_select(const char* name) {
  return munja::capi::Guard(
      [&] { return munja::kernels::SelectSimd(name == nullptr ? "" : name); });
}

munja_status munja_measure_machine(int32_t threads,
                                   munja_machine_speed* speed) {
  return munja::capi::Guard([&]() -> munja::Status {
    MUNJA_RETURN_IF_ERROR(munja::capi::RequireAll(speed));
    if (threads < 0)
      return munja::InvalidArgument("threads is negative: " +
                                    std::to_string(threads));
    munja::ThreadPool pool(threads);
    MUNJA_ASSIGN_OR_RETURN(const munja::kernels::MachineSpeed measured,
                           munja::kernels::MeasureMachine(pool));
    munja_machine_speed result = {};
    result.fp32_gflops = measured.fp32_gflops;
    result.int8_gops = measured.int8_gops;
    result.int16_gops = measured.int16_gops;
    for (size_t i = 0; i < measured.copy.size(); ++i) {
      result.copy_bytes[i] = static_cast<int64_t>(measured.copy[i].bytes);
      result.copy_gb_per_s[i] = measured.copy[i].gb_per_s;
    }
    return munja::capi::WriteStruct(result, speed);
  });
}

}  // extern "C"
