// A driver in C++ (munja/driver.h), header only: derive from Device and
// PreparedModel, answer four functions (Describe, SupportedOperations, Prepare,
// Execute), and end the library with MUNJA_DRIVER(YourDevice). Tables of
// functions, callbacks, durations and the checks of what comes from the other
// side are made here. docs/how-to/adding-a-driver.md goes through an example.
#ifndef MUNJA_DRIVER_HPP_
#define MUNJA_DRIVER_HPP_

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "munja/driver.h"

namespace munja::driver {

struct OutputShape {
  std::vector<uint32_t> dimensions;
  bool is_sufficient = true;
};

// The result of an execution. Shapes: all outputs, or none where the request
// knew them all.
struct Answer {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  std::vector<OutputShape> outputs;
};

// Made by Device::Prepare; executed by any thread, by several at once too.
class PreparedModel {
 public:
  virtual ~PreparedModel() = default;
  // Writes the outputs where the request says. What it throws is
  // MUNJA_NN_GENERAL_FAILURE, or MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT when
  // there is no memory; so it is for all functions here.
  virtual Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options& options) = 0;
};

// The properties of a device that never change.
struct Description {
  std::string name;            // "vendor-device"
  std::string version_string;  // Another for each build.
  int32_t type = MUNJA_NN_DEVICE_OTHER;
  int32_t hal_version = MUNJA_NN_1_3;
  // By type, ascending; `time` and `power` against the CPU.
  std::vector<munja_nn_operand_performance> performance;

  // float32 as it is, and relaxed; 0.5: in half of the CPU's time.
  void SetPerformance(int32_t operand_type, float time, float power) {
    performance.push_back({sizeof(munja_nn_operand_performance), operand_type,
                           munja_nn_performance{time, power}});
  }
};

// The main subgraph of a model in containers, for drivers of models without
// control flow. Constants point into the model, which may end after the call.
struct Operand {
  int32_t type = 0, lifetime = 0;
  std::vector<uint32_t>
      dimensions;  // 0: not known; none: a scalar, or unknown.
  float scale = 0.0f;
  int32_t zero_point = 0;
  const void* constant = nullptr;
  size_t constant_bytes = 0;

  // The number of elements if all dimensions are known; else 0.
  size_t elements() const {
    size_t count = dimensions.empty() ? 0 : 1;
    for (const uint32_t d : dimensions) count *= d;
    return count;
  }
};
struct Operation {
  int32_t type = 0;
  std::vector<uint32_t> inputs, outputs;
};
struct Graph {
  std::vector<Operand> operands;
  std::vector<Operation> operations;
  std::vector<uint32_t> inputs, outputs;
};

// An input or output of a request, in memory.
struct Argument {
  bool has_no_value = false;
  void* data = nullptr;
  size_t bytes = 0;
  std::vector<uint32_t> dimensions;  // None: as in the model.
};

// Models that a device receives are sound (internal::IsSound): users of
// ReadGraph() may trust indices, order and where constants lie. The device
// itself checks what operations and types mean.
class Device {
 public:
  virtual ~Device() = default;
  // Asked for once, at first; not at all where Export() is told.
  virtual Description Describe() { return {}; }
  // supported[i] of operation i of the main subgraph is 0 at first. A
  // munja_nn_status.
  virtual int32_t SupportedOperations(const munja_nn_model& model,
                                      uint8_t* supported) = 0;
  // Sets *prepared where it gives MUNJA_NN_NONE.
  virtual int32_t Prepare(const munja_nn_model& model,
                          const munja_nn_compilation_options& options,
                          std::unique_ptr<PreparedModel>* prepared) = 0;
  // munja_nn_device_status.
  virtual int32_t Status() { return MUNJA_NN_DEVICE_AVAILABLE; }
};

