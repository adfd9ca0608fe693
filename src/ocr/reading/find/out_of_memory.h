// Passes that only improve the text of a page are skipped where there is no
// memory for them, and none keeps memory that another one needs.
#ifndef MUNJA_READING_FIND_OUT_OF_MEMORY_H_
#define MUNJA_READING_FIND_OUT_OF_MEMORY_H_

#include <utility>

#include "base/status.h"

namespace munja::ocr {

// Whether `status`, which is that of such a pass, is kOutOfMemory. It is then
// logged as a warning behind `consequence`.
bool IsSkippedForMemory(const Status& status, const char* consequence);

inline Code CodeOf(const Status& status) { return status.code(); }
template <class T>
Code CodeOf(const Result<T>& result) {
  return result.ok() ? Code::kOk : result.status().code();
}

// Returns the result of `step`; where there is no memory for it, it runs once
// more with what the holders kept from earlier runs.
template <class Step, class... Holders>
auto RunWithMemoryOf(const Step& step, Holders&... holders) {
  auto result = step();
  const bool is_freed = CodeOf(result) == Code::kOutOfMemory &&
                        (holders.FreeMemory().ok() && ...);
  return is_freed ? step() : std::move(result);
}

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_OUT_OF_MEMORY_H_
