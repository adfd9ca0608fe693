// A driver in C++ (munja/driver.h): derive from Device and PreparedModel, say
// what is supported, prepare, execute; the tables of functions, callbacks and
// durations are made here. Header only, for drivers' own libraries.
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

// What an execution came to. Shapes: all outputs, or none where the request
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

// What never changes about a device.
struct Description {
  std::string name;            // "vendor-device"
  std::string version_string;  // Another for each build.
  int32_t type = MUNJA_NN_DEVICE_OTHER;
  int32_t hal_version = MUNJA_NN_1_3;
  // By type, ascending; `time` and `power` against the CPU.
  std::vector<munja_nn_operand_performance> performance;
};

class Device {
 public:
  virtual ~Device() = default;
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

// What `body` gives, or the status that stands for what it throws.
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
      if (read.subgraph_count == 0 || read.subgraphs == nullptr)
        return int32_t{MUNJA_NN_INVALID_ARGUMENT};
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
      if (model == nullptr || !is_known)
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

}  // namespace munja::driver

#endif  // MUNJA_DRIVER_HPP_
