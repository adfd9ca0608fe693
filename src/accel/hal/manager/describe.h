// Descriptions of devices, for users and programs.
#ifndef MUNJA_HAL_MANAGER_DESCRIBE_H_
#define MUNJA_HAL_MANAGER_DESCRIBE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hal/device.h"
#include "hal/manager/manager.h"

namespace munja::hal {

// By operation, the types of tensors that the device takes it with: asked with
// one small model each, so that an operation that is refused for its sizes or
// values only may be missing.
std::map<int32_t, std::vector<int32_t>> SupportedTypes(const Device& device);

// JSON: docs/explanation/accelerators.md lists the fields.
std::string Describe(const Manager::Found& found);

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_DESCRIBE_H_
