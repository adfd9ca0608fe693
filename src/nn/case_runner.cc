#include "nn/case_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "nn/types.h"
#include "nn/validate.h"

namespace munja::nn {
namespace {

// What a device may assume of the beginning of each argument.
constexpr size_t kAlignment = 64;

// Memory of one pool, filled piece by piece.
class PoolMemory {
 public:
  Location Add(uint32_t pool, size_t bytes) {
    const size_t offset = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return {pool, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)};
  }
  // After the last Add.
  Memory Make() {
    memory_.resize(std::max(bytes_, kAlignment));
    Memory memory;
    memory.data = memory_.data();
    memory.bytes = memory_.size();
    return memory;
  }
  uint8_t* At(const Location& at) { return memory_.data() + at.offset; }

 private:
  size_t bytes_ = 0;
  std::vector<uint8_t> memory_;
};

Outcome Failed(const Case& example, std::string reason) {
  if (example.expects_failure) return {};
  return {Verdict::kFailed, std::move(reason)};
}

Outcome Execute(const PreparedModel& prepared, const Case& example) {
  Request request;
  PoolMemory inputs, outputs;
  for (const auto& input : example.inputs) {
    Argument& argument = request.inputs.emplace_back();
    argument.has_no_value = !input.has_value();
    if (input) argument.location = inputs.Add(0, input->size());
  }
  for (const Expected& output : example.outputs)
    // An output that is not looked at may come without values.
    request.outputs.emplace_back().location = outputs.Add(
        1, output.is_ignored
               ? SizeOf(output.type, output.dimensions).value_or(0)
               : output.values.size() * FindType(output.type)->bytes);
  request.pools = {inputs.Make(), outputs.Make()};
  for (size_t i = 0; i < example.inputs.size(); ++i)
    if (example.inputs[i])
      std::ranges::copy(*example.inputs[i],
                        inputs.At(request.inputs[i].location));
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  const Execution execution = prepared.Execute(request, options);
  if (execution.status != MUNJA_NN_NONE)
    return Failed(example, "the execution ends with status " +
                               std::to_string(execution.status));
  if (example.expects_failure)
    return {Verdict::kFailed, "runs, where a failure is expected"};
  std::vector<Output> results;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const Location& at = request.outputs[i].location;
    const uint8_t* bytes = outputs.At(at);
    results.push_back({execution.outputs.empty()
                           ? example.outputs[i].dimensions
                           : execution.outputs[i].dimensions,
                       {bytes, bytes + at.length}});
  }
  const std::string difference = Judge(example, results);
  if (difference.empty()) return {};
  return {Verdict::kFailed, difference};
}

}  // namespace

Outcome RunCase(const Device& device, const Case& example) {
  // What is of no version at all the driver is to refuse.
  if (CompliantWithV1_3(example.model) &&
      !CompliantWith(example.model, device.hal_version()))
    return {Verdict::kUnsupported, "the model is newer than the device"};
  const auto supported = device.SupportedOperations(example.model);
  if (!supported.ok())
    return Failed(example, std::string(supported.status().message()));
  for (size_t i = 0; i < supported->size(); ++i)
    if (!(*supported)[i])
      return {Verdict::kUnsupported,
              "operation " + std::to_string(i) + " is refused"};
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  options.priority = MUNJA_NN_PRIORITY_MEDIUM;
  const auto prepared = device.Prepare(example.model, options);
  if (!prepared.ok())
    return Failed(example, std::string(prepared.status().message()));
  return Execute(**prepared, example);
}

}  // namespace munja::nn
