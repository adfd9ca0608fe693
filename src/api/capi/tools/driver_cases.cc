// Cases of operations on drivers.
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "drivers/built_in/built_in_drivers.h"
#include "hal/case_report.h"
#include "hal/device.h"
#include "munja/tools/driver_test.h"
#include "transport/driver_host.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;

namespace {

using Json = nlohmann::ordered_json;

// "lib/libmine.so", "mine.so#1", but not "cpu".
bool IsLibrary(const std::string& driver) {
  const std::string file = driver.substr(0, driver.rfind('#'));
  return driver.find('/') != driver.npos || file.ends_with(".so");
}

// The last line that the driver said, on any thread.
class Listener {
 public:
  const munja_nn_host* host() const { return &host_; }
  std::string Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(line_, {});
  }

 private:
  static void Hear(void* self, int32_t, const char* line) {
    if (line == nullptr) return;
    auto* listener = static_cast<Listener*>(self);
    const std::lock_guard lock(listener->mutex_);
    listener->line_ = line;
  }

  std::mutex mutex_;
  std::string line_;
  const munja_nn_host host_ = {sizeof host_, this, Hear};
};

Result<std::shared_ptr<munja::hal::Device>> OpenDevice(
    std::string driver, bool is_isolated, const munja_nn_host* host) {
  const bool is_library = IsLibrary(driver);
  if (is_library && driver.find('/') == driver.npos) driver = "./" + driver;
  if (is_isolated) {
    MUNJA_ASSIGN_OR_RETURN(munja_nn_device* const device,
                           munja::hal::StartDriverHost(driver));
    return munja::hal::Device::Open(device, nullptr);
  }
  if (is_library) return munja::hal::LoadDriver(driver, host);
  const auto* const built_in = munja::drivers::FindBuiltIn(driver);
  if (built_in == nullptr)
    return munja::Unavailable("there is no driver '" + driver +
                              "': 'reference', 'cpu', 'opencl', or the "
                              "path of a driver's library");
  munja_nn_device* const device = built_in->open(driver, host);
  if (device == nullptr)
    return munja::Unavailable("driver " + driver + ": it has no device here");
  return munja::hal::Device::Open(device, nullptr);
}

Json ToJson(const munja::hal::CaseCounts& counts) {
  return {{"passed", counts.passed},
          {"failed", counts.failed},
          {"unsupported", counts.unsupported}};
}

std::string ToText(const munja::hal::CaseReport& report,
                   const std::string& driver) {
  Json json = ToJson(report.all);
  json["driver"] = driver;
  json["files"] = report.files;
  json["operations"] = Json::object();
  for (const auto& [name, counts] : report.operations)
    json["operations"][name] = ToJson(counts);
  json["ways"] = Json::object();
  for (const auto& [mode, counts] : report.modes)
    json["ways"][std::string(munja::hal::NameOf(mode))] = {
        {"run", counts.run}, {"lacking", counts.lacking}};
  json["failures"] = Json::array();
  for (const munja::hal::CaseFailure& failure : report.failures)
    json["failures"].push_back({{"file", failure.file},
                                {"case", failure.name},
                                {"operation", failure.operation},
                                {"reason", failure.reason}});
  json["problems"] = report.problems;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

extern "C" {

munja_status munja_driver_test(const char* const* paths, int32_t path_count,
                               const munja_driver_test_options* options,
                               char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(paths, report));
        if (path_count <= 0) return InvalidArgument("there are no paths");
        munja_driver_test_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        MUNJA_ASSIGN_OR_RETURN(
            const std::vector<munja::hal::Mode> modes,
            munja::hal::ParseModes(o.modes == nullptr ? "sync" : o.modes));
        std::vector<std::string> files;
        for (int32_t i = 0; i < path_count; ++i) {
          MUNJA_RETURN_IF_ERROR(RequireAll(paths[i]));
          files.emplace_back(paths[i]);
        }
        Listener listener;
        MUNJA_ASSIGN_OR_RETURN(
            const auto device,
            OpenDevice(o.driver == nullptr ? "reference" : o.driver,
                       o.isolated != 0, listener.host()));
        MUNJA_ASSIGN_OR_RETURN(
            const munja::hal::CaseReport result,
            munja::hal::RunCaseFiles(*device, files, modes,
                                     [&] { return listener.Take(); }));
        return munja::capi::CopyText(ToText(result, device->name()), report);
      }));
}

}  // extern "C"
