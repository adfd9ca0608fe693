// Random networks of operators that can make rows, by bands of rows and whole
// map by whole map: the same bits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/region_network_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string what =
      munja::runtime::testing::CompareRandomNetwork(data, size);
  if (what.empty()) return 0;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}
