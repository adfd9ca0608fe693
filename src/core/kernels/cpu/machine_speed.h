// Measured peak throughput of the CPU: the roofline of every kernel.
#ifndef MUNJA_KERNELS_CPU_MACHINE_SPEED_H_
#define MUNJA_KERNELS_CPU_MACHINE_SPEED_H_

#include <array>
#include <cstddef>

#include "base/status.h"
#include "base/thread_pool.h"

namespace munja::kernels {

// Speed of a copy between two arrays that are `bytes` long together on each
// thread: bytes read and written by all threads, 1e9 per second.
struct CopySpeed {
  size_t bytes = 0;
  double gb_per_s = 0;
};

struct MachineSpeed {
  // Float multiply-adds in the registers of the SIMD target in use, two
  // operations each, of all threads, 1e9 a second.
  double fp32_gflops = 0;
  // The same of integers, by the instructions that integer kernels use: of
  // bytes, and of pairs of int16 (see byte_dot.h).
  double int8_gops = 0, int16_gops = 0;
  // From arrays that a first-level cache holds up to some that no cache does.
  std::array<CopySpeed, 4> copy;
};

// The best of a few samples with all threads of the pool at work; takes about
// a tenth of a second and 64 MiB a thread. kOutOfMemory.
Result<MachineSpeed> MeasureMachine(ThreadPool& pool);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_CPU_MACHINE_SPEED_H_