namespace internal {

// Fields that the other side does not know are 0.
template <class T>
T Read(const T* from) {
  T to = {};
  size_t size = 0;
  if (from != nullptr) std::memcpy(&size, from, sizeof size);
  if (size > sizeof to) size = sizeof to;
  if (size > 0) std::memcpy(static_cast<void*>(&to), from, size);
  return to;
}

// Element `index` of an array of structs, as long as the first one says.
template <class T>
T At(const T* array, size_t index) {
  size_t size = 0;
  std::memcpy(&size, array, sizeof size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(array);
  return Read(reinterpret_cast<const T*>(bytes + index * size));
}

// Where a constant lies; null: not inside of what the model has.
inline const void* ConstantOf(const munja_nn_model& model,
                              const munja_nn_operand& operand) {
  const munja_nn_location& at = operand.location;
  const void* memory = model.operand_values;
  uint64_t bytes = model.operand_value_bytes;
  if (operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE) {
    if (at.pool >= model.pool_count || model.pools == nullptr) return nullptr;
    const munja_nn_memory pool = At(model.pools, at.pool);
    memory = pool.data;
    bytes = pool.bytes;
  }
  if (memory == nullptr || uint64_t{at.offset} + at.length > bytes)
    return nullptr;
  return static_cast<const unsigned char*>(memory) + at.offset;
}

// Indices are of operands that there are, operands are read after they were
// written and written once, and constants lie inside the model's memory.
inline bool IsSound(const munja_nn_model& model,
                    const munja_nn_subgraph& subgraph) {
  if (subgraph.operands == nullptr && subgraph.operand_count > 0) return false;
  if (subgraph.operations == nullptr && subgraph.operation_count > 0)
    return false;
  const auto is_index_list = [&](const uint32_t* list, uint32_t count) {
    if (list == nullptr) return count == 0;
    for (uint32_t i = 0; i < count; ++i)
      if (list[i] >= subgraph.operand_count) return false;
    return true;
  };
  if (!is_index_list(subgraph.inputs, subgraph.input_count) ||
      !is_index_list(subgraph.outputs, subgraph.output_count))
    return false;
  std::vector<bool> is_known(subgraph.operand_count);
  for (uint32_t i = 0; i < subgraph.operand_count; ++i) {
    const munja_nn_operand operand = At(subgraph.operands, i);
    if (operand.rank > 0 && operand.dimensions == nullptr) return false;
    const bool is_constant = operand.lifetime == MUNJA_NN_CONSTANT_COPY ||
                             operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE;
    if (is_constant && ConstantOf(model, operand) == nullptr) return false;
    is_known[i] = operand.lifetime != MUNJA_NN_TEMPORARY_VARIABLE &&
                  operand.lifetime != MUNJA_NN_SUBGRAPH_OUTPUT;
  }
  for (uint32_t i = 0; i < subgraph.operation_count; ++i) {
    const munja_nn_operation operation = At(subgraph.operations, i);
    if (!is_index_list(operation.inputs, operation.input_count) ||
        !is_index_list(operation.outputs, operation.output_count))
      return false;
    for (uint32_t k = 0; k < operation.input_count; ++k)
      if (!is_known[operation.inputs[k]]) return false;
    for (uint32_t k = 0; k < operation.output_count; ++k) {
      if (is_known[operation.outputs[k]]) return false;
      is_known[operation.outputs[k]] = true;
    }
  }
  for (uint32_t k = 0; k < subgraph.output_count; ++k)
    if (!is_known[subgraph.outputs[k]]) return false;
  return true;
}
inline bool IsSound(const munja_nn_model& model) {
  if (model.subgraph_count == 0 || model.subgraphs == nullptr) return false;
  for (uint32_t i = 0; i < model.subgraph_count; ++i)
    if (!IsSound(model, At(model.subgraphs, i))) return false;
  return true;
}

// Returns the result of `body`, or the status that stands for what it throws.
template <class Body>
int32_t Guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  } catch (...) {
    return MUNJA_NN_GENERAL_FAILURE;
  }
}

struct ExportedModel {
  munja_nn_prepared_model table = {};
  std::unique_ptr<PreparedModel> model;

  static int32_t Execute(void* self, const munja_nn_request* request,
                         const munja_nn_execution_options* options,
                         munja_nn_executed executed, void* user) {
    const auto begin = std::chrono::steady_clock::now();
    const munja_nn_execution_options read = Read(options);
    Answer answer;
    std::vector<munja_nn_output_shape> shapes;
    answer.status = Guarded([&] {
      if (request == nullptr) return int32_t{MUNJA_NN_INVALID_ARGUMENT};
      answer = static_cast<ExportedModel*>(self)->model->Execute(Read(request),
                                                                 read);
      for (const OutputShape& output : answer.outputs)
        shapes.push_back({sizeof(munja_nn_output_shape),
                          output.is_sufficient ? 1 : 0,
                          static_cast<uint32_t>(output.dimensions.size()),
                          output.dimensions.data()});
      return answer.status;
    });
    const bool has_shapes = answer.status == MUNJA_NN_NONE ||
                            answer.status == MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
    munja_nn_result result = {};
    result.struct_size = sizeof result;
    result.status = answer.status;
    if (has_shapes) {
      result.output_count = static_cast<uint32_t>(shapes.size());
      result.outputs = shapes.data();
    }
    result.timing = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
    if (read.measure != 0 && answer.status == MUNJA_NN_NONE)
      result.timing.in_driver = static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::steady_clock::now() - begin)
              .count());
    if (executed != nullptr) executed(user, &result);
    return answer.status;
  }
  static void Release(void* self) { delete static_cast<ExportedModel*>(self); }
};

