// munja prune: models with fewer filters.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "cli/tool_commands.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

// In the order of munja_prune_criterion.
const std::vector<std::string> kCriteria = {"l1", "l2",     "geometric-median",
                                            "bn", "random", "clusters"};

using Json = nlohmann::ordered_json;

struct PruneArguments {
  std::string model, level, criterion = "l1", centers = "ratio";
  std::string calibrate, bundle, output;
  std::string profile;
  double budget = 0;
  int max_pictures = 1, threads = 0, multiple = 1;
  uint64_t seed = 1;
  bool json = false;
};

int PrintReport(const std::string& title, const Json& r) {
  const auto number = [&](const char* name) { return NumberOf(r, name); };
  Printf("%s\n", title.c_str());
  Printf("  parameters      %.0f, %.0f before\n", number("parameters"),
         number("parameters_before"));
  Printf("  file            %.0f bytes, %.2f times smaller\n",
         number("file_bytes"),
         number("source_bytes") / std::max(1.0, number("file_bytes")));
  for (const Json& layer : r.value("layers", Json::array()))
    Printf("  %5zu of %5.0f  %s\n", layer.value("kept", Json::array()).size(),
           NumberOf(layer, "filters"), TextOf(layer, "layer").c_str());
  return FinishOutput();
}

int Prune(const PruneArguments& a) {
  if (IsStandardInput(a.model))
    return UsageError("prune: MODEL must be a file, not standard input");
  if (a.level.empty() == (a.budget == 0))
    return UsageError("prune: give either --sparsity or --budget");
  if (a.budget > 0 && a.calibrate.empty())
    return UsageError(
        "prune: --budget needs --calibrate SET.jsonl, labels with boxes");
  if (!a.profile.empty() && a.budget == 0)
    return UsageError("prune: --profile goes with --budget");
  if (a.criterion == "clusters" && a.calibrate.empty())
    return UsageError(
        "prune: --criterion clusters needs --calibrate SET.jsonl, labels with "
        "boxes");
  const munja::PruneOptions options = {
      .sparsity = a.level,
      .criterion =
          static_cast<munja_prune_criterion>(IndexOf(kCriteria, a.criterion)),
      .clusters =
          a.centers == "kept" ? MUNJA_CLUSTERS_KEPT : MUNJA_CLUSTERS_RATIO,
      .calibrate = a.calibrate,
      .max_images = a.max_pictures,
      .model = a.bundle,
      .seed = a.seed,
      .threads = a.threads,
      .budget = a.budget,
      .profile = a.profile,
      .round_to = a.multiple};
  const std::string output = OutputPath(a.output);
  const munja::Result<std::string> report =
      munja::Prune(a.model, output, options);
  if (!report.ok())
    return FailAbout(report.error(), Subject::kModel,
                     {{a.model, Subject::kModel},
                      {a.calibrate, Subject::kInput},
                      {a.profile, Subject::kInput},
                      {output, Subject::kOutput}});
  const Json json = Json::parse(*report, nullptr, false);
  if (!json.is_object()) return kBug;
  if (!a.json) return PrintReport(a.output, json);
  Print(Dump(json));
  return FinishOutput();
}

}  // namespace

void AddPrune(CLI::App& app, Action* action) {
  auto a = std::make_shared<PruneArguments>();
  CLI::App* command = AddToolCommand(app, kPruneCommand);
  command->add_option("MODEL", a->model, "A .tflite file")->required();
  command->add_option("--sparsity", a->level,
                      "Share of each layer's filters to remove: 0.7 or 70%");
  command
      ->add_option("--budget", a->budget,
                   "Share of the cost to keep, with a sparsity per layer that "
                   "changes the outputs least (needs --calibrate)")
      ->check(Between(0.0, 1.0));
  command->add_option(
      "--profile", a->profile,
      "Cost of each layer, as bench --op-profile --json prints it "
      "(default: its number of weights)");
  command
      ->add_option("--round-to", a->multiple,
                   "Round the remaining filters down to a multiple of N "
                   "(default: 1)")
      ->check(Between(1, 1024));
  command
      ->add_option(
          "--criterion", a->criterion,
          "Which filters stay: l1 (default), l2, geometric-median, bn, "
          "clusters or random")
      ->check(OneOf(kCriteria));
  command
      ->add_option("--clusters", a->centers,
                   "Number of clusters: ratio (default: 1 / (1 - sparsity)) or "
                   "kept (as many as filters stay)")
      ->check(OneOf({"ratio", "kept"}));
  command->add_option(
      "--calibrate", a->calibrate,
      "Labels (.jsonl) with boxes, for clusters; not those of an "
      "evaluation set");
  command
      ->add_option("--max-pictures", a->max_pictures,
                   "Number of images used (default: 1)")
      ->check(Between(1, 1000000));
  command->add_option("--bundle", a->bundle,
                      "Model whose detector's pre-processing is used "
                      "(default: as for read)");
  command->add_option("--seed", a->seed,
                      "Seed of clusters and random (default: 1)");
  command->add_option("-o,--output", a->output, "The .tflite file to write")
      ->required();
  command
      ->add_option("-t,--threads", a->threads,
                   "Number of threads (default: one per core)")
      ->check(Between(0, 1024));
  command->add_flag("-j,--json", a->json, "Print the report as JSON");
  command->footer(
      "Examples:\n"
      "  munja prune model.tflite --sparsity 0.5 -o half.tflite\n"
      "  munja prune det.tflite --sparsity 70% --criterion clusters "
      "--calibrate "
      "set/labels/train.jsonl -o small.tflite");
  command->callback([a, action] { *action = [a] { return Prune(*a); }; });
}

}  // namespace munja::cli
