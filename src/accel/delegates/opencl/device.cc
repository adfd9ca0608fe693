#include "delegates/opencl/device.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/fork.h"

namespace munja::delegates::opencl {
namespace {

std::string Text(const auto& get) {
  size_t size = 0;
  if (get(0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (get(size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string PlatformText(const ClApi& api, cl_platform_id platform,
                         cl_platform_info what) {
  return Text([&](size_t size, void* value, size_t* needed) {
    return api.clGetPlatformInfo(platform, what, size, value, needed);
  });
}

std::string DeviceText(const ClApi& api, cl_device_id device,
                       cl_device_info what) {
  return Text([&](size_t size, void* value, size_t* needed) {
    return api.clGetDeviceInfo(device, what, size, value, needed);
  });
}

template <class T>
T DeviceNumber(const ClApi& api, cl_device_id device, cl_device_info what) {
  T value{};
  if (api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) !=
      CL_SUCCESS)
    return T{};
  return value;
}

bool HasWord(const std::string& list, std::string_view word) {
  return (" " + list + " ").find(" " + std::string(word) + " ") !=
         std::string::npos;
}

DeviceInfo Ask(const ClApi& api, cl_platform_id platform, cl_device_id id) {
  DeviceInfo info;
  info.platform = PlatformText(api, platform, CL_PLATFORM_NAME);
  info.platform_version = PlatformText(api, platform, CL_PLATFORM_VERSION);
  info.name = DeviceText(api, id, CL_DEVICE_NAME);
  info.vendor = DeviceText(api, id, CL_DEVICE_VENDOR);
  info.version = DeviceText(api, id, CL_DEVICE_VERSION);
  info.driver = DeviceText(api, id, CL_DRIVER_VERSION);
  info.profile = DeviceText(api, id, CL_DEVICE_PROFILE);
  const auto type = DeviceNumber<cl_device_type>(api, id, CL_DEVICE_TYPE);
  info.type = (type & CL_DEVICE_TYPE_GPU) != 0           ? "gpu"
              : (type & CL_DEVICE_TYPE_CPU) != 0         ? "cpu"
              : (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? "accelerator"
                                                         : "other";
  info.global_memory =
      DeviceNumber<cl_ulong>(api, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_allocation =
      DeviceNumber<cl_ulong>(api, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_memory = DeviceNumber<cl_ulong>(api, id, CL_DEVICE_LOCAL_MEM_SIZE);
  info.max_work_group =
      DeviceNumber<size_t>(api, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.compute_units =
      DeviceNumber<cl_uint>(api, id, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.clock_mhz =
      DeviceNumber<cl_uint>(api, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  info.is_available =
      DeviceNumber<cl_bool>(api, id, CL_DEVICE_AVAILABLE) == CL_TRUE;
  info.has_compiler =
      DeviceNumber<cl_bool>(api, id, CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE;
  info.has_images =
      DeviceNumber<cl_bool>(api, id, CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE;
  info.shares_memory =
      DeviceNumber<cl_bool>(api, id, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  const std::string extensions = DeviceText(api, id, CL_DEVICE_EXTENSIONS);
  info.has_fp16 = HasWord(extensions, "cl_khr_fp16");
  info.has_subgroups = HasWord(extensions, "cl_khr_subgroups") ||
                       HasWord(extensions, "cl_intel_subgroups");
  return info;
}

// Graphics processors first, then what computes most at once. Clocks of
// different makers cannot be compared, but there is nothing better to ask.
std::pair<int, uint64_t> StrengthOf(const DeviceInfo& info) {
  const int kind = info.type == "gpu" ? 2 : info.type == "accelerator" ? 1 : 0;
  return {kind,
          uint64_t{info.compute_units} * std::max<uint64_t>(info.clock_mhz, 1)};
}

std::string OptionsOf(Variant variant) {
  return std::string("-cl-mad-enable") +
         (variant.is_half ? " -DMUNJA_HALF" : "") +
         (variant.has_byte_weights ? " -DMUNJA_BYTES" : "") +
         (variant.math == Math::kFloat ? "" : " -DMUNJA_HALF_MATH") +
         (variant.math == Math::kEmulated ? " -DMUNJA_HALF_EMULATED" : "") +
         (variant.group == kGroupSize
              ? ""
              : " -DMUNJA_GROUP=" + std::to_string(variant.group));
}

// Devices that were opened, by platform and identifier. Never destroyed:
// drivers' threads go on to the end of the process.
struct OpenedDevices {
  ForkSafeMutex<> mutex;
  std::map<std::pair<unsigned, cl_device_id>, std::shared_ptr<Device>> devices;
};
std::unique_ptr<OpenedDevices> MakeOpenedDevices() {
  return std::make_unique<OpenedDevices>();
}

}  // namespace

Result<std::vector<FoundDevice>> FindDevices() {
  MUNJA_ASSIGN_OR_RETURN(const ClApi* const api, OpenCl());
  cl_uint count = 0;
  MUNJA_RETURN_IF_ERROR(ClStatus(api->clGetPlatformIDs(0, nullptr, &count),
                                 "there is no OpenCL platform: "
                                 "clGetPlatformIDs"));
  std::vector<cl_platform_id> platforms(count);
  MUNJA_RETURN_IF_ERROR(
      ClStatus(api->clGetPlatformIDs(count, platforms.data(), nullptr),
               "clGetPlatformIDs"));
  std::vector<FoundDevice> found;
  for (const cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    if (api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr,
                            &devices) != CL_SUCCESS)
      continue;  // A platform without a device says CL_DEVICE_NOT_FOUND.
    std::vector<cl_device_id> ids(devices);
    if (api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(),
                            nullptr) != CL_SUCCESS)
      continue;
    for (const cl_device_id id : ids)
      found.push_back({platform, id, Ask(*api, platform, id)});
  }
  if (found.empty())
    return Unavailable(
        "OpenCL is there, but no device: the driver of the "
        "graphics processor may not be installed");
  return found;
}

std::string DescribeDevices() {
  nlohmann::ordered_json all;
  all["devices"] = nlohmann::ordered_json::array();
  all["problem"] = "";
  const auto found = FindDevices();
  if (!found.ok()) {
    all["problem"] = std::string(found.status().message());
  } else {
    for (size_t i = 0; i < found->size(); ++i) {
      const DeviceInfo& d = (*found)[i].info;
      all["devices"].push_back({{"name", "opencl:" + std::to_string(i)},
                                {"device", d.name},
                                {"vendor", d.vendor},
                                {"platform", d.platform},
                                {"platform_version", d.platform_version},
                                {"version", d.version},
                                {"driver", d.driver},
                                {"profile", d.profile},
                                {"type", d.type},
                                {"is_available", d.is_available},
                                {"has_compiler", d.has_compiler},
                                {"images", d.has_images},
                                {"fp16", d.has_fp16},
                                {"subgroups", d.has_subgroups},
                                {"shares_memory", d.shares_memory},
                                {"memory_bytes", d.global_memory},
                                {"max_allocation_bytes", d.max_allocation},
                                {"local_memory_bytes", d.local_memory},
                                {"max_work_group", d.max_work_group},
                                {"compute_units", d.compute_units},
                                {"clock_mhz", d.clock_mhz}});
    }
  }
  // Drivers may name themselves in bytes that are no UTF-8.
  return all.dump(-1, ' ', false,
                  nlohmann::ordered_json::error_handler_t::replace);
}

std::string Device::Identity() const {
  const DeviceInfo& d = found_.info;
  return d.platform + "\n" + d.platform_version + "\n" + d.name + "\n" +
         d.vendor + "\n" + d.version + "\n" + d.driver + "\n";
}

Status Device::Open() {
  if (queue_ != nullptr) return Status();
  if (!found_.info.is_available || !found_.info.has_compiler)
    return Unavailable("the device " + found_.info.name +
                       " is not available, or has no compiler");
  if (found_.info.max_work_group < kGroupSize)
    return Unsupported("the device " + found_.info.name +
                       " has work-groups of at most " +
                       std::to_string(found_.info.max_work_group));
  cl_int error = CL_SUCCESS;
  if (context_ == nullptr) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM,
        reinterpret_cast<cl_context_properties>(found_.platform), 0};
    const cl_context context = api_.clCreateContext(properties, 1, &found_.id,
                                                    nullptr, nullptr, &error);
    MUNJA_RETURN_IF_ERROR(ClStatus(error, "clCreateContext"));
    context_ = context;
  }
  const cl_command_queue queue = api_.clCreateCommandQueue(
      context_, found_.id, CL_QUEUE_PROFILING_ENABLE, &error);
  MUNJA_RETURN_IF_ERROR(ClStatus(error, "clCreateCommandQueue"));
  queue_ = queue;
  return Status();
}

Result<cl_program> Device::Build(cl_program program,
                                 const std::string& options) {
  const cl_int error = api_.clBuildProgram(program, 1, &found_.id,
                                           options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  std::string log = Text([&](size_t size, void* value, size_t* needed) {
    return api_.clGetProgramBuildInfo(program, found_.id, CL_PROGRAM_BUILD_LOG,
                                      size, value, needed);
  });
  api_.clReleaseProgram(program);
  constexpr size_t kMaxLog = 600;
  if (log.size() > kMaxLog) log = log.substr(0, kMaxLog) + " ...";
  return Unavailable("the driver does not compile a kernel: " +
                     ClErrorName(error) + (log.empty() ? "" : ": " + log));
}

Result<Device::Built*> Device::Program(Family family, Variant variant,
                                       const KernelCache& cache) {
  const std::pair slot(family, variant);
  const auto found = programs_.find(slot);
  if (found != programs_.end()) return &found->second;
  const std::string source = Preamble() + SourceOf(family);
  const std::string options = OptionsOf(variant);
  const std::string key = Identity() + options + "\n" + source;
  if (auto binary = cache.Load(key); binary.ok()) {
    const auto line_end = std::ranges::find(*binary, uint8_t{'\n'});
    std::set<std::string> kernels;
    for (auto at = binary->begin(); at < line_end;) {
      const auto end = std::find(at, line_end, uint8_t{' '});
      kernels.emplace(at, end);
      at = end == line_end ? end : end + 1;
    }
    const unsigned char* data = binary->data() + (line_end - binary->begin());
    size_t size = static_cast<size_t>(binary->end() - line_end);
    if (size > 0) {
      ++data;
      --size;
    }
    cl_int error = CL_SUCCESS, status = CL_SUCCESS;
    const cl_program program = api_.clCreateProgramWithBinary(
        context_, 1, &found_.id, &size, &data, &status, &error);
    if (error == CL_SUCCESS && status == CL_SUCCESS) {
      auto built = Build(program, options);
      if (built.ok()) {
        const size_t kept = kernels.size();
        programs_[slot] = {*built, key, std::move(kernels), kept};
        return &programs_[slot];
      }
    }
    cache.Remove(key);  // The driver does not take it any more.
  }
  const char* text = source.c_str();
  const size_t length = source.size();
  cl_int error = CL_SUCCESS;
  const cl_program program =
      api_.clCreateProgramWithSource(context_, 1, &text, &length, &error);
  MUNJA_RETURN_IF_ERROR(ClStatus(error, "clCreateProgramWithSource"));
  MUNJA_ASSIGN_OR_RETURN(const cl_program built, Build(program, options));
  programs_[slot] = {built, key, {}, 0};
  return &programs_[slot];
}

void Device::SavePrograms(const KernelCache& cache) {
  if (!cache.is_used()) return;
  for (auto& [slot, built] : programs_) {
    if (built.kept == built.kernels.size()) continue;
    built.kept = built.kernels.size();
    size_t size = 0;
    if (api_.clGetProgramInfo(built.program, CL_PROGRAM_BINARY_SIZES,
                              sizeof size, &size, nullptr) != CL_SUCCESS ||
        size == 0)
      continue;
    std::vector<uint8_t> binary;
    for (const std::string& kernel : built.kernels) {
      if (!binary.empty()) binary.push_back(' ');
      binary.insert(binary.end(), kernel.begin(), kernel.end());
    }
    binary.push_back('\n');
    const size_t names = binary.size();
    binary.resize(names + size);
    unsigned char* data = binary.data() + names;
    if (api_.clGetProgramInfo(built.program, CL_PROGRAM_BINARIES, sizeof data,
                              &data, nullptr) == CL_SUCCESS)
      cache.Save(built.key, binary);
  }
}

Result<cl_kernel> Device::MakeKernel(Family family, const char* name,
                                     Variant variant,
                                     const KernelCache& cache) {
  MUNJA_ASSIGN_OR_RETURN(Built* const built, Program(family, variant, cache));
  cl_int error = CL_SUCCESS;
  const cl_kernel kernel = api_.clCreateKernel(built->program, name, &error);
  built->kernels.insert(name);
  if (error != CL_SUCCESS)
    return Unavailable(std::string("kernel ") + name + ": " +
                       ClErrorName(error));
  size_t most = 0;
  if (api_.clGetKernelWorkGroupInfo(kernel, found_.id,
                                    CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                    &most, nullptr) == CL_SUCCESS &&
      most < static_cast<size_t>(variant.group)) {
    api_.clReleaseKernel(kernel);
    return Unsupported(std::string("kernel ") + name +
                       " runs in work-groups of at most " +
                       std::to_string(most) + " on this device");
  }
  return kernel;
}

Result<std::shared_ptr<Device>> GetDevice(std::string_view wanted,
                                          bool is_private) {
  MUNJA_ASSIGN_OR_RETURN(const ClApi* const api, OpenCl());
  MUNJA_ASSIGN_OR_RETURN(std::vector<FoundDevice> found, FindDevices());
  const FoundDevice* chosen = nullptr;
  size_t number = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [stop, error] = std::from_chars(wanted.data(), end, number);
  if (wanted.empty()) {
    chosen = &*std::ranges::max_element(
        found, {}, [](const FoundDevice& d) { return StrengthOf(d.info); });
  } else if (error == std::errc() && stop == end) {
    if (number < found.size()) chosen = &found[number];
  } else {
    for (const FoundDevice& d : found)
      if (chosen == nullptr &&
          (d.info.name.find(wanted) != std::string::npos ||
           d.info.platform.find(wanted) != std::string::npos))
        chosen = &d;
  }
  if (chosen == nullptr)
    return NotFound("there is no OpenCL device '" + std::string(wanted) +
                    "': munja devices lists them");
  if (is_private) return std::make_shared<Device>(*api, *chosen);
  auto& opened = const_cast<OpenedDevices&>(*MadeOnce<MakeOpenedDevices>());
  const auto lock = opened.mutex.Lock();
  auto& device = opened.devices[{ForkGeneration(), chosen->id}];
  if (device == nullptr) device = std::make_shared<Device>(*api, *chosen);
  return device;
}

}  // namespace munja::delegates::opencl
