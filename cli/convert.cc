// munja convert: foreign models to .tflite, and whole bundles.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "munja/munja.hpp"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

struct Arguments {
  std::string source, output, dictionary, shape;
  bool fp16 = false, bundle = false, no_compare = false, json = false;
  bool allow_custom_ops = false;
  std::string detector, recognizer, classifier, name, description;
  std::vector<std::string> contracts;
};

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
  Printf("  parameters      %lld\n",
         static_cast<long long>(r.value("parameters", int64_t{0})));
  if (r.contains("multiply_accumulates"))
    Printf("  MACs            %.1f million at %s\n",
           r.value("multiply_accumulates", 0.0) / 1e6,
           r.value("shape", "").c_str());
  Printf("  file            %lld bytes\n",
         static_cast<long long>(r.value("file_bytes", int64_t{0})));
  if (r.contains("max_difference"))
    Printf("  difference      %.3g at most from the source, at %s\n",
           r.value("max_difference", 0.0),
           r.value("compared_shape", "").c_str());
  const auto notes = r.value("notes", nlohmann::json::array());
  for (const auto& note : notes)
    if (note.is_string())
      Printf("  note            %s\n", note.get<std::string>().c_str());
}

int Report(char* raw, const Arguments& a) {
  const std::string text = api::TakeText(raw);
  if (a.json) {
    Print(text + "\n");
    return FinishOutput();
  }
  const auto report = nlohmann::json::parse(text, nullptr, false);
  if (!report.is_object()) return kBug;
  if (!a.bundle) {
    PrintReport(a.output, report);
  } else {
    for (const auto& [role, r] : report.items())
      PrintReport(a.output + ": " + role, r);
  }
  return FinishOutput();
}

int ConvertBundle(const Arguments& a) {
  if (!a.source.empty() || !a.shape.empty())
    return UsageError(
        "convert --bundle takes --detector and --recognizer, not a source or "
        "--shape");
  if (a.detector.empty() || a.recognizer.empty())
    return UsageError("convert --bundle needs --detector and --recognizer");
  munja_bundle_options options = {};
  options.struct_size = sizeof options;
  const auto given = [](const std::string& s) {
    return s.empty() ? nullptr : s.c_str();
  };
  options.detector = a.detector.c_str();
  options.recognizer = a.recognizer.c_str();
  options.classifier = given(a.classifier);
  options.dictionary = given(a.dictionary);
  options.name = given(a.name);
  options.description = given(a.description);
  std::vector<const char*> contracts;
  for (const std::string& contract : a.contracts)
    contracts.push_back(contract.c_str());
  options.contracts = contracts.data();
  options.contract_count = static_cast<int32_t>(contracts.size());
  options.fp16 = a.fp16;
  options.skip_comparison = a.no_compare;
  char* report = nullptr;
  const munja_status status =
      munja_bundle_write(a.output.c_str(), &options, &report);
  if (status == MUNJA_OK) return Report(report, a);
  return Fail(status, status == MUNJA_IO ? Subject::kOutput : Subject::kInput,
              "");
}

int Convert(const Arguments& a) {
  if (a.bundle) return ConvertBundle(a);
  if (a.source.empty())
    return UsageError("convert: give a model (.param, .onnx or .tflite)");
  if (!a.detector.empty() || !a.recognizer.empty() || !a.classifier.empty() ||
      !a.contracts.empty())
    return UsageError(
        "--detector, --recognizer, --classifier and --contract belong to "
        "--bundle");
  munja_convert_options options = {};
  options.struct_size = sizeof options;
  options.fp16 = a.fp16;
  options.dictionary = a.dictionary.empty() ? nullptr : a.dictionary.c_str();
  options.shape = a.shape.empty() ? nullptr : a.shape.c_str();
  options.skip_comparison = a.no_compare;
  options.allow_custom_ops = a.allow_custom_ops;
  char* report = nullptr;
  const munja_status status =
      munja_convert(a.source.c_str(), a.output.c_str(), &options, &report);
  if (status == MUNJA_OK) return Report(report, a);
  return Fail(status, status == MUNJA_IO ? Subject::kOutput : Subject::kInput,
              "");
}

}  // namespace

void AddConvert(CLI::App& app, Action* action) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "convert", "Convert an ncnn or ONNX model to .tflite, or a whole bundle");
  command->add_option("SRC", a->source,
                      "ncnn .param (its .bin beside it), .onnx or .tflite");
  command
      ->add_option("-o,--output", a->output,
                   "The .tflite file or, with --bundle, the folder to write")
      ->required();
  command->add_flag("--fp16", a->fp16, "Store weights as 16-bit floats");
  command->add_option("--dictionary", a->dictionary,
                      "Characters, one entry a line, packed with the model");
  command->add_option("--shape", a->shape,
                      "Input shape of the report, for example 1x640x640x3");
  command->add_flag("--no-compare", a->no_compare,
                    "Leave out the comparison with the source");
  command->add_flag("--allow-custom-ops", a->allow_custom_ops,
                    "Write a .tflite with operators that are not in this "
                    "program");
  command->add_flag("--json", a->json, "Print the report as JSON");
  command->add_flag("--bundle", a->bundle, "Write a bundle for munja read");
  command->add_option("--detector", a->detector, "Model that finds lines");
  command->add_option("--recognizer", a->recognizer, "Model that reads lines");
  command->add_option("--classifier", a->classifier,
                      "Model that tells upright lines from turned ones");
  command
      ->add_option("--contract", a->contracts,
                   "ppocrv6 (default), ppocrv5 or a Paddle inference.yml (may "
                   "be repeated, one for each model)")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--name", a->name,
                      "Name of the bundle (default: its folder's)");
  command->add_option("--description", a->description, "One line about it");
  command->footer(
      "Examples:\n"
      "  munja convert det.onnx -o det.tflite --fp16\n"
      "  munja convert --bundle --detector det.ncnn.param \\\n"
      "    --recognizer rec.ncnn.param --dictionary keys.txt \\\n"
      "    --contract ppocrv6 -o models/mine");
  command->callback([a, action] { *action = [a] { return Convert(*a); }; });
}

}  // namespace munja::cli
