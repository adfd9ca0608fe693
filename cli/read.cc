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
#include "cli/page_files.h"
#include "cli/picture_report.h"
#include "cli/streams.h"
#include "cli/usage.h"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

struct ReadArguments {
  EngineArguments engine;
  std::vector<std::string> files;
  std::vector<std::string> formats;
  std::string output;
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

// Without -o, text and JSON are printed picture by picture.
bool IsPrinted(const ReadArguments& a) {
  return a.output.empty() && (a.formats[0] == "text" || a.formats[0] == "json");
}

int PrintDocument(const ReadArguments& a, const munja_document* document,
                  const std::string& file, size_t index, size_t count) {
  const std::string name = DisplayName(file);
  const bool is_json = a.formats[0] == "json";
  char* text = nullptr;
  const munja_status status =
      is_json ? munja_document_to_json(document, file.c_str(), &text)
              : munja_document_to_text(document, &text);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, name);
  std::string out = api::TakeText(text);
  if (is_json) {
    if (!out.ends_with('\n')) out += '\n';
  } else if (count > 1) {
    out = (index > 0 ? "\n==> " : "==> ") + name + " <==\n" + out;
  }
  Print(out);
  return kSuccess;
}

// Reads one picture, prints what it says or adds it to `files`, and draws it to
// `overlay` unless that is empty. A message and an exit code when
// that fails.
int ReadOne(munja_engine* engine, const ReadArguments& a,
            const std::string& overlay, const std::string& file, size_t index,
            size_t count, PictureReport* report, PageFiles* files) {
  const std::string name = DisplayName(file);
  const auto start = std::chrono::steady_clock::now();
  ImageHandle image;
  std::vector<unsigned char> bytes;
  munja_status status = LoadImage(file, a.engine.threads, &image,
                                  ShowsPictures(a.formats) ? &bytes : nullptr);
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

  int code = kSuccess;
  if (IsPrinted(a)) {
    code = PrintDocument(a, document.get(), file, index, count);
  } else {
    munja_page page = {};
    page.struct_size = sizeof page;
    page.document = document.get();
    page.source = file.c_str();
    page.image = image.get();
    page.file = bytes.data();
    page.file_size = bytes.size();
    code = files->Add(page, name);
  }
  if (code != kSuccess) return code;

  if (!a.report.empty()) report->AddRead(file, image.get(), document.get());
  if (!overlay.empty()) {
    status = munja_document_write_overlay(document.get(), image.get(),
                                          overlay.c_str());
    if (status != MUNJA_OK) return Fail(status, Subject::kOutput, overlay);
  }
  return kSuccess;
}

// The formats that -o says, where --format does not.
int ChooseFormats(ReadArguments* a) {
  if (a->formats.empty()) {
    const Format* const format = FormatOf(a->output);
    a->formats = {format != nullptr ? format->name : "text"};
  }
  std::vector<std::string> once;
  for (const std::string& format : a->formats)
    if (std::find(once.begin(), once.end(), format) == once.end())
      once.push_back(format);
  a->formats = once;
  if (once.size() > 1 && (a->output.empty() || a->output == "-"))
    return UsageError(
        "several formats are several files: name them with -o NAME, to which "
        "each adds its extension");
  return kSuccess;
}

int Read(ReadArguments a) {
  if (const int code = ChooseFormats(&a); code != kSuccess) return code;
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

  PageFiles files;
  if (!IsPrinted(a)) {
    const int code = files.Open(a.formats, a.output.empty() ? "-" : a.output);
    if (code != kSuccess) return code;
  }
  std::vector<std::string> outputs = files.names();
  outputs.insert(outputs.end(), {a.overlay, a.report});
  for (const std::string& file : inputs.files)
    for (const std::string& output : outputs)
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
    const int code = ReadOne(engine.get(), a, overlay, inputs.files[i], i,
                             count, &report, &files);
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
  // Files are those of what could be read; none where nothing could.
  if (read > 0)
    if (const int code = files.Finish(); code != kSuccess) return code;
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
  command
      ->add_option(
          "--format", a->formats,
          "What is written (text, the default, json ...); may be given "
          "several times")
      ->allow_extra_args(false)  // What follows the value is a picture.
      ->take_all()
      ->check(OneOf(FormatNames()));
  command->add_option("-o,--output", a->output,
                      "Write to this file, all pictures as its pages; its "
                      "extension says the format");
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
      "  munja read -o book.pdf scans/\n"
      "  munja read --format text --format hocr -o page page.png\n"
      "  curl -s https://example.com/page.png | munja read -\n"
      "  munja read --overlay seen.png --min-confidence 0.5 photo.jpg");
  command->callback([a, action] { *action = [a] { return Read(*a); }; });
}

}  // namespace munja::cli
