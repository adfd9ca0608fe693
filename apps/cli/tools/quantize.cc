// munja quantize: models in float to integers.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/eval.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "cli/tool_commands.h"
#include "cli/tools/calibration_images.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

// In the order of the enumerations of munja/tools/quantize.h.
const std::vector<std::string> kModes = {"int8", "int16x8", "dynamic",
                                         "weights"};
const std::vector<std::string> kRanges = {"mse", "minmax", "percentile",
                                          "entropy"};
const std::vector<std::string> kFallbacks = {"float", "dynamic", "int16x8"};

using Json = nlohmann::ordered_json;

struct QuantizeArguments {
  std::string model, bundle, role, output, mode = "int8", range = "mse";
  std::string kept = "float";
  std::vector<std::string> pictures, keep, labels;
  double percentile = 99.99, max_loss = 0, max_changed = 0.1;
  int threads = 0, max_pages = 0, max_lines = 0;
  bool no_equalization = false, nearest = false, no_bias = false;
  bool no_tuning = false;
  bool integer_io = false, integer_logits = false, allow_noise = false;
  bool lines = false, json = false, keep_float = false;
};

void PrintNetwork(const std::string& title, const Json& r) {
  Printf("%s\n", title.c_str());
  const auto number = [&](const char* name) { return NumberOf(r, name); };
  Printf("  file            %.0f bytes, %.2f times smaller\n",
         number("file_bytes"),
         number("source_bytes") / std::max(1.0, number("file_bytes")));
  Printf("  mode            %s, %.0f nodes, %.0f of them with integers\n",
         TextOf(r, "mode").c_str(), number("nodes"), number("integer_nodes"));
  if (r.contains("milliseconds_before"))
    Printf(
        "  time            %.2f ms, %.2f ms before, %.2f times faster, at %s\n",
        number("milliseconds"), number("milliseconds_before"),
        number("milliseconds_before") / std::max(1e-9, number("milliseconds")),
        TextOf(r, "shape").c_str());
  if (r.contains("relative_error")) {
    Printf("  calibrated on   %.0f inputs, neighboring pixels correlate %.2f\n",
           number("samples"), number("neighbor_correlation"));
    Printf(
        "  error           %.3g of the outputs' energy, %.3g %% of "
        "decisions changed\n",
        number("relative_error"), 100 * number("changed_decisions"));
  }
  const Json rows = r.value("sensitivity", Json::array());
  if (!rows.empty()) {
    Printf("  all integer     error %.3g; without integers in one layer:\n",
           number("relative_error_all_integer"));
    size_t shown = 0;
    for (const Json& row : rows) {
      if (++shown > 20) break;
      Printf("    %-9.3g %8.2f M multiply-adds %s %s (%s)\n",
             NumberOf(row, "relative_error_without"),
             NumberOf(row, "multiply_accumulates") / 1e6,
             row.value("kept", false) ? "kept" : "    ",
             TextOf(row, "layer").c_str(), TextOf(row, "operator").c_str());
    }
  }
  for (const Json& warning : r.value("warnings", Json::array()))
    Printf("  warning         %s\n", warning.get<std::string>().c_str());
}

// Both bundles on each set of labels, on the same threads.
int Compare(const QuantizeArguments& a, Json* report) {
  for (const std::string& labels : a.labels) {
    EngineArguments engine;
    engine.threads = a.threads;
    Json before, after;
    engine.model = a.bundle;
    // The models to quantize are those in float, also in a mixed bundle.
    engine.precision = {MUNJA_PRECISION_FLOAT32};
    if (const int code = Evaluate(engine, labels, &before);
        code != kSuccess && code != kSomeFailed)
      return code;
    engine.model = a.output;
    engine.precision = {MUNJA_PRECISION_DEFAULT};
    if (const int code = Evaluate(engine, labels, &after);
        code != kSuccess && code != kSomeFailed)
      return code;
    (*report)["evaluation"][labels] = {{"before", before}, {"after", after}};
  }
  return kSuccess;
}

void PrintEvaluation(const std::string& labels, const Json& both) {
  Printf("%s\n  %-20s %10s %10s\n", labels.c_str(), "", "before", "after");
  for (const auto& [name, value] : both["before"].items()) {
    if (!value.is_number_float() || !both["after"].contains(name)) continue;
    Printf("  %-20s %10.4f %10.4f\n", name.c_str(), value.get<double>(),
           NumberOf(both["after"], name.c_str()));
  }
}

