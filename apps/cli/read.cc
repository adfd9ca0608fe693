// munja read: the text of pictures.
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
#include "cli/picture_report.h"
#include "cli/streams.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/tools/file.h"

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
  std::optional<float> min_confidence;
  double dpi = 0;
  InputOptions inputs;
  BatchArguments batch;
  bool all_frames = false;
  bool json = false;
  bool line = false;
  bool print_settings = false;
};

// Without -o, text and JSON are printed picture by picture.
bool IsPrinted(const ReadArguments& a) {
  return a.output.empty() && (a.formats[0] == "text" || a.formats[0] == "json");
}

int PrintDocument(const ReadArguments& a, const munja_document* document,
                  const std::string& file, const std::string& name,
                  bool is_first, bool has_name) {
  const bool is_json = a.formats[0] == "json";
  char* text = nullptr;
  const munja_status status =
      is_json ? munja_document_to_json(document, file.c_str(), &text)
              : munja_document_to_text(document, &text);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, name);
  std::string out = munja::TakeText(text);
  if (is_json) {
    if (!out.ends_with('\n')) out += '\n';
  } else if (has_name) {
    out = (is_first ? "==> " : "\n==> ") + name + " <==\n" + out;
  }
  Print(out);
  return kSuccess;
}

// One input among others.
struct Input {
  const std::string& file;
  size_t index, count;
  const std::string& overlay;  // Empty: none.
};

// Reads one picture of a file, prints what it says or adds it to `files`, and
// draws it. A message and an exit code when that fails.
int ReadPicture(munja_engine* engine, const ReadArguments& a,
                const Input& input, const munja_image* image,
                const std::vector<unsigned char>& bytes, int32_t picture,
                int32_t pictures, PictureReport* report, PageFiles* files) {
  // As PDF viewers name pages.
  const std::string page =
      pictures > 1 ? "#page=" + std::to_string(picture + 1) : std::string();
  const std::string name = DisplayName(input.file) + page;
  munja_read_options options = {};
  options.struct_size = sizeof options;
  options.task = a.line ? MUNJA_TASK_LINE : MUNJA_TASK_PAGE;
  options.has_min_confidence = a.min_confidence ? 1 : 0;
  options.min_confidence = a.min_confidence.value_or(0.0f);
  std::string folder = a.dump_stages;
  if (!folder.empty() && input.count > 1)
    folder += "/" + std::to_string(input.index + 1);
  if (!folder.empty() && pictures > 1)
    folder += "/page-" + std::to_string(picture + 1);
  if (!folder.empty()) options.dump_directory = folder.c_str();
  munja_document* raw = nullptr;
  munja_status status = munja_engine_read(engine, image, &options, &raw);
  if (status != MUNJA_OK) return FailRead(status, name);
  const DocumentHandle document(raw);

  const std::string source = input.file + page;
  int code = kSuccess;
  if (IsPrinted(a)) {
    code = PrintDocument(a, document.get(), source, name,
                         input.index == 0 && picture == 0,
                         input.count > 1 || pictures > 1);
  } else {
    munja_page written = {};
    written.struct_size = sizeof written;
    written.document = document.get();
    written.source = source.c_str();
    written.image = image;
    if (picture == 0) {
      written.file = bytes.data();
      written.file_size = bytes.size();
    }
    code = files->Add(written, name);
  }
  if (code != kSuccess) return code;

  if (!a.html.empty()) report->AddRead(input.file, image, document.get());
  if (!input.overlay.empty()) {
    status = munja_document_write_overlay(document.get(), image,
                                          input.overlay.c_str());
    if (status != MUNJA_OK)
      return Fail(status, Subject::kOutput, input.overlay);
  }
  return kSuccess;
}

