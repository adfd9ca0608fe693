// A description of what this machine has for reading.
#include "munja/system.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/thread_pool.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/linked.h"
#include "image/decode.h"
#include "kernels/cpu/simd.h"
#include "kernels/gemm/half_gemm.h"
#ifdef MUNJA_HAS_DOWNLOAD
#include "bundle/pull/download.h"
#endif

using munja::Code;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;
using Json = nlohmann::ordered_json;

namespace {

struct Memory {
  int64_t total = 0, available = 0;
};

Memory MemoryOfSystem() {
  Memory memory;
  std::FILE* const file = std::fopen("/proc/meminfo", "r");
  if (file == nullptr) return memory;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    long long kilobytes = 0;
    if (std::sscanf(line, "MemTotal: %lld", &kilobytes) == 1)
      memory.total = kilobytes * 1024;
    if (std::sscanf(line, "MemAvailable: %lld", &kilobytes) == 1)
      memory.available = kilobytes * 1024;
  }
  std::fclose(file);
  return memory;
}

// A feature and what it needs; `package` brings what is not installed.
Json Feature(Json feature, const Status& status, const char* package) {
  feature["available"] = status.ok();
  if (!status.ok()) feature["problem"] = std::string(status.message());
  if (status.code() == Code::kUnavailable) feature["package"] = package;
  return feature;
}

Status Downloads() {
#ifdef MUNJA_HAS_DOWNLOAD
  return munja::bundle::CheckDownloads();
#else
  return munja::Unsupported("this build of the library cannot download");
#endif
}

}  // namespace

extern "C" {

munja_status munja_system_describe(const char* driver_directories,
                                   char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(json));
    const Memory memory = MemoryOfSystem();
    Json system = {
        {"version", munja_version()},
        {"simd", munja::kernels::SimdName()},
        {"simd_supported", munja::kernels::SimdNames()},
        {"half_precision",
         munja::kernels::HalfTypeName(munja::kernels::HalfTypeInUse())},
        {"threads", munja::ThreadPool(0).threads()},
        {"memory_bytes", memory.total},
        {"available_memory_bytes", memory.available},
        {"formats", Json::array()},
    };
    for (const auto& support : munja::image::SupportedFormats()) {
      system["formats"].push_back(Feature({{"name", support.format}},
                                          support.available, support.package));
    }
    system["downloads"] = Feature(Json::object(), Downloads(), "libcurl4");
    const auto describe = munja::capi::Linked().describe_devices;
    system["accelerators"] =
        describe == nullptr
            ? Json::object()
            : Json::parse(describe(
                  driver_directories == nullptr ? "" : driver_directories));
    return CopyText(system.dump(-1, ' ', false, Json::error_handler_t::replace),
                    json);
  });
}

}  // extern "C"
