// munja devices: the accelerators that there are drivers for.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/tool_commands.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string drivers;
  bool json = false;
};

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// "npu  1.3  accelerator  available  57 operations  /usr/lib/libnpu.so".
std::string Row(const Json& device) {
  const auto text = [&](const char* field) {
    return device[field].get<std::string>();
  };
  return Padded(text("name"), 12) + " " + Padded(text("device"), 20) + " " +
         Padded("HAL " + text("hal_version"), 8) + " " +
         Padded(text("type"), 12) + " " + Padded(text("status"), 10) + " " +
         Padded(std::to_string(device["operations"].size()) + " operations",
                15) +
         " " + text("source") + "\n";
}

// "opencl:0  pthread-haswell  OpenCL 3.0  cpu  available  16000 MB ...".
std::string OpenClRow(const Json& device) {
  const auto text = [&](const char* field) {
    return device[field].get<std::string>();
  };
  std::string features;
  for (const char* const feature : {"images", "fp16", "subgroups"})
    if (device[feature].get<bool>()) features += std::string(" ") + feature;
  const bool is_available = device["is_available"].get<bool>();
  return Padded(text("name"), 12) + " " + Padded(text("device"), 20) + " " +
         Padded(text("version").substr(0, 10), 10) + " " +
         Padded(text("type"), 12) + " " +
         Padded(is_available ? "available" : "absent", 10) + " " +
         std::to_string(device["memory_bytes"].get<uint64_t>() >> 20) + " MB" +
         features + " " + text("platform") + "\n";
}

int PrintDevices(const Arguments& a) {
  const munja::Result<std::string> json = munja::Devices(a.drivers);
  if (!json.ok()) return Fail(json.error(), Subject::kInput, "devices");
  const Json all = Json::parse(*json);
  for (const Json& problem : all["problems"])
    PrintError("", problem.get<std::string>());
  if (a.json) {
    Print(*json + "\n");
  } else {
    for (const Json& device : all["devices"]) Print(Row(device));
    for (const Json& device : all["opencl"]["devices"])
      Print(OpenClRow(device));
    const std::string problem = all["opencl"]["problem"].get<std::string>();
    if (!problem.empty()) Print("opencl       " + problem + "\n");
  }
  const int code = FinishOutput();
  if (code != kSuccess) return code;
  return all["problems"].empty() ? kSuccess : kSomeFailed;
}

}  // namespace

void AddDevices(CLI::App& app, Action* action) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = AddToolCommand(app, kDevicesCommand);
  command->add_option("--driver-path", a->drivers,
                      "Directories of drivers (default: $MUNJA_DRIVERS, else "
                      "the usual ones)");
  command->add_flag("-j,--json", a->json,
                    "Print all that devices report, as one JSON object");
  command->footer(
      "Examples:\n"
      "  munja devices\n"
      "  munja read --device nn:cpu photo.jpg\n"
      "  munja read --device opencl photo.jpg");
  command->callback(
      [a, action] { *action = [a] { return PrintDevices(*a); }; });
}

}  // namespace munja::cli