// Reads all pictures of a file; those that cannot be read do not stop the rest.
int ReadOne(munja_engine* engine, const ReadArguments& a, const Input& input,
            PictureReport* report, PageFiles* files) {
  const std::string name = DisplayName(input.file);
  ImageHandle image;
  std::vector<unsigned char> bytes;
  munja_status status = LoadImage(input.file, a.engine.threads, &image, &bytes);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, name);
  const int32_t pictures = bytes.empty() ? 1 : PicturesIn(bytes, a.all_frames);
  int first = kSuccess;
  for (int32_t i = 0; i < pictures && Interrupted() == 0; ++i) {
    int code = kSuccess;
    if (i > 0) {
      const munja_decode_options options = DecodeOptions(a.engine.threads, i);
      munja_image* next = nullptr;
      image.reset();
      status = munja_image_decode(bytes.data(), bytes.size(), &options, &next);
      if (status != MUNJA_OK)
        code = Fail(status, Subject::kInput,
                    name + "#page=" + std::to_string(i + 1));
      else
        image.reset(next);
    }
    if (code == kSuccess)
      code = ReadPicture(engine, a, input, image.get(), bytes, i, pictures,
                         report, files);
    if (first == kSuccess) first = code;
  }
  return first != kSuccess && pictures > 1 ? kSomeFailed : first;
}

// The formats of --format and --json, else that of the extension of -o.
int ChooseFormats(ReadArguments* a) {
  if (a->json) a->formats.emplace_back("json");
  if (a->formats.empty()) {
    const Format* const format = FormatOf(a->output);
    a->formats = {format != nullptr ? format->name : "text"};
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

// With --output-dir.
int ReadMany(ReadArguments a, const Inputs& inputs) {
  a.batch.formats = a.formats;
  a.batch.is_line = a.line;
  a.batch.all_frames = a.all_frames;
  a.batch.min_confidence = a.min_confidence;
  // As many pictures at a time, each by one thread: no cores wait.
  a.batch.jobs = a.engine.threads;
  a.engine.threads = 1;
  EngineHandle engine;
  if (const int code = CreateEngine(a.engine, &engine); code != kSuccess)
    return code;
  return ReadBatch(engine.get(), a.batch, inputs);
}

int Read(ReadArguments a) {
  SetPageDpi(a.dpi);
  if (const int code = ChooseFormats(&a); code != kSuccess) return code;
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
  const std::string report_path = OutputPath(a.html);
  PictureReport report("What was read");
  EngineHandle engine;
  if (const int code = CreateEngine(a.engine, &engine); code != kSuccess)
    return code;
  if (a.print_settings) {
    char* json = nullptr;
    const munja_status status = munja_engine_settings(engine.get(), &json);
    if (status != MUNJA_OK) return Fail(status, Subject::kModel, "");
    Print(munja::TakeText(json) + "\n");
  }
  size_t read = 0;
  int first_failure = inputs.errors > 0 ? kBadInput : kSuccess;
  const size_t count = inputs.files.size();
  for (size_t i = 0; i < count; ++i) {
    ShowProgress(i + 1, count, inputs.files[i]);
    RestartTime();
    const int code = ReadOne(
        engine.get(), a, {inputs.files[i], i, count, overlay}, &report, &files);
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
  if (!a.html.empty()) {
    const std::string page = report.Finish();
    const munja_status status =
        munja_write_file(report_path.c_str(), page.data(), page.size());
    if (status != MUNJA_OK) return Fail(status, Subject::kOutput, a.html);
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
                      "AVIF), PDF files, directories of images, or - for "
                      "standard input");
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
  command->add_option("--overlay", a->overlay,
                      "Write a PNG with the lines drawn over the image");
  command->add_option("--html", a->html,
                      "Write an HTML report: images, boxes and text");
  command
      ->add_option("--min-confidence", a->min_confidence,
                   "Drop lines below this confidence, 0 to 1 (default: that of "
                   "the model; 0: keep all)")
      ->check(Between(0.0, 1.0));
  command->add_flag("--line", a->line, "Read each image as a single text line");
  command
      ->add_option("--dpi", a->dpi,
                   "Resolution of PDF pages (default: that of a page's only "
                   "image, else 200)")
      ->check(CLI::Range(1.0, 2400.0));
  command->add_flag("--all-frames", a->all_frames,
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
