// Cases for tests: small ones by hand, and random models whose results on one
// device are compared with those on another.
#ifndef MUNJA_HAL_EVAL_TESTING_H_
#define MUNJA_HAL_EVAL_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hal/cases.h"
#include "hal/device.h"

namespace munja::hal {

// A case of one operation whose operands are all inputs, from rows "type dims
// values"; those of outputs come last.
struct OperandRow {
  int32_t type;
  Dimensions dimensions;
  std::vector<double> values;
};
Case CaseOf(int32_t operation, const std::vector<OperandRow>& inputs,
            const std::vector<OperandRow>& outputs);

enum class Numbers { kFloat32, kFloat16, kUnsigned8, kSigned8, kInt32AndBool };

// A model of up to `operations` operations on earlier values, with inputs; the
// same for the same seed. Its outputs are the values that no operation reads;
// their expected values are still missing.
Case RandomCase(Numbers numbers, uint32_t seed, int operations);

// Sets the expected values to the results of `reference`. kInternal: it refuses
// the model.
Status SetExpected(const Device& reference, Case* example);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EVAL_TESTING_H_
