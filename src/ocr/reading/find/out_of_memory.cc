#include "reading/find/out_of_memory.h"

#include <string>

#include "base/log.h"

namespace munja::ocr {

bool IsSkippedForMemory(const Status& status, const char* consequence) {
  if (status.code() != Code::kOutOfMemory) return false;
  Log(Severity::kWarning,
      std::string(consequence) + ": " + std::string(status.message()));
  return true;
}

}  // namespace munja::ocr
