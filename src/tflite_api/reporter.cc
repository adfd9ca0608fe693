#include "tflite_api/reporter.h"

#include <cstdio>
#include <string>

namespace munja::compat {

void Reporter::Report(const char* format, ...) const {
  va_list args;
  va_start(args, format);
  if (function_ != nullptr) {
    function_(user_data_, format, args);
  } else {
    // One write a line, so that threads do not mix theirs.
    char line[1024];
    std::vsnprintf(line, sizeof(line), format, args);
    std::fprintf(stderr, "ERROR: %s\n", line);
  }
  va_end(args);
}

void Reporter::Report(const Status& status) const {
  if (!status.ok()) Report("%s", std::string(status.message()).c_str());
}

}  // namespace munja::compat
