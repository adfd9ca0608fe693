// Judges a call of the C interface.
#ifndef MUNJA_TESTS_HOSTILE_CALL_H_
#define MUNJA_TESTS_HOSTILE_CALL_H_

#include <string>

#include "driver.h"
#include "munja/types.h"

namespace munja::hostile {

inline std::string Judge(munja_status status) {
  if (status == MUNJA_OK) return "";
  return Judge(status == MUNJA_INTERNAL, std::string(munja_last_error()));
}

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_CALL_H_
