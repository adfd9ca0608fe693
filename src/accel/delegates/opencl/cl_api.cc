#include "delegates/opencl/cl_api.h"

#include <dlfcn.h>

#include "base/fork.h"
#include "base/sanitizers.h"

namespace munja::delegates::opencl {
namespace {

// The loader first, which finds all drivers that are installed; then the
// drivers of phones where they lie.
constexpr const char* kLibraries[] = {
#ifdef __ANDROID__
    "libOpenCL.so",
    "libOpenCL-pixel.so",
    "libOpenCL-car.so",
#if defined(__LP64__)
    "/vendor/lib64/libOpenCL.so",
    "/system/vendor/lib64/libOpenCL.so",
    "/system/lib64/libOpenCL.so",
    "/system/vendor/lib64/egl/libGLES_mali.so",
    "/system/lib64/egl/libGLES_mali.so",
#else
    "/vendor/lib/libOpenCL.so",
    "/system/vendor/lib/libOpenCL.so",
    "/system/lib/libOpenCL.so",
    "/system/vendor/lib/egl/libGLES_mali.so",
    "/system/lib/egl/libGLES_mali.so",
    "/system/vendor/lib/libPVROCL.so",
#endif
#else
    "libOpenCL.so.1",
    "libOpenCL.so",
#endif
};

struct Opened {
  ClApi api;
  std::string problem;
};

// Some drivers show nothing but these two: the one makes them ready, the other
// gives the functions by name.
using Enable = void (*)();
using LoadPointer = void* (*)(const char*);

std::string Load(void* library, ClApi* api) {
  LoadPointer load = nullptr;
  if (auto* const enable =
          reinterpret_cast<Enable>(dlsym(library, "enableOpenCL"))) {
    enable();
    load = reinterpret_cast<LoadPointer>(dlsym(library, "loadOpenCLPointer"));
  }
  const auto find = [&](const char* name) {
    return load == nullptr ? dlsym(library, name) : load(name);
  };
#define MUNJA_CL_LOAD(name)                                       \
  api->name = reinterpret_cast<decltype(api->name)>(find(#name)); \
  if (api->name == nullptr) return "lacks " #name;
  MUNJA_CL_FUNCTIONS(MUNJA_CL_LOAD)
#undef MUNJA_CL_LOAD
  return "";
}

std::unique_ptr<Opened> OpenLibrary() {
  auto opened = std::make_unique<Opened>();
  // Drivers bring compilers of their own, which are not made for sanitizers.
  if constexpr (kSanitized) {
    opened->problem = "this program is built with sanitizers";
    return opened;
  }
  for (const char* const name : kLibraries) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    std::string problem;
    if (library == nullptr) {
      const char* const text = dlerror();
      problem = text == nullptr ? name : text;
    } else {
      problem = Load(library, &opened->api);
      if (problem.empty()) {
        opened->problem.clear();
        return opened;  // And stays open: drivers are not made to be closed.
      }
      problem = std::string(name) + " " + problem;
      opened->api = {};
      dlclose(library);
    }
    opened->problem += (opened->problem.empty() ? "" : "; ") + problem;
  }
  return opened;
}

}  // namespace

Result<const ClApi*> OpenCl() {
  const Opened& opened = *MadeOnce<OpenLibrary>();
  if (!opened.problem.empty())
    return Unavailable("there is no OpenCL here: " + opened.problem);
  return &opened.api;
}

std::string ClErrorName(cl_int error) {
  const char* name = "OpenCL error";
  switch (error) {
#define MUNJA_CL_CASE(code) \
  case code:                \
    name = #code;           \
    break;
    MUNJA_CL_CASE(CL_DEVICE_NOT_FOUND)
    MUNJA_CL_CASE(CL_DEVICE_NOT_AVAILABLE)
    MUNJA_CL_CASE(CL_COMPILER_NOT_AVAILABLE)
    MUNJA_CL_CASE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    MUNJA_CL_CASE(CL_OUT_OF_RESOURCES)
    MUNJA_CL_CASE(CL_OUT_OF_HOST_MEMORY)
    MUNJA_CL_CASE(CL_BUILD_PROGRAM_FAILURE)
    MUNJA_CL_CASE(CL_INVALID_VALUE)
    MUNJA_CL_CASE(CL_INVALID_DEVICE)
    MUNJA_CL_CASE(CL_INVALID_CONTEXT)
    MUNJA_CL_CASE(CL_INVALID_COMMAND_QUEUE)
    MUNJA_CL_CASE(CL_INVALID_MEM_OBJECT)
    MUNJA_CL_CASE(CL_INVALID_BINARY)
    MUNJA_CL_CASE(CL_INVALID_PROGRAM)
    MUNJA_CL_CASE(CL_INVALID_PROGRAM_EXECUTABLE)
    MUNJA_CL_CASE(CL_INVALID_KERNEL_NAME)
    MUNJA_CL_CASE(CL_INVALID_KERNEL)
    MUNJA_CL_CASE(CL_INVALID_ARG_INDEX)
    MUNJA_CL_CASE(CL_INVALID_ARG_VALUE)
    MUNJA_CL_CASE(CL_INVALID_ARG_SIZE)
    MUNJA_CL_CASE(CL_INVALID_KERNEL_ARGS)
    MUNJA_CL_CASE(CL_INVALID_WORK_GROUP_SIZE)
    MUNJA_CL_CASE(CL_INVALID_BUFFER_SIZE)
    MUNJA_CL_CASE(CL_INVALID_OPERATION)
#undef MUNJA_CL_CASE
    case -1001:  // From the loader: no driver is registered.
      name = "CL_PLATFORM_NOT_FOUND_KHR";
      break;
    default:
      break;
  }
  return std::string(name) + " (" + std::to_string(error) + ")";
}

Status ClStatus(cl_int error, const char* function) {
  if (error == CL_SUCCESS) return Status();
  std::string message = std::string(function) + ": " + ClErrorName(error);
  const bool is_memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                         error == CL_OUT_OF_HOST_MEMORY ||
                         error == CL_INVALID_BUFFER_SIZE;
  return is_memory ? OutOfMemory(message) : Unavailable(message);
}

}  // namespace munja::delegates::opencl
