// munja read: the text of pictures.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/picture_report.h"
#include "cli/streams.h"
#include "cli/usage.h"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

struct ReadArguments {
  EngineArguments engine;
  std::vector<std::string> files;
  std::string format = "text";
  std::string overlay;
  std::string report;
  std::string dump_stages;
  float min_confidence = 0;
  bool line = false;
  bool print_settings = false;
};

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

// Reads one picture and prints what it says, and draws it to `overlay` unless
// that is empty. A message and an exit code when
// that fails.
int ReadOne(munja_engine* engine, const ReadArguments& a,
            const std::string& overlay, const std::string& file, size_t index,
            size_t count, PictureReport* report) {
  const std::string name = DisplayName(file);
  const auto start = std::chrono::steady_clock::now();
  ImageHandle image;
  munja_status status = LoadImage(file, a.engine.threads, &image);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, name);

  munja_read_options options = {};
  options.struct_size = sizeof options;
  options.task = a.line ? MUNJA_READ_LINE : MUNJA_READ_PAGE;
  options.min_confidence = a.min_confidence;
  options.decode_ms = MillisecondsSince(start);
  std::string folder = a.dump_stages;
  if (!folder.empty() && count > 1) folder += "/" + std::to_string(index + 1);
  if (!folder.empty()) options.dump_folder = folder.c_str();
  munja_document* raw = nullptr;
  status = munja_engine_read(engine, image.get(), &options, &raw);
  if (status != MUNJA_OK) return FailRead(status, name);
  const DocumentHandle document(raw);

  char* text = nullptr;
  status = a.format == "json"
               ? munja_document_to_json(document.get(), file.c_str(), &text)
               : munja_document_to_text(document.get(), &text);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, name);
  std::string out = api::TakeText(text);
  if (a.format == "json") {
    if (!out.ends_with('\n')) out += '\n';
  } else if (count > 1) {
    out = (index > 0 ? "\n==> " : "==> ") + name + " <==\n" + out;
  }
  Print(out);

  if (!a.report.empty()) report->AddRead(file, image.get(), document.get());
  if (!overlay.empty()) {
    status = munja_document_write_overlay(document.get(), image.get(),
                                          overlay.c_str());
    if (status != MUNJA_OK) return Fail(status, Subject::kOutput, overlay);
  }
  return kSuccess;
}

int Read(const ReadArguments& a) {
  if (a.files.empty() && !a.print_settings)
    return UsageError(
        "read: give a picture, a folder or - (see munja read --help)");
  const Inputs inputs = ExpandInputs(a.files);
  if (!a.overlay.empty() && inputs.files.size() > 1)
    return UsageError("--overlay takes one picture, not " +
                      std::to_string(inputs.files.size()));
  if (std::count_if(inputs.files.begin(), inputs.files.end(), IsStandardInput) >
      1)
    return UsageError("standard input (-) can be read once only");
  if (inputs.files.empty() && !a.files.empty()) return kBadInput;

  for (const std::string& file : inputs.files)
    for (const std::string& output : {a.overlay, a.report})
      if (const int code = CheckIsOther(output, file); code != kSuccess)
        return code;
  const std::string overlay = OutputPath(a.overlay);
  const std::string report_path = OutputPath(a.report);
  PictureReport report("What was read");
  EngineHandle engine;
  if (const int code = CreateEngine(a.engine, &engine); code != kSuccess)
    return code;
  if (a.print_settings) {
    char* json = nullptr;
    const munja_status status = munja_engine_settings(engine.get(), &json);
    if (status != MUNJA_OK) return Fail(status, Subject::kModel, "");
    Print(api::TakeText(json) + "\n");
  }
  size_t read = 0;
  int first_failure = inputs.errors > 0 ? kBadInput : kSuccess;
  const size_t count = inputs.files.size();
  for (size_t i = 0; i < count; ++i) {
    ShowProgress(i + 1, count, inputs.files[i]);
    RestartTime();
    const int code =
        ReadOne(engine.get(), a, overlay, inputs.files[i], i, count, &report);
    if (Interrupted() != 0) return code;
    if (code == kSuccess) ++read;
    if (first_failure == kSuccess) first_failure = code;
    // Nothing that comes later can arrive either.
    if (const int output = FinishOutput(); output != kSuccess) {
      ShowProgress(0, count, "");
      return output;
    }
  }
  ShowProgress(0, count, "");
  if (!a.report.empty()) {
    const std::string page = report.Finish();
    const munja_status status =
        munja_write_file(report_path.c_str(), page.data(), page.size());
    if (status != MUNJA_OK) return Fail(status, Subject::kOutput, a.report);
  }
  if (first_failure != kSuccess && read > 0) return kSomeFailed;
  return FinishWith(first_failure);
}

}  // namespace

void AddRead(CLI::App& app, Action* action) {
  auto a = std::make_shared<ReadArguments>();
  CLI::App* command = app.add_subcommand("read", "Read the text of pictures");
  command->add_option("FILE", a->files,
                      "Pictures (JPEG, PNG, WebP, BMP, GIF, TIFF), folders of "
                      "pictures, or - for standard input");
  AddEngineOptions(*command, &a->engine);
  command->add_option("--format", a->format, "text or json")
      ->check(OneOf({"text", "json"}));
  command->add_option("--overlay", a->overlay,
                      "Write a PNG with the lines drawn over the picture");
  command->add_option("--report", a->report,
                      "Write a page of HTML with the pictures, their boxes and "
                      "the text beside them");
  command->add_option("--dump-stages", a->dump_stages,
                      "Write the pictures between the stages to this folder");
  command
      ->add_option("--min-confidence", a->min_confidence,
                   "Leave out lines below this confidence")
      ->check(Between(0.0, 1.0));
  command->add_flag("--line", a->line, "Each picture is one line of text");
  command->add_flag("--print-settings", a->print_settings,
                    "Print the settings in force as JSON");
  command->footer(
      "Examples:\n"
      "  munja read receipt.jpg\n"
      "  munja read --format json scans/ > scans.jsonl\n"
      "  curl -s https://example.com/page.png | munja read -\n"
      "  munja read --overlay seen.png --min-confidence 0.5 photo.jpg");
  command->callback([a, action] { *action = [a] { return Read(*a); }; });
}

}  // namespace munja::cli
