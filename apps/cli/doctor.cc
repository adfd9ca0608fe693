// munja doctor: what this machine has for reading, what is missing, what to do
// about it, and whether reading works.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/doctor_image.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/report.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string model, drivers;
  bool json = false;
};

// Something that is missing or wrong; `remedy` may be empty.
void AddProblem(const std::string& feature, const std::string& problem,
                const std::string& remedy, Json* report) {
  (*report)["problems"].push_back(
      {{"feature", feature}, {"problem", problem}, {"remedy", remedy}});
}

std::string InstallText(const std::string& package) {
  return package.empty() ? "this needs another build of the program"
                         : "apt install " + package;
}

// The JSON of the library, or an empty `type` and a problem.
Json Parsed(const munja::Result<std::string>& text, const char* feature,
            Json::value_t type, Json* report) {
  Json json = text.ok() ? Json::parse(*text, nullptr, false) : Json(type);
  if (!text.ok()) AddProblem(feature, text.message(), "", report);
  return json.type() == type ? json : Json(type);
}

void DescribeFeature(const std::string& name, const Json& feature,
                     Json* report) {
  if (!feature.value("available", true))
    AddProblem(name, TextOf(feature, "problem"),
               InstallText(TextOf(feature, "package")), report);
}

void DescribeDevices(const Json& accelerators, Json* report) {
  Json& drivers = (*report)["drivers"] = Json::array();
  Json& opencl = (*report)["opencl"] = Json::array();
  if (accelerators.empty()) {
    AddProblem("accelerators",
               "drivers and OpenCL need munja-tools, which is not beside this "
               "program",
               "install munja-tools, or 'make tools' in the sources", report);
    return;
  }
  for (const Json& device : accelerators.value("devices", Json::array()))
    drivers.push_back({{"name", TextOf(device, "name")},
                       {"device", TextOf(device, "device")},
                       {"type", TextOf(device, "type")},
                       {"status", TextOf(device, "status")},
                       {"source", TextOf(device, "source")}});
  for (const Json& problem : accelerators.value("problems", Json::array()))
    if (problem.is_string())
      AddProblem("drivers", problem.get<std::string>(),
                 "remove the file, or install the driver anew", report);
  const Json cl = accelerators.value("opencl", Json::object());
  for (const Json& device : cl.value("devices", Json::array()))
    opencl.push_back({{"name", TextOf(device, "name")},
                      {"device", TextOf(device, "device")},
                      {"platform", TextOf(device, "platform")},
                      {"available", device.value("is_available", false)}});
  if (!opencl.empty()) return;
  // The loader alone finds nothing: each device needs a driver of its own.
  const std::string problem = TextOf(cl, "problem");
  AddProblem("opencl", problem.empty() ? "there is no device" : problem,
             "apt install ocl-icd-libopencl1, and the driver of the device: "
             "intel-opencl-icd, mesa-opencl-icd, nvidia-opencl-icd, or "
             "pocl-opencl-icd for the CPU",
             report);
}

void DescribeModels(Json* report) {
  (*report)["models"] =
      Parsed(munja::Model::List(), "models", Json::value_t::array, report);
  for (const Json& model : (*report)["models"])
    if (model.contains("error"))
      AddProblem("models", TextOf(model, "error"),
                 "download or convert the model '" + TextOf(model, "name") +
                     "' anew, or remove its directory",
                 report);
}

// Reads the image in this program.
int TestReading(const Arguments& a, Json* report) {
  Json& test =
      (*report)["self_test"] = {{"passed", false}, {"expected", kDoctorText}};
  const auto failed = [&](const munja::Status& status) {
    test["problem"] = status.message();
    AddProblem("reading", status.message(),
               "choose another model with --model, or 'munja models list'",
               report);
    return ExitCodeOf(status.code(), Subject::kModel);
  };
  munja::Result<munja::Engine> engine =
      munja::Engine::Create({.model = a.model});
  if (!engine.ok()) return failed(engine.error());
  test["model"] = engine->name();
  const auto start = std::chrono::steady_clock::now();
  const munja::Result<munja::Image> image = munja::Image::Decode(DoctorImage());
  if (!image.ok()) return failed(image.error());
  const munja::Result<munja::Page> page = engine->Read(*image);
  if (!page.ok()) return failed(page.error());
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  std::string text;
  for (const munja::Line line : page->lines())
    text += (text.empty() ? "" : "\n") + std::string(line.text());
  test["read"] = text;
  test["milliseconds"] = std::round(time.count() * 10) / 10;
  if (text == kDoctorText) {
    test["passed"] = true;
    return kSuccess;
  }
  AddProblem("reading", "the text read is not that of the image",
             "try the default model; a model of another script cannot pass",
             report);
  return kSomeFailed;
}

