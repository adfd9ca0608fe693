#include "transport/wire.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace munja::hal {
namespace {

void PutArguments(const std::vector<Argument>& arguments, ByteWriter& to) {
  to.Put(static_cast<uint32_t>(arguments.size()));
  for (const Argument& argument : arguments) {
    to.Put<uint8_t>(argument.has_no_value);
    PutLocation(argument.location, to);
    to.PutList(argument.dimensions);
  }
}

std::vector<Argument> GetArguments(ByteReader& from) {
  std::vector<Argument> arguments;
  const uint32_t count = from.GetCount(21);
  for (uint32_t i = 0; i < count && from.ok(); ++i) {
    Argument& argument = arguments.emplace_back();
    argument.has_no_value = from.GetFlag();
    argument.location = GetLocation(from);
    argument.dimensions = from.GetList<uint32_t>();
  }
  return arguments;
}

void PutPerformance(const munja_nn_performance& performance, ByteWriter& to) {
  to.Put(performance.time);
  to.Put(performance.power);
}

munja_nn_performance GetPerformance(ByteReader& from) {
  munja_nn_performance performance = {};
  performance.time = from.Get<float>();
  performance.power = from.Get<float>();
  return performance;
}

bool IsPerformance(const munja_nn_performance& performance) {
  return std::isfinite(performance.time) && performance.time >= 0 &&
         std::isfinite(performance.power) && performance.power >= 0;
}

// Printable names.
bool IsName(const std::string& text) {
  return !text.empty() && text.size() <= 256 &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

void PutRequest(const WireRequest& request, ByteWriter& to) {
  PutArguments(request.inputs, to);
  PutArguments(request.outputs, to);
  to.Put(static_cast<uint32_t>(request.pools.size()));
  for (const WirePool& pool : request.pools) {
    to.Put<uint8_t>(pool.is_buffer);
    to.Put(pool.id);
    to.Put(pool.bytes);
  }
  to.Put<uint8_t>(request.options.measure);
  to.Put(request.options.deadline_ns);
  to.Put(request.options.loop_timeout_ns);
}

WireRequest GetRequest(ByteReader& from) {
  WireRequest request;
  request.inputs = GetArguments(from);
  request.outputs = GetArguments(from);
  const uint32_t pools = from.GetCount(13);
  for (uint32_t i = 0; i < pools && from.ok(); ++i) {
    WirePool& pool = request.pools.emplace_back();
    pool.is_buffer = from.GetFlag();
    pool.id = from.Get<uint32_t>();
    pool.bytes = from.Get<uint64_t>();
  }
  request.options.measure = from.GetFlag();
  request.options.deadline_ns = from.Get<uint64_t>();
  request.options.loop_timeout_ns = from.Get<uint64_t>();
  return request;
}

void PutAnswer(const Execution& answer, ByteWriter& to) {
  to.Put(answer.status);
  to.Put(static_cast<uint32_t>(answer.outputs.size()));
  for (const OutputShape& output : answer.outputs) {
    to.Put<uint8_t>(output.is_sufficient);
    to.PutList(output.dimensions);
  }
  to.Put(answer.timing.on_device);
  to.Put(answer.timing.in_driver);
}

Execution GetAnswer(ByteReader& from) {
  Execution answer;
  answer.status = from.Get<int32_t>();
  const uint32_t outputs = from.GetCount(9);
  for (uint32_t i = 0; i < outputs && from.ok(); ++i) {
    OutputShape& output = answer.outputs.emplace_back();
    output.is_sufficient = from.GetFlag();
    output.dimensions = from.GetList<uint32_t>();
  }
  answer.timing.on_device = from.Get<uint64_t>();
  answer.timing.in_driver = from.Get<uint64_t>();
  return answer;
}

Status CheckAnswer(const Execution& answer, size_t outputs, bool measure) {
  if (!IsStatus(answer.status))
    return Malformed("there is no status " + std::to_string(answer.status));
  const bool is_short = answer.status == MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
  const bool may_have_shapes = is_short || answer.status == MUNJA_NN_NONE;
  if (!answer.outputs.empty() && !may_have_shapes)
    return Malformed("output shapes with a failure");
  if ((!answer.outputs.empty() || is_short) && answer.outputs.size() != outputs)
    return Malformed(std::to_string(answer.outputs.size()) +
                     " output shapes for " + std::to_string(outputs) +
                     " outputs");
  const bool all_sufficient = std::ranges::all_of(
      answer.outputs,
      [](const OutputShape& output) { return output.is_sufficient; });
  if (all_sufficient == is_short)
    return Malformed(is_short ? "an output did not fit, and none is named"
                              : "an output that did not fit, with success");
  const munja_nn_timing& timing = answer.timing;
  const bool is_timed = timing.on_device != MUNJA_NN_NO_TIME ||
                        timing.in_driver != MUNJA_NN_NO_TIME;
  if (is_timed && (!measure || answer.status != MUNJA_NN_NONE))
    return Malformed("durations where none belong");
  if (is_timed && timing.on_device != MUNJA_NN_NO_TIME &&
      timing.on_device > timing.in_driver)
    return Malformed("more time on the device than in the driver");
  return Status();
}

void PutDevice(const WireDevice& device, ByteWriter& to) {
  to.PutText(device.name);
  to.PutText(device.version_string);
  to.Put(device.type);
  to.Put(device.hal_version);
  PutPerformance(device.relaxed_scalar, to);
  PutPerformance(device.relaxed_tensor, to);
  PutPerformance(device.if_performance, to);
  PutPerformance(device.while_performance, to);
  to.Put(static_cast<uint32_t>(device.operands.size()));
  for (const WireDevice::TypePerformance& operand : device.operands) {
    to.Put(operand.type);
    PutPerformance(operand.performance, to);
  }
  to.Put(static_cast<uint32_t>(device.extensions.size()));
  for (const WireDevice::Extension& extension : device.extensions) {
    to.PutText(extension.name);
    to.Put(static_cast<uint32_t>(extension.types.size()));
    for (const WireDevice::ExtensionType& type : extension.types) {
      to.Put(type.type);
      to.Put(type.is_tensor);
      to.Put(type.element_bytes);
    }
  }
  to.Put(device.model_cache_files);
  to.Put(device.data_cache_files);
  to.Put<uint8_t>(device.has_status);
  to.Put<uint8_t>(device.has_cache);
  to.Put<uint8_t>(device.has_allocate);
  to.Put<uint8_t>(device.has_idle);
}

WireDevice GetDevice(ByteReader& from) {
  WireDevice device;
  device.name = from.GetText();
  device.version_string = from.GetText();
  device.type = from.Get<int32_t>();
  device.hal_version = from.Get<int32_t>();
  device.relaxed_scalar = GetPerformance(from);
  device.relaxed_tensor = GetPerformance(from);
  device.if_performance = GetPerformance(from);
  device.while_performance = GetPerformance(from);
  const uint32_t operands = from.GetCount(12);
  for (uint32_t i = 0; i < operands && from.ok(); ++i) {
    WireDevice::TypePerformance& operand = device.operands.emplace_back();
    operand.type = from.Get<int32_t>();
    operand.performance = GetPerformance(from);
  }
  const uint32_t extensions = from.GetCount(12);
  for (uint32_t i = 0; i < extensions && from.ok(); ++i) {
    WireDevice::Extension& extension = device.extensions.emplace_back();
    extension.name = from.GetText();
    const uint32_t types = from.GetCount(8);
    for (uint32_t k = 0; k < types && from.ok(); ++k) {
      WireDevice::ExtensionType& type = extension.types.emplace_back();
      type.type = from.Get<uint16_t>();
      type.is_tensor = from.Get<uint16_t>();
      type.element_bytes = from.Get<uint32_t>();
    }
  }
  device.model_cache_files = from.Get<uint32_t>();
  device.data_cache_files = from.Get<uint32_t>();
  device.has_status = from.GetFlag();
  device.has_cache = from.GetFlag();
  device.has_allocate = from.GetFlag();
  device.has_idle = from.GetFlag();
  return device;
}

Status CheckDevice(const WireDevice& device) {
  if (!IsName(device.name)) return Malformed("a device without a proper name");
  if (!IsName(device.version_string))
    return Malformed("a device without a proper version");
  if (device.type < MUNJA_NN_DEVICE_OTHER ||
      device.type > MUNJA_NN_DEVICE_ACCELERATOR)
    return Malformed("there is no type of devices " +
                     std::to_string(device.type));
  if (device.hal_version < MUNJA_NN_1_0)
    return Malformed("there is no version " +
                     std::to_string(device.hal_version));
  if (device.model_cache_files > MUNJA_NN_MAX_CACHE_FILES ||
      device.data_cache_files > MUNJA_NN_MAX_CACHE_FILES)
    return Malformed("more cache files than there may be");
  for (const munja_nn_performance* performance :
       {&device.relaxed_scalar, &device.relaxed_tensor, &device.if_performance,
        &device.while_performance})
    if (!IsPerformance(*performance))
      return Malformed("a performance that is not a number");
  std::set<int32_t> types;
  for (const WireDevice::TypePerformance& operand : device.operands) {
    if (!IsPerformance(operand.performance))
      return Malformed("a performance that is not a number");
    if (!types.insert(operand.type).second)
      return Malformed("two performances of one type");
  }
  for (const WireDevice::Extension& extension : device.extensions)
    if (!IsName(extension.name))
      return Malformed("an extension without a proper name");
  return Status();
}

}  // namespace munja::hal
