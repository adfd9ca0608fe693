// Which device runs which operation of a model. Predicted cost decides;
// docs/explanation/accelerators.md has the formula and its numbers.
#ifndef MUNJA_HAL_MANAGER_PARTITION_H_
#define MUNJA_HAL_MANAGER_PARTITION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::nn {

// Predicted nanoseconds on this framework's CPU path.
inline constexpr double kProductsPerNs = 16.0;  // Multiply-accumulates.
inline constexpr double kBytesPerNs = 8.0;      // Read and written.
// Of handing one value to a device, or back; and of each request.
inline constexpr double kTransferredBytesPerNs = 4.0;
inline constexpr double kRequestNs = 20'000.0;

// Of an operation of the main subgraph, on the CPU. Unknown dimensions count
// as 1.
double WorkOf(const Model& model, const Operation& operation);

// What the device's capabilities say of the operation: time against the CPU's,
// by the type of its first tensor.
double TimeFactor(const munja_nn_capabilities& capabilities, const Model& model,
                  const Operation& operation);

// One that may run operations.
struct Candidate {
  std::vector<bool> supports;   // By operation.
  std::vector<double> factors;  // Likewise: time against the CPU's.
  // Its memory is that of the application and nothing is asked of a driver:
  // the CPU itself.
  bool is_at_hand = false;
};

// What one candidate runs in one go.
struct Step {
  int candidate = 0;
  std::vector<uint32_t> operations;  // In an order in which they can run.
};

// All operations, in steps that can run one after the other. kUnsupported:
// none of the candidates supports one of them.
Result<std::vector<Step>> PartitionModel(const Model& model,
                                         std::span<const Candidate> candidates);

// Steps for a given candidate of each operation: as few as one gets by staying
// with a candidate as long as it has something to do.
std::vector<Step> StepsOf(const Model& model, std::span<const int> assignment);

// Predicted nanoseconds of the steps.
double CostOf(const Model& model, std::span<const Candidate> candidates,
              std::span<const Step> steps);

}  // namespace munja::nn

#endif  // MUNJA_HAL_MANAGER_PARTITION_H_