struct ExportedDevice {
  munja_nn_device table = {};
  munja_nn_capabilities capabilities = {};
  Description description;
  std::unique_ptr<Device> device;

  static int32_t Status(void* self) {
    auto* device = static_cast<ExportedDevice*>(self);
    int32_t status = MUNJA_NN_DEVICE_UNKNOWN;
    Guarded([&] {
      status = device->device->Status();
      return status;
    });
    return status;
  }
  static int32_t SupportedOperations(void* self, const munja_nn_model* model,
                                     uint8_t* supported) {
    return Guarded([&] {
      if (model == nullptr || supported == nullptr)
        return int32_t{MUNJA_NN_INVALID_ARGUMENT};
      const munja_nn_model read = Read(model);
      if (!IsSound(read)) return int32_t{MUNJA_NN_INVALID_ARGUMENT};
      std::memset(supported, 0, Read(read.subgraphs).operation_count);
      return static_cast<ExportedDevice*>(self)->device->SupportedOperations(
          read, supported);
    });
  }
  static int32_t Prepare(void* self, const munja_nn_model* model,
                         const munja_nn_compilation_options* options,
                         munja_nn_prepared prepared, void* user) {
    std::unique_ptr<ExportedModel> made;
    const int32_t status = Guarded([&] {
      const munja_nn_compilation_options read = Read(options);
      const bool is_known =
          read.preference >= MUNJA_NN_PREFER_LOW_POWER &&
          read.preference <= MUNJA_NN_PREFER_SUSTAINED_SPEED &&
          read.priority >= MUNJA_NN_PRIORITY_LOW &&
          read.priority <= MUNJA_NN_PRIORITY_HIGH;
      if (model == nullptr || !is_known || !IsSound(Read(model)))
        return int32_t{MUNJA_NN_INVALID_ARGUMENT};
      made = std::make_unique<ExportedModel>();
      const int32_t result =
          static_cast<ExportedDevice*>(self)->device->Prepare(Read(model), read,
                                                              &made->model);
      if (result == MUNJA_NN_NONE && made->model == nullptr)
        return int32_t{MUNJA_NN_GENERAL_FAILURE};
      return result;
    });
    if (status != MUNJA_NN_NONE) {
      if (prepared != nullptr) prepared(user, status, nullptr);
      return status;
    }
    made->table.struct_size = sizeof made->table;
    made->table.self = made.get();
    made->table.execute = ExportedModel::Execute;
    made->table.release = ExportedModel::Release;
    if (prepared != nullptr) prepared(user, status, &made.release()->table);
    return status;
  }
  static void Release(void* self) { delete static_cast<ExportedDevice*>(self); }
};

}  // namespace internal

inline Graph ReadGraph(const munja_nn_model& model) {
  const munja_nn_subgraph from = internal::Read(model.subgraphs);
  const auto list = [](const uint32_t* values, uint32_t count) {
    return count == 0 ? std::vector<uint32_t>()
                      : std::vector<uint32_t>(values, values + count);
  };
  Graph graph;
  for (uint32_t i = 0; i < from.operand_count; ++i) {
    const munja_nn_operand operand = internal::At(from.operands, i);
    Operand to;
    to.type = operand.type;
    to.lifetime = operand.lifetime;
    to.dimensions = list(operand.dimensions, operand.rank);
    to.scale = operand.scale;
    to.zero_point = operand.zero_point;
    if (operand.lifetime == MUNJA_NN_CONSTANT_COPY ||
        operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE) {
      to.constant = internal::ConstantOf(model, operand);
      to.constant_bytes = operand.location.length;
    }
    graph.operands.push_back(std::move(to));
  }
  for (uint32_t i = 0; i < from.operation_count; ++i) {
    const munja_nn_operation operation = internal::At(from.operations, i);
    graph.operations.push_back(
        {operation.type, list(operation.inputs, operation.input_count),
         list(operation.outputs, operation.output_count)});
  }
  graph.inputs = list(from.inputs, from.input_count);
  graph.outputs = list(from.outputs, from.output_count);
  return graph;
}

