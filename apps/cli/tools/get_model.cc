// munja models get.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/catalog.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/tools/calibration_images.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

// Who made the weights, and under which license, before they are fetched.
void ShowLicense(const std::string& name) {
  const munja::Result<std::string> text = munja::Model::Catalog();
  if (!text.ok() || IsQuiet()) return;
  for (const Json& model : Json::parse(*text, nullptr, false))
    if (TextOf(model, "name") == name)
      std::fprintf(stderr, "munja: %s; weights by %s, license %s\n",
                   TextOf(model, "description").c_str(),
                   TextOf(model, "publisher").c_str(),
                   TextOf(model, "license").c_str());
}

void ShowQuantized(const Json& report) {
  std::string line = "quantized (" + TextOf(report, "mode") +
                     "): " + std::to_string(CountOf(report, "file_bytes")) +
                     " bytes";
  if (report.contains("changed_decisions")) {
    char text[80];
    std::snprintf(text, sizeof text, ", %.2g %% of decisions changed",
                  100 * NumberOf(report, "changed_decisions"));
    line += text;
  }
  std::fprintf(stderr, "munja:   %s\n", line.c_str());
  for (const Json& warning : report.value("warnings", Json::array()))
    std::fprintf(stderr, "munja:   warning: %s\n",
                 warning.get<std::string>().c_str());
}

void ShowNetworks(const Json& report) {
  for (const auto& [role, network] : report.items()) {
    std::string line =
        role + ": " + std::to_string(CountOf(network, "file_bytes")) + " bytes";
    if (network.contains("max_difference")) {
      char text[80];
      std::snprintf(text, sizeof text,
                    ", differs from its source by %.2g at most",
                    NumberOf(network, "max_difference"));
      line += text;
    }
    if (!network.value("agrees", true)) line += ": MORE THAN ROUNDING EXPLAINS";
    std::fprintf(stderr, "munja: %s\n", line.c_str());
    if (network.contains("quantized")) ShowQuantized(network["quantized"]);
  }
}

// Whether each network that was compared agrees with its source.
bool Agrees(const Json& report) {
  for (const Json& network : report)
    if (!network.value("agrees", true)) return false;
  return true;
}

}  // namespace

int GetFromCatalog(const GetArguments& a) {
  if (a.quantize && a.fp16)
    return UsageError("models get: --quantize and --fp16 exclude each other");
  if (!a.quantize && !a.pictures.empty())
    return UsageError("models get: --calibrate needs --quantize");
  std::optional<munja::QuantizeOptions> quantize;
  if (a.quantize) {
    auto& options = quantize.emplace();
    if (const int code =
            FindPictures(a.pictures, &options.calibration, &options.are_lines);
        code != kSuccess)
      return code;
    if (options.calibration.empty()) options.mode = MUNJA_QUANTIZE_DYNAMIC;
  }
  ShowLicense(a.name);
  const munja::Result<munja::GotModel> got =
      munja::GetModel(a.name, {.from = a.from,
                               .directory = a.output,
                               .fp16 = a.fp16,
                               .skip_comparison = a.no_check,
                               .classifier = a.classifier,
                               .quantize = quantize});
  if (got.code() == MUNJA_IO) return Fail(got.error(), Subject::kOutput, "");
  if (got.code() == MUNJA_INVALID_ARGUMENT) return UsageError(got.message());
  if (!got.ok()) return Fail(got.error(), Subject::kModel, "");
  const Json report = Json::parse(got->report, nullptr, false);
  if (!report.is_object()) return kBug;
  ClearProgress();
  if (!IsQuiet()) {
    if (report.empty())
      std::fprintf(stderr, "munja: the model is there already\n");
    ShowNetworks(report);
  }
  if (a.json)
    Print(Dump(Json{{"path", got->path}, {"networks", report}}));
  else
    Print(got->path + "\n");
  return FinishWith(Agrees(report) ? kSuccess : kSomeFailed);
}

}  // namespace munja::cli
