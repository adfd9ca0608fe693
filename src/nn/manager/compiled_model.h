// CompiledModel: a model on one device or several, ready to run.
#ifndef MUNJA_NN_MANAGER_COMPILED_MODEL_H_
#define MUNJA_NN_MANAGER_COMPILED_MODEL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "nn/device.h"
#include "nn/manager/manager.h"
#include "nn/model.h"

namespace munja::nn {

// What a program asks of compiling and running, told to drivers as it is.
struct QualityOfService {
  int32_t preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  int32_t priority = MUNJA_NN_PRIORITY_MEDIUM;
  // For preparing, and for each run; 0: none.
  std::chrono::milliseconds compile_timeout{0}, run_timeout{0};
};

struct Bytes {
  void* data = nullptr;
  size_t size = 0;
};

class CompiledModel {
 public:
  static Result<std::unique_ptr<CompiledModel>> Compile(
      Model model, std::shared_ptr<ManagedDevice> device,
      const QualityOfService& service);

  // Any thread. Inputs and outputs in the model's order, all of known size.
  // What fails there is the device's failure, too.
  Status Execute(std::span<const Bytes> inputs,
                 std::span<const Bytes> outputs) const;

 private:
  CompiledModel() = default;
  Model model_;  // Its pools stay as long as what was prepared from it.
  std::shared_ptr<ManagedDevice> device_;
  std::unique_ptr<PreparedModel> prepared_;
  QualityOfService service_;
};

// From now on, in CLOCK_MONOTONIC; 0: none.
uint64_t DeadlineAfter(std::chrono::milliseconds timeout);

}  // namespace munja::nn

#endif  // MUNJA_NN_MANAGER_COMPILED_MODEL_H_
