// Assigns operations of a model to devices by predicted cost;
// docs/explanation/accelerators.md has the formula and its numbers.
#ifndef MUNJA_HAL_MANAGER_PARTITION_H_
#define MUNJA_HAL_MANAGER_PARTITION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::hal {

// Predicted nanoseconds on this framework's CPU path.
inline constexpr double kProductsPerNs = 16.0;  // Multiply-accumulates.
inline constexpr double kBytesPerNs = 8.0;      // Read and written.
// Cost of handing a value to a device or back, and of a request.
inline constexpr double kTransferredBytesPerNs = 4.0;
inline constexpr double kRequestNs = 20'000.0;

// Cost of an operation of the main subgraph on the CPU. Unknown dimensions
// count as 1.
double WorkOf(const Model& model, const Operation& operation);

// Relative time of the operation against the CPU, from the device's
// capabilities, by the type of its first tensor.
double TimeFactor(const munja_nn_capabilities& capabilities, const Model& model,
                  const Operation& operation);

// A device or the CPU that may run operations.
struct Candidate {
  std::vector<bool> supports;   // By operation.
  std::vector<double> factors;  // Relative time against the CPU.
  // Its memory is that of the application and nothing is asked of a driver:
  // the CPU itself.
  bool is_at_hand = false;
};

// Operations that one candidate runs in one request.
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

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_PARTITION_H_
