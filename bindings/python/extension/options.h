// Options that engines and sessions have in common.
#ifndef MUNJA_PYTHON_OPTIONS_H_
#define MUNJA_PYTHON_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "binding.h"

namespace munja_python {

// The name of an accelerator, and its options.
using DeviceOption =
    std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;

// "", "fp32", "fp16" or "mixed".
munja_precision PrecisionOf(const std::string& name);
std::vector<munja::Device> DevicesOf(const std::vector<DeviceOption>& devices);

}  // namespace munja_python

#endif  // MUNJA_PYTHON_OPTIONS_H_
