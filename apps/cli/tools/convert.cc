// munja convert: models of other formats to .tflite, and whole bundles.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/eval.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "cli/tool_commands.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

struct ConvertArguments {
  std::string source, output, dictionary;
  std::vector<std::string> shapes, values, pictures;
  std::string report_shape, labels;
  bool fp16 = false, bundle = false, no_compare = false, json = false;
  bool allow_custom_ops = false, gpu_safe = false, no_language = false;
  bool keep_layout = false;
  std::string detector, recognizer, classifier, name, description;
  std::vector<std::string> contracts, languages;
};

// {"tensors": 120, "tolerance": 0.001, "first_difference": ...}.
void PrintParity(const nlohmann::json& parity) {
  Printf("  tensors         %lld compared, ", CountOf(parity, "tensors"));
  const double tolerance = NumberOf(parity, "tolerance");
  const auto it = parity.find("first_difference");
  if (it == parity.end() || !it->is_object()) {
    Printf("all within %.3g of their largest number\n", tolerance);
    return;
  }
  Printf(
      "the first that differs by more than %.3g of its largest number is\n"
      "                  '%s' (%s): %.3g at most, %.3g on average, largest "
      "%.3g\n",
      tolerance, TextOf(*it, "tensor").c_str(), TextOf(*it, "operator").c_str(),
      NumberOf(*it, "max_difference"), NumberOf(*it, "mean_difference"),
      NumberOf(*it, "largest"));
}

// {"operators": {"CONV_2D": 12}, "parameters": ..., ...} as a table.
void PrintReport(const std::string& title, const nlohmann::json& r) {
  Printf("%s\n", title.c_str());
  std::string operators;
  int64_t total = 0;
  const auto counts = r.value("operators", nlohmann::json::object());
  for (const auto& [name, count] : counts.items()) {
    operators += (operators.empty() ? "" : ", ") + name + " " + count.dump();
    total += count.is_number_integer() ? count.get<int64_t>() : 0;
  }
  Printf("  operators       %lld: %s\n", static_cast<long long>(total),
         operators.c_str());
  Printf("  parameters      %lld\n", CountOf(r, "parameters"));
  if (r.contains("multiply_accumulates"))
    Printf("  MACs            %.1f million at %s\n",
           NumberOf(r, "multiply_accumulates") / 1e6,
           TextOf(r, "shape").c_str());
  Printf("  file            %lld bytes\n", CountOf(r, "file_bytes"));
  if (r.contains("max_difference"))
    Printf("  difference      %.3g at most from the source, at %s\n",
           NumberOf(r, "max_difference"), TextOf(r, "compared_shape").c_str());
  if (r.contains("parity")) PrintParity(r["parity"]);
  const auto notes = r.value("notes", nlohmann::json::array());
  for (const auto& note : notes)
    if (note.is_string())
      Printf("  note            %s\n", note.get<std::string>().c_str());
}

// Character error rates and such, one bundle beside the other.
void PrintText(const nlohmann::json& text) {
  Printf("text of %s\n", TextOf(text, "labels").c_str());
  const auto bundle = text.value("bundle", nlohmann::json::object());
  const auto exact = text.value("exact", nlohmann::json::object());
  for (const auto& [name, value] : bundle.items()) {
    if (!value.is_number() || name.starts_with("ms_") ||
        name == "peak_memory_bytes")
      continue;
    Printf("  %-15s %.6g", name.c_str(), value.get<double>());
    if (exact.contains(name) && exact[name].is_number())
      Printf(" (%.6g converted without --fp16, --gpu-safe)",
             exact[name].get<double>());
    Print("\n");
  }
}

// The exit code: a model whose numbers are not the source's, or that could not
// be compared, was written, but may be of no use.
int JudgeParity(const nlohmann::json& report, const std::string& name) {
  if (report.value("agrees", true)) return kSuccess;
  PrintError(name, report.contains("parity")
                       ? "written, but its numbers are not the source's"
                       : "written, but not compared with the source (the notes "
                         "say why); --no-check skips the comparison");
  return kSomeFailed;
}

int JudgeParity(const nlohmann::json& report, const ConvertArguments& a) {
  if (!a.bundle) return JudgeParity(report, a.output);
  int code = kSuccess;
  for (const auto& [role, r] : report.items())
    if (const int one = JudgeParity(r, a.output + ": " + role); one != kSuccess)
      code = one;
  return code;
}

int Report(const nlohmann::json& report, const ConvertArguments& a) {
  if (a.json) {
    Print(Dump(report));
  } else if (!a.bundle) {
    PrintReport(a.output, report);
  } else {
    for (const auto& [role, r] : report.items()) {
      if (role == "text")
        PrintText(r);
      else
        PrintReport(a.output + ": " + role, r);
    }
  }
  const int written = FinishOutput();
  return written != kSuccess ? written : JudgeParity(report, a);
}