int Report(const std::string& text, const QuantizeArguments& a) {
  Json report = Json::parse(text, nullptr, false);
  if (!report.is_object()) return kBug;
  if (const int code = Compare(a, &report); code != kSuccess) return code;
  if (a.json) {
    Print(Dump(report));
    return FinishOutput();
  }
  if (report.contains("calibration_lines"))
    Printf("calibration       %lld lines of text\n",
           CountOf(report, "calibration_lines"));
  for (const Json& message : report.value("unreadable", Json::array()))
    PrintError("", message.get<std::string>());
  if (report.contains("file_bytes")) {
    PrintNetwork(a.output, report);
  } else {
    for (const auto& [role, r] : report.items())
      if (r.is_object() && r.contains("file_bytes"))
        PrintNetwork(a.output + ": " + role, r);
  }
  const Json evaluation = report.value("evaluation", Json::object());
  for (const auto& [labels, both] : evaluation.items())
    PrintEvaluation(labels, both);
  return FinishOutput();
}

int Quantize(const QuantizeArguments& a) {
  // Any model, which knows no bundle and is calibrated on tensors.
  const bool is_alone = !a.model.empty() && a.role.empty();
  if (is_alone && !a.bundle.empty())
    return UsageError(
        "quantize: MODEL with --bundle needs --role detector, recognizer or "
        "classifier; a whole bundle is given by --bundle alone");
  const bool is_bundle = a.role.empty() && !is_alone;
  if (!a.labels.empty() && !is_bundle)
    return UsageError(
        "quantize: --eval needs a whole bundle, without MODEL and --role");
  if (a.keep_float && !is_bundle)
    return UsageError(
        "quantize: --both makes a bundle of both precisions, MODEL and "
        "--role one network alone");
  if (a.integer_io && is_bundle)
    return UsageError(
        "quantize: --integer-io needs MODEL or --role: the networks of a "
        "bundle take and give floats");
  if (a.pictures.empty() && (a.mode == "int8" || a.mode == "int16x8"))
    return UsageError("quantize: --mode " + a.mode +
                      " needs --calibrate PICTURES; --mode dynamic and weights "
                      "do without");
  if (is_bundle)
    if (const int code = CheckIsFolderName(a.output); code != kSuccess)
      return code;
  if (IsStandardInput(a.model))
    return UsageError("quantize: MODEL must be a file, not standard input");
  if (const int code = CheckBundlePath(a.bundle); code != kSuccess) return code;
  if (!a.bundle.empty()) {
    const auto found = munja::Model::Find(a.bundle);
    if (!found.ok()) return Fail(found.error(), Subject::kModel, "");
  }
  if (!a.model.empty()) {
    std::optional<munja::Network> model;
    if (const int code = LoadModel(a.model, &model); code != kSuccess)
      return code;
  }
  std::vector<std::string> files;
  bool are_lines = a.lines;
  if (is_alone) {
    files = a.pictures;
  } else if (const int code = FindPictures(a.pictures, &files, &are_lines);
             code != kSuccess) {
    return code;
  }
  const munja::QuantizeOptions options = {
      .calibration = files,
      .are_lines = are_lines,
      .max_pages = a.max_pages,
      .max_lines = a.max_lines,
      .mode = static_cast<munja_quantize_mode>(IndexOf(kModes, a.mode)),
      .range = static_cast<munja_quantize_range>(IndexOf(kRanges, a.range)),
      .percentile = a.percentile,
      .skip_equalization = a.no_equalization,
      .nearest_rounding = a.nearest,
      .skip_bias_correction = a.no_bias,
      .skip_bias_tuning = a.no_bias || a.no_tuning,
      .integer_io = a.integer_io,
      .integer_logits = a.integer_logits,
      .exclude = a.keep,
      .fallback =
          static_cast<munja_quantize_fallback>(IndexOf(kFallbacks, a.kept)),
      .max_loss = a.max_loss,
      .max_changed = a.max_changed,
      .allow_noise = a.allow_noise,
      .threads = a.threads,
      .keep_float = a.keep_float};
  const std::string output = is_bundle ? a.output : OutputPath(a.output);
  const munja::Result<std::string> report =
      is_bundle ? munja::QuantizeModel(a.bundle, output, options)
                : munja::Quantize(a.bundle, a.role, a.model, output, options);
  if (report.ok()) return Report(*report, a);
  return FailAbout(report.error(), Subject::kInput,
                   {{a.bundle, Subject::kModel},
                    {a.model, Subject::kModel},
                    {output, Subject::kOutput}});
}

}  // namespace

