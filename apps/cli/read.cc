// munja read: the text of pictures.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch.h"
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/page_files.h"
#include "cli/pages.h"
#include "cli/picture_report.h"
#include "cli/shown.h"
#include "cli/streams.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

struct ReadArguments {
  EngineArguments engine;
  std::vector<std::string> files;
  std::vector<std::string> formats;
  std::string output;
  std::string overlay;
  std::string html;
  std::string dump_stages;
  double dpi = 0;
  std::string pdf_password;
  InputOptions inputs;
  PageArguments pages;
  BatchArguments batch;
  bool json = false;
  bool print_settings = false;
};

// Without -o, text and JSON are printed picture by picture.
bool IsPrinted(const ReadArguments& a) {
  return a.output.empty() && (a.formats[0] == "text" || a.formats[0] == "json");
}

int PrintPage(const ReadArguments& a, const ReadPage& page, bool is_first,
              bool has_name) {
  std::string out;
  if (a.formats[0] == "json") {
    out = page.page.ToJson(page.options.source);
    if (!out.ends_with('\n')) out += '\n';
  } else {
    if (has_name)
      out = (is_first ? "==> " : "\n==> ") + Shown(page.name) + " <==\n";
    out += page.page.ToText();
  }
  Print(out);
  // Programs that read the output get each page as it is read.
  return FinishOutput();
}

// The formats of --format and --json, else that of the extension of -o.
int ChooseFormats(ReadArguments* a) {
  if (a->json) a->formats.emplace_back("json");
  if (a->formats.empty()) {
    const std::string format = munja::FormatOf(a->output);
    const std::string extension =
        std::filesystem::path(a->output).extension().string();
    if (format.empty() && extension.size() > 1)
      return UsageError(a->output + ": no format has the extension " +
                        extension + "; name one with --format");
    a->formats = {format.empty() ? "text" : format};
  }
  std::vector<std::string> once;
  for (const std::string& format : a->formats)
    if (std::find(once.begin(), once.end(), format) == once.end())
      once.push_back(format);
  a->formats = once;
  const bool is_batch = !a->batch.folder.empty();
  if (once.size() > 1 && !is_batch && (a->output.empty() || a->output == "-"))
    return UsageError(
        "several formats are several files: name them with -o NAME, to which "
        "each adds its extension, or with --output-dir");
  if (is_batch && !(a->output.empty() && a->overlay.empty() &&
                    a->html.empty() && a->dump_stages.empty()))
    return UsageError(
        "--output-dir writes a file for each image; -o, --overlay, --html "
        "and --dump-stages are for other runs");
  if (!is_batch && a->batch.resumes)
    return UsageError("--resume goes on with an --output-dir: name it");
  return kSuccess;
}

// The page of --html, which goes to its file picture by picture. After a
// failure nothing is written; Finish() returns its exit code.
class HtmlFile {
 public:
  explicit HtmlFile(const std::string& name)
      : name_(name), path_(OutputPath(name)) {}

  void Add(const ReadPage& page) {
    if (name_.empty() || failure_ != kSuccess) return;
    report_.AddRead(page.name, page.options.file, page.image, page.page);
    Keep(Write(report_.Take()));
  }
  int Finish() {
    if (name_.empty() || failure_ != kSuccess) return failure_;
    munja::Status status = Write(report_.Finish());
    if (status.ok()) status = file_->Commit();
    Keep(status);
    return failure_;
  }

 private:
  munja::Status Write(const std::string& bytes) {
    if (!file_) {
      munja::Result<munja::OutputFile> opened = munja::OutputFile::Open(path_);
      if (!opened.ok()) return opened.error();
      file_ = *std::move(opened);
    }
    return file_->Write(bytes);
  }
  void Keep(const munja::Status& status) {
    if (status.ok()) return;
    failure_ = Fail(status, Subject::kOutput, name_);
    file_.reset();
  }

  const std::string name_, path_;
  PictureReport report_{"What was read"};
  std::optional<munja::OutputFile> file_;  // Opened with the first picture.
  int failure_ = kSuccess;
};