// Writes the bundle; `plain` leaves out what may change its numbers. A report,
// or a message and the exit code.
int WriteBundle(const ConvertArguments& a, const std::string& folder,
                bool plain, nlohmann::json* report) {
  const munja::Result<std::string> made =
      munja::CreateModel(folder, {.detector = a.detector,
                                  .recognizer = a.recognizer,
                                  .classifier = a.classifier,
                                  .dictionary = a.dictionary,
                                  .configs = a.contracts,
                                  .name = a.name,
                                  .description = a.description,
                                  .fp16 = a.fp16 && !plain,
                                  .skip_comparison = a.no_compare || plain,
                                  .gpu_safe = a.gpu_safe && !plain,
                                  .images = a.pictures,
                                  .languages = a.languages,
                                  .no_languages = a.no_language});
  if (!made.ok())
    return FailAbout(made.error(), Subject::kInput,
                     {{folder, Subject::kOutput}});
  *report = nlohmann::json::parse(*made, nullptr, false);
  return report->is_object() ? kSuccess : kBug;
}

// Adds the effect of the conversion on text: figures of the bundle and, where
// options change its numbers, of the same models converted without them.
int AddText(const ConvertArguments& a, nlohmann::json* report) {
  EngineArguments engine;
  engine.model = a.output;
  nlohmann::ordered_json figures;
  if (const int code = Evaluate(engine, a.labels, &figures); code != kSuccess)
    return code;
  (*report)["text"]["labels"] = a.labels;
  (*report)["text"]["bundle"] = figures;
  if (!a.fp16 && !a.gpu_safe) return kSuccess;
  std::error_code error;
  // The folder is not beside the output: the user may have any folder there.
  const auto temporary = std::filesystem::temp_directory_path(error);
  std::string own = (temporary / "munja-XXXXXX").string();
  if (error || ::mkdtemp(own.data()) == nullptr) {
    PrintError(own, "cannot make a folder for the models to compare with");
    return kCannotWrite;
  }
  const std::filesystem::path exact = std::filesystem::path(own) / "exact";
  nlohmann::json ignored;
  int code = WriteBundle(a, exact.string(), true, &ignored);
  engine.model = exact.string();
  if (code == kSuccess) code = Evaluate(engine, a.labels, &figures);
  if (code == kSuccess) (*report)["text"]["exact"] = figures;
  std::filesystem::remove_all(own, error);
  return code;
}

// As the interface takes several: with commas between them.
std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& one : parts) text += (text.empty() ? "" : ",") + one;
  return text;
}

int ConvertBundle(const ConvertArguments& a) {
  if (!a.source.empty() || !a.shapes.empty() || !a.report_shape.empty() ||
      !a.values.empty() || a.keep_layout)
    return UsageError(
        "convert --bundle takes models by --detector and --recognizer, without "
        "SRC, --shape, --constant, --report-shape and --keep-layout");
  if (const int code = CheckIsFolderName(a.output); code != kSuccess)
    return code;
  if (a.detector.empty() || a.recognizer.empty())
    return UsageError(
        "convert --bundle needs --detector SRC and --recognizer SRC");
  // Before the long work.
  if (!a.labels.empty()) {
    const auto labels = munja::Evaluation::Create(a.labels);
    if (!labels.ok()) return Fail(labels.error(), Subject::kInput, a.labels);
  }
  nlohmann::json report;
  if (const int code = WriteBundle(a, a.output, false, &report);
      code != kSuccess)
    return code;
  if (!a.labels.empty())
    if (const int code = AddText(a, &report); code != kSuccess) return code;
  return Report(report, a);
}

int Convert(const ConvertArguments& a) {
  if (a.bundle) return ConvertBundle(a);
  if (!a.detector.empty() || !a.recognizer.empty() || !a.classifier.empty() ||
      !a.contracts.empty() || !a.languages.empty() || a.no_language ||
      !a.labels.empty())
    return UsageError(
        "--detector, --recognizer, --classifier, --contract, --language, "
        "--no-language and --eval belong to --bundle: give it, too");
  if (a.source.empty())
    return UsageError(
        "convert: give a model (a folder, .json, .pdmodel, .param, .onnx or "
        ".tflite)");
  if (a.source.ends_with(".tflite") && !a.pictures.empty())
    return UsageError(
        "--check-with compares with a source of another format; a .tflite is "
        "written as it is");
  if (const int code = CheckIsFile(a.source); code != kSuccess) return code;
  const std::string output = OutputPath(a.output);
  const munja::Result<std::string> made =
      munja::Convert(a.source, output,
                     {.fp16 = a.fp16,
                      .dictionary = a.dictionary,
                      .shape = Joined(a.shapes),
                      .report_shape = a.report_shape,
                      .constants = Joined(a.values),
                      .skip_comparison = a.no_compare,
                      .allow_custom_ops = a.allow_custom_ops,
                      .gpu_safe = a.gpu_safe,
                      .keep_layout = a.keep_layout,
                      .images = a.pictures});
  if (!made.ok())
    return FailAbout(made.error(), Subject::kInput,
                     {{output, Subject::kOutput}});
  const auto report = nlohmann::json::parse(*made, nullptr, false);
  return report.is_object() ? Report(report, a) : static_cast<int>(kBug);
}

}  // namespace