void AddQuantize(CLI::App& app, Action* action) {
  auto a = std::make_shared<QuantizeArguments>();
  CLI::App* command = AddToolCommand(app, kQuantizeCommand);
  command->add_option("MODEL", a->model,
                      "A .tflite file: any network, or with --role one that "
                      "replaces the model's");
  command->add_option(
      "--bundle", a->bundle,
      "Model whose networks and pre-processing are used: a name or "
      "a directory (default: as for read)");
  command
      ->add_option("--role", a->role,
                   "Quantize only this network (default: all, into a bundle)")
      ->check(OneOf({"detector", "recognizer", "classifier"}));
  command
      ->add_option(
          "--calibrate", a->pictures,
          "Images, directories or labels (.jsonl) to calibrate on; not "
          "those of an evaluation set. For a "
          "MODEL alone: [INPUT=]FILE, with .npy arrays, .txt or .csv "
          "numbers (a sample a line), or images")
      ->take_all();
  command->add_flag("--crops", a->lines,
                    "The images are crops of single text lines");
  command
      ->add_option("--max-pages", a->max_pages,
                   "Inputs of the detector kept (default: 24)")
      ->check(Between(1, 1000000));
  command->add_option("--max-lines", a->max_lines, "Lines kept (default: 192)")
      ->check(Between(1, 1000000));
  command
      ->add_option("-o,--output", a->output,
                   "The directory or, with --role, the .tflite file to write")
      ->required();
  command
      ->add_option("--mode", a->mode,
                   "int8 (default), int16x8, dynamic (activations quantized "
                   "during the run) or weights (arithmetic stays in float)")
      ->check(OneOf(kModes));
  command
      ->add_option("--range", a->range,
                   "How ranges are chosen: mse (default), minmax, percentile "
                   "or entropy")
      ->check(OneOf(kRanges));
  command
      ->add_option("--percentile", a->percentile,
                   "Share of values inside the range (default: 99.99)")
      ->check(Between(0.0, 100.0));
  command->add_flag("--no-equalization", a->no_equalization,
                    "Do not equalize the ranges of channels");
  command
      ->add_option_function<std::string>(
          "--rounding",
          [a](const std::string& name) { a->nearest = name == "nearest"; },
          "Rounding of weights: feedback (default: with error feedback) or "
          "nearest")
      ->check(OneOf({"feedback", "nearest"}));
  command->add_flag("--no-bias-correction", a->no_bias,
                    "Do not correct biases");
  command->add_flag("--no-bias-tuning", a->no_tuning,
                    "Correct biases for rounded weights only");
  command->add_flag("--integer-io", a->integer_io,
                    "int8 inputs and outputs (with --role)");
  command->add_flag("--integer-logits", a->integer_logits,
                    "The layer before a softmax emits int8 as well");
  command
      ->add_option("--exclude", a->keep,
                   "Layers to exclude from int8, by the names of their "
                   "outputs; 'stem*' matches a prefix")
      ->take_all();
  command
      ->add_option("--excluded-as", a->kept,
                   "Arithmetic of excluded layers (default: float)")
      ->check(OneOf(kFallbacks));
  command
      ->add_option("--max-loss", a->max_loss,
                   "Exclude the most sensitive layers until the error is "
                   "at most this share of the outputs' energy")
      ->check(Between(0.0, 1.0));
  command
      ->add_option(
          "--max-changed", a->max_changed,
          "Share of decisions that may change; a network beyond it "
          "gets its first layers in int16x8, or --mode weights (default: "
          "0.1, 1: any)")
      ->check(Between(0.0, 1.0));
  command->add_flag("--both", a->keep_float,
                    "Keep the float networks in the bundle, for "
                    "--precision mixed");
  command->add_flag("--allow-noise", a->allow_noise,
                    "Calibrate even on data that looks like noise");
  command
      ->add_option("-t,--threads", a->threads,
                   "Number of threads (default: one per core)")
      ->check(Between(0, 1024));
  command
      ->add_option("--eval", a->labels,
                   "Labels (.jsonl) to evaluate before and after; repeatable")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("-j,--json", a->json, "Print the report as JSON");
  command->footer(
      "Examples:\n"
      "  munja quantize --bundle mine --calibrate pages/ -o mine-int8\n"
      "  munja quantize --role detector --calibrate pages/ -o det.tflite");
  command->callback([a, action] { *action = [a] { return Quantize(*a); }; });
}

}  // namespace munja::cli
