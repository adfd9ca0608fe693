// How much memory this process has and had.
#ifndef MUNJA_CLI_SYSTEM_MEMORY_H_
#define MUNJA_CLI_SYSTEM_MEMORY_H_

#include <cstdint>

namespace munja::cli {

// Bytes resident now and at most so far; 0 where the system does not say.
int64_t ResidentBytes();
int64_t PeakResidentBytes();

}  // namespace munja::cli

#endif  // MUNJA_CLI_SYSTEM_MEMORY_H_
