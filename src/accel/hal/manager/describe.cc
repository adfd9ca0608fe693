#include "hal/manager/describe.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "hal/c_structs.h"
#include "hal/operations.h"
#include "hal/types.h"
#include "hal/validate.h"

namespace munja::hal {
namespace {

using Ordered = nlohmann::ordered_json;

// The scale that the HAL prescribes for the output, or one that suits most.
float OutputScale(int32_t operation) {
  switch (operation) {
    case MUNJA_NN_LOGISTIC:
    case MUNJA_NN_SOFTMAX:
      return 1.0f / 256.0f;
    case MUNJA_NN_TANH:
    case MUNJA_NN_L2_NORMALIZATION:
      return 1.0f / 128.0f;
    default:
      return 0.5f;
  }
}

// One operation, all of whose tensors have one element.
Model Example(const Signature& signature) {
  Model model;
  Subgraph& sub = model.subgraphs.emplace_back();
  Operation operation;
  operation.type = signature.type;
  const auto add = [&](const Signature::Place& of, bool is_output,
                       size_t place) {
    const int32_t type = of.type;
    const auto index = static_cast<uint32_t>(sub.operands.size());
    const TypeRow& row = *FindType(type);
    Operand& operand = sub.operands.emplace_back();
    operand.type = type;
    if (row.is_tensor) operand.dimensions.assign(of.rank != 0 ? of.rank : 4, 1);
    if (row.scale == TypeRow::kPositive)
      operand.scale = is_output ? OutputScale(signature.type) : 0.5f;
    if (type == MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL)
      operand.channels = ChannelScales{0, {0.5f}};
    // A tensor of integers gives axes and sizes; next to bytes it is a bias.
    const bool is_first = !is_output && place == 0;
    if (type == MUNJA_NN_TENSOR_INT32 && type != signature.of) {
      operand.dimensions = {1};
      if (of.rank != 0) operand.dimensions.assign(of.rank, 1);
      const bool is_bias =
          !is_output && place == 2 && !is_first &&
          (signature.of == MUNJA_NN_TENSOR_QUANT8_ASYMM ||
           signature.of == MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED);
      if (is_bias) operand.scale = 0.25f;
    }
    if (is_output) {
      operand.lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
      sub.outputs.push_back(index);
      return operation.outputs.push_back(index);
    }
    operation.inputs.push_back(index);
    operand.consumers = 1;
    const bool is_value = !row.is_tensor || (type == MUNJA_NN_TENSOR_INT32 &&
                                             type != signature.of && !is_first);
    if (!is_value) {
      operand.lifetime = MUNJA_NN_SUBGRAPH_INPUT;
      return sub.inputs.push_back(index);
    }
    operand.lifetime = MUNJA_NN_CONSTANT_COPY;
    operand.location = {0, static_cast<uint32_t>(model.operand_values.size()),
                        row.bytes};
    // 1, where it is a number at all; float16 and float32 begin at 0.
    for (uint32_t b = 0; b < row.bytes; ++b)
      model.operand_values.push_back(
          b == 0 && (type == MUNJA_NN_INT32 || type == MUNJA_NN_TENSOR_INT32)
              ? 1
              : 0);
  };
  for (size_t i = 0; i < signature.inputs.size(); ++i)
    add(signature.inputs[i], false, i);
  for (size_t i = 0; i < signature.outputs.size(); ++i)
    add(signature.outputs[i], true, i);
  sub.operations.push_back(std::move(operation));
  return model;
}

// IF or WHILE on one float32 element, all of whose subgraphs do the least: the
// branches add it to itself, the condition compares it with itself.
Model ControlFlow(int32_t type) {
  constexpr int32_t kReal = MUNJA_NN_TENSOR_FLOAT32;
  constexpr int32_t kBool = MUNJA_NN_TENSOR_BOOL8;
  Model model;
  model.operand_values = {0, 0, 0, 0};  // No activation.
  const auto operand = [](int32_t of, int32_t lifetime, uint32_t consumers) {
    Operand made;
    made.type = of;
    made.lifetime = lifetime;
    made.consumers = consumers;
    if (of == kReal || of == kBool) made.dimensions = {1};
    return made;
  };
  const bool is_loop = type == MUNJA_NN_WHILE;
  Subgraph main;
  main.operands = {operand(kReal, MUNJA_NN_SUBGRAPH_INPUT, 1),
                   operand(kReal, MUNJA_NN_SUBGRAPH_OUTPUT, 0),
                   operand(MUNJA_NN_SUBGRAPH, MUNJA_NN_LIFETIME_SUBGRAPH, 1),
                   operand(MUNJA_NN_SUBGRAPH, MUNJA_NN_LIFETIME_SUBGRAPH, 1),
                   operand(kBool, MUNJA_NN_SUBGRAPH_INPUT, 1)};
  main.operands[3].location.offset = 1;
  main.inputs = {0, 4};
  main.outputs = {1};
  if (is_loop) {
    main.operations = {{type, {2, 3, 0}, {1}}};
    main.operands.pop_back();
    main.inputs = {0};
  } else {
    main.operations = {{type, {4, 2, 3, 0}, {1}}};
  }
  Subgraph sum;
  sum.operands = {operand(kReal, MUNJA_NN_SUBGRAPH_INPUT, 2),
                  operand(MUNJA_NN_INT32, MUNJA_NN_CONSTANT_COPY, 1),
                  operand(kReal, MUNJA_NN_SUBGRAPH_OUTPUT, 0)};
  sum.operands[1].location = {0, 0, 4};
  sum.operations = {{MUNJA_NN_ADD, {0, 0, 1}, {2}}};
  sum.inputs = {0};
  sum.outputs = {2};
  Subgraph condition;
  condition.operands = {operand(kReal, MUNJA_NN_SUBGRAPH_INPUT, 2),
                        operand(kBool, MUNJA_NN_SUBGRAPH_OUTPUT, 0)};
  condition.operations = {{MUNJA_NN_LESS, {0, 0}, {1}}};
  condition.inputs = {0};
  condition.outputs = {1};
  model.subgraphs = {main, is_loop ? condition : sum, sum};
  return model;
}

Ordered ToJson(const munja_nn_performance& performance) {
  return {{"time", performance.time}, {"power", performance.power}};
}

std::string VersionText(int32_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

const char* TypeText(int32_t type) {
  static constexpr const char* kNames[] = {"other", "cpu", "gpu",
                                           "accelerator"};
  return type >= MUNJA_NN_DEVICE_OTHER && type <= MUNJA_NN_DEVICE_ACCELERATOR
             ? kNames[type - MUNJA_NN_DEVICE_OTHER]
             : "unknown";
}

const char* StatusText(const munja_nn_device& table) {
  static constexpr const char* kNames[] = {"available", "busy", "offline"};
  const int32_t status = table.status == nullptr ? MUNJA_NN_DEVICE_AVAILABLE
                                                 : table.status(table.self);
  return status >= MUNJA_NN_DEVICE_AVAILABLE &&
                 status <= MUNJA_NN_DEVICE_OFFLINE
             ? kNames[status]
             : "unknown";
}

Ordered Describe(const ManagedDevice& managed) {
  const Device& device = managed.device();
  const munja_nn_device& table = device.table();
  const munja_nn_capabilities capabilities = ReadStruct(table.capabilities);
  Ordered performance;
  for (uint32_t i = 0; i < capabilities.operand_count; ++i) {
    const auto row = ReadElement(capabilities.operands, i);
    performance[TypeName(row.type)] = ToJson(row.performance);
  }
  performance["relaxed scalar"] = ToJson(capabilities.relaxed_scalar);
  performance["relaxed tensor"] = ToJson(capabilities.relaxed_tensor);
  performance["IF"] = ToJson(capabilities.if_performance);
  performance["WHILE"] = ToJson(capabilities.while_performance);
  Ordered extensions = Ordered::array();
  for (uint32_t i = 0; i < table.extension_count; ++i) {
    const auto extension = ReadElement(table.extensions, i);
    extensions.push_back(extension.name == nullptr ? "" : extension.name);
  }
  Ordered operations = Ordered::object();
  for (const auto& [operation, types] : SupportedTypes(device)) {
    Ordered names = Ordered::array();
    for (const int32_t type : types) names.push_back(TypeName(type));
    operations[OperationName(operation)] = std::move(names);
  }
  return {{"name", managed.name()},
          {"device", device.name()},
          {"version", table.version_string},
          {"type", TypeText(table.type)},
          {"hal_version", VersionText(table.hal_version)},
          {"source", managed.source()},
          {"status", StatusText(table)},
          {"model_cache_files", table.model_cache_files},
          {"data_cache_files", table.data_cache_files},
          {"allocates_memory", table.allocate != nullptr},
          {"extensions", std::move(extensions)},
          {"performance", std::move(performance)},
          {"operations", std::move(operations)}};
}

}  // namespace

std::map<int32_t, std::vector<int32_t>> SupportedTypes(const Device& device) {
  std::map<int32_t, std::vector<int32_t>> supported;
  for (const Signature& signature : Signatures()) {
    if (signature.version > device.hal_version()) continue;
    const Model model = Example(signature);
    if (!ValidateModel(model,
                       std::min(device.hal_version(), int32_t{MUNJA_NN_1_3}))
             .ok())
      continue;
    const auto answer = device.SupportedOperations(model);
    if (!answer.ok() || answer->empty() || !answer->front()) continue;
    std::vector<int32_t>& types = supported[signature.type];
    if (std::ranges::find(types, signature.of) == types.end())
      types.push_back(signature.of);
  }
  for (const int32_t type : {MUNJA_NN_IF, MUNJA_NN_WHILE}) {
    if (device.hal_version() < MUNJA_NN_1_3) break;
    const auto answer = device.SupportedOperations(ControlFlow(type));
    if (answer.ok() && !answer->empty() && answer->front())
      supported[type].push_back(MUNJA_NN_TENSOR_FLOAT32);
  }
  return supported;
}

std::string Describe(const Manager::Found& found) {
  Ordered devices = Ordered::array();
  for (const auto& device : found.devices) devices.push_back(Describe(*device));
  const Ordered all = {{"devices", std::move(devices)},
                       {"problems", found.problems}};
  return all.dump(2, ' ', false, Ordered::error_handler_t::replace);
}

}  // namespace munja::hal
