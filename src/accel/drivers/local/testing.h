// Cases: small ones by hand, and random models: what one driver makes of them
// against what another does.
#ifndef MUNJA_DRIVERS_LOCAL_TESTING_H_
#define MUNJA_DRIVERS_LOCAL_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hal/cases.h"
#include "hal/device.h"

namespace munja::drivers::local {

// A case of one operation whose operands are all inputs, from rows "type dims
// values"; those of outputs come last.
struct OperandRow {
  int32_t type;
  nn::Dimensions dimensions;
  std::vector<double> values;
};
nn::Case CaseOf(int32_t operation, const std::vector<OperandRow>& inputs,
                const std::vector<OperandRow>& outputs);

enum class Numbers { kFloat32, kFloat16, kUnsigned8, kSigned8, kInt32AndBool };

// A model of up to `operations` operations, each of what came before, with
// inputs; the same for the same seed. Nothing is expected of it yet: its
// outputs are all values that no operation reads.
nn::Case RandomCase(Numbers numbers, uint32_t seed, int operations);

// Expects what `reference` makes of it. kInternal: it refuses the model.
Status ExpectWhat(const nn::Device& reference, nn::Case* example);

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_TESTING_H_
