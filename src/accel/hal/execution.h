// The result of one request (munja_nn_result), owned.
#ifndef MUNJA_HAL_EXECUTION_H_
#define MUNJA_HAL_EXECUTION_H_

#include <cstdint>
#include <vector>

#include "hal/model.h"
#include "munja/driver.h"

namespace munja::hal {

struct OutputShape {
  bool is_sufficient = true;
  Dimensions dimensions;
};

struct Execution {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;  // munja_nn_status.
  std::vector<OutputShape> outputs;
  munja_nn_timing timing = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
};

inline bool IsStatus(int32_t status) {
  return status >= MUNJA_NN_NONE &&
         status <= MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT;
}

// Null: a failure.
Execution ReadResult(const munja_nn_result* result);
// Calls `executed` with the struct of this execution.
void ReportResult(const Execution& execution, munja_nn_executed executed,
                  void* user);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EXECUTION_H_
