// Passes that only improve the text of a page are skipped where there is no
// memory for them.
#ifndef MUNJA_READING_FIND_OUT_OF_MEMORY_H_
#define MUNJA_READING_FIND_OUT_OF_MEMORY_H_

#include "base/status.h"

namespace munja::ocr {

// Whether `status`, which is that of such a pass, is kOutOfMemory. It is then
// logged as a warning behind `consequence`.
bool IsSkippedForMemory(const Status& status, const char* consequence);

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_OUT_OF_MEMORY_H_