std::string Joined(const Json& texts) {
  std::string line;
  for (const Json& text : texts)
    line += (line.empty() ? "" : ", ") + text.get<std::string>();
  return line.empty() ? "none" : line;
}

std::string Bytes(const Json& json, const char* field) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", NumberOf(json, field) / 1e9);
  return text;
}

void PrintRow(const char* name, const std::string& text) {
  Printf("%-13s %s\n", name, text.c_str());
}

// "Invoice No. 2048 / 16 March 2026": text of several lines in one.
std::string OneLine(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 3)
    text.replace(at, 1, " / ");
  return text;
}

void PrintReport(const Json& report) {
  PrintRow("munja", TextOf(report, "version"));
  PrintRow("instructions",
           TextOf(report, "simd") + " (of " +
               Joined(report.value("simd_supported", Json::array())) + ")");
  const std::string half = TextOf(report, "half_precision");
  PrintRow("half floats", half.empty() ? "none" : half);
  PrintRow("threads", std::to_string(CountOf(report, "threads")));
  PrintRow("memory", Bytes(report, "memory_bytes") + ", " +
                         Bytes(report, "available_memory_bytes") +
                         " available");
  Json formats = Json::array();
  for (const Json& format : report.value("formats", Json::array()))
    if (format.value("available", false))
      formats.push_back(TextOf(format, "name"));
  PrintRow("formats", Joined(formats));
  PrintRow("downloads",
           report.value("downloads", Json::object()).value("available", false)
               ? "possible"
               : "not possible");
  for (const char* kind : {"drivers", "opencl"}) {
    Json names = Json::array();
    for (const Json& device : report[kind])
      names.push_back(TextOf(device, "name") + " (" + TextOf(device, "device") +
                      ")");
    PrintRow(kind, Joined(names));
  }
  Json models = Json::array();
  for (const Json& model : report["models"])
    models.push_back(TextOf(model, "name") + " (" +
                     (model.value("embedded", false) ? "inside the program"
                                                     : TextOf(model, "path")) +
                     ")");
  PrintRow("models", Joined(models));
  const Json& test = report["self_test"];
  PrintRow("self-test", test["passed"] ? "passed" : "FAILED");
  if (test.contains("model")) PrintRow("  model", TextOf(test, "model"));
  if (test.contains("read")) {
    if (!test["passed"])
      PrintRow("  expected", OneLine(TextOf(test, "expected")));
    PrintRow("  read", OneLine(TextOf(test, "read")));
  }
  if (report["problems"].empty()) return;
  Print("\nMissing or wrong:\n");
  for (const Json& problem : report["problems"]) {
    const std::string remedy = TextOf(problem, "remedy");
    Print("  " + TextOf(problem, "feature") + ": " +
          TextOf(problem, "problem") + "\n" +
          (remedy.empty() ? "" : "    " + remedy + "\n"));
  }
}

int Examine(const Arguments& a) {
  if (const int code = CheckBundlePath(a.model); code != kSuccess) return code;
  Json report = {{"schema_version", 1}, {"problems", Json::array()}};
  Json system = Parsed(munja::DescribeSystem(a.drivers), "system",
                       Json::value_t::object, &report);
  const Json accelerators = system.value("accelerators", Json::object());
  system.erase("accelerators");
  report.update(system);
  for (const Json& format : report.value("formats", Json::array()))
    DescribeFeature(TextOf(format, "name"), format, &report);
  DescribeFeature("downloads", report.value("downloads", Json::object()),
                  &report);
  DescribeDevices(accelerators, &report);
  DescribeModels(&report);
  const int code = TestReading(a, &report);
  if (a.json)
    Print(Dump(report));
  else
    PrintReport(report);
  return FinishWith(code);
}

}  // namespace

void AddDoctor(CLI::App& app, Action* action) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "doctor", "Check this machine and this installation, and read an image");
  command->add_option("-m,--model", a->model,
                      "Model of the self-test: a name or a directory");
  command->add_option("--driver-path", a->drivers,
                      "Directories of drivers (default: $MUNJA_DRIVERS, else "
                      "the usual ones)");
  command->add_flag("-j,--json", a->json, "Print one JSON object");
  command->footer(
      "Exit code 0: reading works, whatever else is missing. 1: the text read "
      "is\nnot that of the image. 5: the model is missing or damaged.\n"
      "Example:\n"
      "  munja doctor");
  command->callback([a, action] {
    PreferTools();
    *action = [a] { return Examine(*a); };
  });
}

}  // namespace munja::cli