// Prints its settings where they are asked for: those that the pages are read
// with.
int CreateReader(ReadArguments* a, std::optional<munja::Engine>* engine) {
  if (a->print_settings && a->pages.min_confidence)
    a->engine.settings.push_back("min_confidence=" +
                                 std::to_string(*a->pages.min_confidence));
  if (const int code = CreateEngine(a->engine, engine); code != kSuccess)
    return code;
  if (a->print_settings) Print((*engine)->settings() + "\n");
  return kSuccess;
}

// With --output-dir.
int ReadMany(ReadArguments a, const Inputs& inputs) {
  a.batch.formats = a.formats;
  a.batch.pages = a.pages;
  // As many pictures at a time, each by one thread: no cores wait.
  a.batch.jobs = a.engine.threads;
  a.batch.pages.threads = a.engine.threads = 1;
  std::optional<munja::Engine> engine;
  if (const int code = CreateReader(&a, &engine); code != kSuccess) return code;
  return ReadBatch(*engine, a.batch, inputs);
}

int Read(ReadArguments a) {
  SetPageDpi(a.dpi);
  if (const int code = ChooseFormats(&a); code != kSuccess) return code;
  if (a.inputs.is_list_of_nul && a.inputs.list.empty())
    return UsageError(
        "--null is for a list of names: name it with --files-from");
  if (a.files.empty() && a.inputs.list.empty() && !a.print_settings)
    return UsageError(
        "read: give a picture, a folder or - (see munja read --help)");
  const Inputs inputs = ExpandInputs(a.files, a.inputs);
  if (!a.overlay.empty() && inputs.files.size() > 1)
    return UsageError("--overlay takes one picture, not " +
                      std::to_string(inputs.files.size()));
  if (std::count_if(inputs.files.begin(), inputs.files.end(), IsStandardInput) >
      1)
    return UsageError("standard input (-) can be read once only");
  const bool has_inputs = !a.files.empty() || !a.inputs.list.empty();
  if (inputs.files.empty() && has_inputs) return kBadInput;
  SetPdfPassword(a.pdf_password, inputs.files);
  if (!a.batch.folder.empty()) return ReadMany(a, inputs);

  PageFiles files;
  if (!IsPrinted(a)) {
    const int code = files.Open(a.formats, a.output.empty() ? "-" : a.output);
    if (code != kSuccess) return code;
  }
  std::vector<std::string> outputs = files.names();
  outputs.insert(outputs.end(), {a.overlay, a.html});
  for (const std::string& file : inputs.files)
    for (const std::string& output : outputs)
      if (const int code = CheckIsOther(output, file); code != kSuccess)
        return code;
  const std::string overlay = OutputPath(a.overlay);
  HtmlFile html(a.html);
  std::optional<munja::Engine> engine;
  if (const int code = CreateReader(&a, &engine); code != kSuccess) return code;
  size_t read = 0;
  int first_failure = inputs.errors > 0 ? kBadInput : kSuccess;
  const size_t count = inputs.files.size();
  a.pages.threads = a.engine.threads;
  for (size_t i = 0; i < count && !(files.is_done() && !IsPrinted(a)); ++i) {
    const std::string& file = inputs.files[i];
    ShowProgress(i + 1, count, file);
    RestartTime();
    std::string dump_directory = a.dump_stages;
    if (!dump_directory.empty() && count > 1)
      dump_directory += "/" + std::to_string(i + 1);
    const auto use = [&](const ReadPage& page) -> int {
      const int code = IsPrinted(a)
                           ? PrintPage(a, page, i == 0 && page.index == 0,
                                       count > 1 || page.count > 1)
                           : files.Add(page.page, page.options, page.name);
      if (code != kSuccess) return code;
      html.Add(page);
      if (overlay.empty()) return kSuccess;
      const munja::Status status = page.page.SaveOverlay(page.image, overlay);
      return status.ok() ? static_cast<int>(kSuccess)
                         : Fail(status, Subject::kOutput, overlay);
    };
    const FileOutcome outcome =
        ReadPages(*engine, file, a.pages, dump_directory, use);
    if (Interrupted() != 0) return kUnavailable;
    read += static_cast<size_t>(outcome.pages);
    if (first_failure == kSuccess) first_failure = outcome.first_failure;
    // Nothing that comes later can arrive either.
    if (const int output = FinishOutput(); output != kSuccess) {
      ShowProgress(0, count, "");
      return output;
    }
  }
  ShowProgress(0, count, "");
  // Files are those of what could be read; none where nothing could.
  if (read > 0) {
    if (const int code = files.Finish(); code != kSuccess) return code;
    if (const int code = html.Finish(); code != kSuccess) return code;
  }
  if (first_failure != kSuccess && read > 0) return kSomeFailed;
  return FinishWith(first_failure);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

void AddRead(CLI::App& app, Action* action) {
  auto a = std::make_shared<ReadArguments>();
  CLI::App* command = app.add_subcommand("read", "Read the text of images");
  command->add_option("FILE", a->files,
                      "Images (JPEG, PNG, WebP, BMP, GIF, TIFF, PNM, HEIC, "
                      "AVIF, JPEG 2000, JPEG XL), PDF files, directories of "
                      "images, or - for standard input");
  command
      ->add_option(
          "-f,--format", a->formats,
          "Output format (default: text); repeatable: " + Joined(FormatNames()))
      ->allow_extra_args(false)  // The next word is an image.
      ->take_all()
      ->check(OneOf(FormatNames()));
  command->add_flag("-j,--json", a->json, "The same as --format json");
  command->add_option("-o,--output", a->output,
                      "Write all images to FILE, one page each; format "
                      "inferred from the extension");
  command->add_option("--output-dir", a->batch.folder,
                      "Write one file per image to DIR, several images in "
                      "parallel");
  command->add_option("--output-name", a->batch.name,
                      "File names in --output-dir, of {stem}, {name} and "
                      "{folder} (default: {folder}/{stem})");
  command->add_flag("--resume", a->batch.resumes,
                    "Continue an --output-dir: skip what is written");
  command->add_flag("-r,--recursive", a->inputs.is_recursive,
                    "Recurse into subdirectories");
  command->add_option("--files-from", a->inputs.list,
                      "Read the names of images from FILE, one per line; - for "
                      "standard input");
  command->add_flag("--null", a->inputs.is_list_of_nul,
                    "Names in --files-from end with a zero byte, as find "
                    "-print0 and git ls-files -z write them");
  command->add_option("--overlay", a->overlay,
                      "Write a PNG with the lines drawn over the image");
  command->add_option("--html", a->html,
                      "Write an HTML report: images, boxes and text");
  command
      ->add_option("--min-confidence", a->pages.min_confidence,
                   "Drop lines below this confidence, 0 to 1 (default: that of "
                   "the model; 0: keep all)")
      ->check(Between(0.0, 1.0));
  command->add_flag("--line", a->pages.is_line,
                    "Read each image as a single text line");
  command
      ->add_option("--dpi", a->dpi,
                   "Resolution of PDF pages (default: that of a page's only "
                   "image, else 200)")
      ->check(CLI::Range(1.0, 2400.0));
  command
      ->add_option("--pdf-password", a->pdf_password,
                   "Password of PDF files (default: $MUNJA_PDF_PASSWORD; at a "
                   "terminal it is asked for)")
      ->type_name("PASSWORD");
  command->add_flag("--all-frames", a->pages.all_frames,
                    "Read all frames of animations (GIF, WebP)");
  AddEngineOptions(*command, &a->engine);
  constexpr char kDebugging[] = "Debugging";
  command
      ->add_flag("--print-settings", a->print_settings,
                 "Print the settings in use as JSON")
      ->group(kDebugging);
  command
      ->add_option("--dump-stages", a->dump_stages,
                   "Write the intermediate images to DIR")
      ->group(kDebugging);
  AddTraceOption(*command);
  command->footer(
      "Examples:\n"
      "  munja read receipt.jpg\n"
      "  munja read -f json scans/ > scans.jsonl\n"
      "  munja read -o book.pdf scans/\n"
      "  munja read -r -f pdf --output-dir out --resume scans/\n"
      "  munja read -f text -f hocr -o page page.png\n"
      "  curl -s https://example.com/page.png | munja read -\n"
      "  munja read --overlay seen.png --min-confidence 0.5 photo.jpg");
  command->callback([a, action] { *action = [a] { return Read(*a); }; });
}

}  // namespace munja::cli