void AddConvert(CLI::App& app, Action* action) {
  auto a = std::make_shared<ConvertArguments>();
  CLI::App* command = AddToolCommand(app, kConvertCommand);
  command->add_option("SRC", a->source,
                      "A directory with a network, Paddle's inference.json or "
                      ".pdmodel, .onnx, ncnn's .param, or .tflite");
  command
      ->add_option("-o,--output", a->output,
                   "The .tflite file or, with --bundle, the directory to write")
      ->required();
  command->add_flag("--fp16", a->fp16, "Store weights as 16-bit floats");
  command->add_option("--dictionary", a->dictionary,
                      "Characters, one entry per line, stored in the network");
  command
      ->add_option("--shape", a->shapes,
                   "Fix an input, for example x=1x640x640x3 (batch, height, "
                   "width, channels); repeatable")
      ->allow_extra_args(false)
      ->take_all();
  command
      ->add_option("--constant", a->values,
                   "Replace an input by a number, for example train=0; "
                   "repeatable")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--report-shape", a->report_shape,
                      "Input shape of the report where sizes stay free");
  command->add_flag("--gpu-safe", a->gpu_safe,
                    "Rewrite what GPU delegates refuse: "
                    "hard sigmoids, resizes (they sample asymmetrically then), "
                    "transposed convolutions");
  command->add_flag("--keep-layout", a->keep_layout,
                    "Keep 4D inputs and outputs in the layout of the source "
                    "(NCHW)");
  command->add_option("--check-with", a->pictures,
                      "Images for the comparison with the source");
  command->add_option(
      "--eval", a->labels,
      "Labels to evaluate the bundle on; with --fp16 or --gpu-safe "
      "also without these");
  command->add_flag("--no-check", a->no_compare,
                    "Skip the comparison with the source");
  command->add_flag("--allow-custom-ops", a->allow_custom_ops,
                    "Allow operators that this runtime lacks");
  command->add_flag("-j,--json", a->json, "Print the report as JSON");
  command->add_flag("--bundle", a->bundle, "Write a bundle for munja read");
  command->add_option("--detector", a->detector, "Network that finds lines");
  command->add_option("--recognizer", a->recognizer,
                      "Network that reads lines");
  command->add_option("--classifier", a->classifier,
                      "Network that tells upright from rotated lines");
  command
      ->add_option("--contract", a->contracts,
                   "Pre- and post-processing: ppocrv6 (default), ppocrv5 or a "
                   "Paddle inference.yml; repeatable, one per network")
      ->allow_extra_args(false)
      ->take_all();
  auto* const language =
      command
          ->add_option(
              "--language", a->languages,
              "Language model (.lm) and the codes of its languages, for "
              "example ko=korean.lm; repeatable (default: those of the default "
              "model)")
          ->type_name("[CODES=]FILE")
          ->allow_extra_args(false)
          ->take_all();
  command->add_flag("--no-language", a->no_language, "Write no language models")
      ->excludes(language);
  command->add_option("--name", a->name,
                      "Name of the bundle (default: that of its directory)");
  command->add_option("--description", a->description, "One line about it");
  command->footer(
      "Examples:\n"
      "  munja convert det.onnx -o det.tflite --fp16\n"
      "  munja convert PP-OCRv5_mobile_det_infer/ -o det.tflite --gpu-safe \\\n"
      "    --shape x=1x640x640x3\n"
      "  munja convert --bundle --detector PP-OCRv5_mobile_det_infer/ \\\n"
      "    --recognizer PP-OCRv5_mobile_rec_infer/ -o models/v5\n"
      "  munja convert --bundle --detector det.ncnn.param \\\n"
      "    --recognizer rec.ncnn.param --dictionary keys.txt \\\n"
      "    --contract ppocrv6 -o models/mine");
  command->callback([a, action] { *action = [a] { return Convert(*a); }; });
}

}  // namespace munja::cli
