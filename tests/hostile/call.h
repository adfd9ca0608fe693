// Judges a call of the C interface.
#ifndef MUNJA_TESTS_HOSTILE_CALL_H_
#define MUNJA_TESTS_HOSTILE_CALL_H_

#include <string>

#include "driver.h"
#include "munja/control.h"
#include "munja/types.h"

namespace munja::hostile {

inline std::string Judge(munja_status status) {
  if (status == MUNJA_OK) return "";
  return Judge(status == MUNJA_INTERNAL, std::string(munja_last_error()));
}

// All calls of this thread have half of the memory that a case may take while
// it lives: what does not count against it shows.
class Limit {
 public:
  explicit Limit(int64_t case_mib) {
    munja_control_options options = {};
    options.struct_size = sizeof(options);
    options.max_memory = case_mib << 19;
    if (munja_control_create(&options, &control_) == MUNJA_OK)
      munja_control_bind(control_);
  }
  ~Limit() {
    munja_control_bind(nullptr);
    munja_control_free(control_);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  munja_control* control_ = nullptr;
};

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_CALL_H_
