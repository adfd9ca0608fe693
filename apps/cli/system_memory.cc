#include "cli/system_memory.h"

#include <cstdio>
#include <cstring>

namespace munja::cli {
namespace {

// A line of /proc/self/status: "VmHWM:    123456 kB".
int64_t StatusField(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  long long kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, name, std::strlen(name)) == 0 &&
        std::sscanf(line + std::strlen(name), ": %lld", &kilobytes) == 1)
      break;
  }
  std::fclose(file);
  return static_cast<int64_t>(kilobytes) * 1024;
}

}  // namespace

int64_t ResidentBytes() { return StatusField("VmRSS"); }
int64_t PeakResidentBytes() { return StatusField("VmHWM"); }

}  // namespace munja::cli