// All inputs, or all outputs, of a request; false: there is another number of
// them than `count`, or one does not lie inside a pool of memory. What is
// mapped for reading may hold other bytes at each look.
inline bool ReadArguments(const munja_nn_request& request, bool are_outputs,
                          size_t count, std::vector<Argument>* arguments) {
  const munja_nn_argument* from =
      are_outputs ? request.outputs : request.inputs;
  if (count != (are_outputs ? request.output_count : request.input_count) ||
      (count > 0 && from == nullptr))
    return false;
  for (size_t i = 0; i < count; ++i) {
    const munja_nn_argument argument = internal::At(from, i);
    Argument to;
    to.has_no_value = argument.has_no_value != 0;
    if (argument.rank > 0) {
      if (argument.dimensions == nullptr) return false;
      to.dimensions.assign(argument.dimensions,
                           argument.dimensions + argument.rank);
    }
    if (!to.has_no_value) {
      const munja_nn_location& at = argument.location;
      if (at.pool >= request.pool_count || request.pools == nullptr)
        return false;
      const munja_nn_memory pool = internal::At(request.pools, at.pool);
      if (pool.data == nullptr || uint64_t{at.offset} + at.length > pool.bytes)
        return false;
      to.data = static_cast<unsigned char*>(pool.data) + at.offset;
      to.bytes = at.length;
    }
    arguments->push_back(std::move(to));
  }
  return true;
}

// The table of a device, which is released by its own function.
inline munja_nn_device* Export(std::unique_ptr<Device> device,
                               Description description) {
  auto made = std::make_unique<internal::ExportedDevice>();
  made->description = std::move(description);
  made->device = std::move(device);
  const Description& of = made->description;
  made->capabilities.struct_size = sizeof made->capabilities;
  made->capabilities.relaxed_scalar = made->capabilities.relaxed_tensor =
      made->capabilities.if_performance =
          made->capabilities.while_performance = {1.0f, 1.0f};
  made->capabilities.operands = of.performance.data();
  made->capabilities.operand_count =
      static_cast<uint32_t>(of.performance.size());
  munja_nn_device& table = made->table;
  table.struct_size = sizeof table;
  table.self = made.get();
  table.name = of.name.c_str();
  table.version_string = of.version_string.c_str();
  table.type = of.type;
  table.hal_version = of.hal_version;
  table.capabilities = &made->capabilities;
  table.status = internal::ExportedDevice::Status;
  table.supported_operations = internal::ExportedDevice::SupportedOperations;
  table.prepare = internal::ExportedDevice::Prepare;
  table.release = internal::ExportedDevice::Release;
  return &made.release()->table;
}

inline munja_nn_device* Export(std::unique_ptr<Device> device) {
  Description description = device->Describe();
  return Export(std::move(device), std::move(description));
}

// The driver of one kind of device; host: what the framework offers.
template <class T>
const munja_nn_driver* DriverOf(const munja_nn_host* host) {
  static const munja_nn_host* kept = nullptr;
  kept = host;
  static const munja_nn_driver driver = {
      sizeof(munja_nn_driver), MUNJA_DRIVER_ABI, 1, nullptr,
      [](void*, uint32_t index, munja_nn_device** device) {
        return internal::Guarded([&]() -> int32_t {
          if (index != 0 || device == nullptr) return MUNJA_NN_INVALID_ARGUMENT;
          *device = Export(std::make_unique<T>(kept));
          return MUNJA_NN_NONE;
        });
      }};
  return &driver;
}

}  // namespace munja::driver

// The one function of a library whose device is T(const munja_nn_host*), at the
// end of one of its files.
#define MUNJA_DRIVER(T)                                                    \
  extern "C" __attribute__((visibility("default"))) const munja_nn_driver* \
  munja_driver_entry(const munja_nn_host* munja_host) {                    \
    return ::munja::driver::DriverOf<T>(munja_host);                       \
  }                                                                        \
  static_assert(true, "a semicolon follows")

#endif  // MUNJA_DRIVER_HPP_
