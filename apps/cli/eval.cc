// munja eval: figures against labels.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/eval.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/picture_report.h"
#include "cli/reliability_plot.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "cli/system_memory.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
  EngineArguments engine;
  std::string labels, task = "e2e", results, from_results, report, reliability;
  std::vector<std::string> dont_care;
  bool json = false;
};

// Which figures a task has. Without texts those of texts would all be zero.
bool Belongs(const std::string& task, const std::string& figure) {
  if (task != "detect") return true;
  return figure == "images" || figure == "missing_results" ||
         figure == "lines" || figure == "boxes" || figure.starts_with("det_");
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Evaluator {
 public:
  explicit Evaluator(const EvalArguments& a) : a_(a) {}

  // Reads and scores; a picture that cannot be read is no failure.
  int Run(Json* figures) {
    munja::Result<munja::Evaluation> made =
        munja::Evaluation::Create(a_.labels);
    if (!made.ok()) return Fail(made.error(), Subject::kInput, a_.labels);
    evaluation_ = *std::move(made);
    for (const std::string& text : a_.dont_care) {
      const munja::Status status = evaluation_->IgnoreText(text);
      if (!status.ok()) return Fail(status, Subject::kInput, a_.labels);
    }
    const int count = evaluation_->count();
    for (int i = 0; i < count; ++i) {
      const bool crop = evaluation_->is_crop(i);
      if (crop && a_.task == "detect")
        return UsageError("--task detect needs labels with lines and boxes");
      if (!crop && a_.task == "recognize")
        return UsageError(
            "--task recognize needs labels of pictures of single lines");
    }
    if (!a_.reliability.empty() && a_.task == "detect")
      return UsageError(
          "--calibration-plot needs text, which --task detect does not read");
    for (const std::string& output : {a_.results, a_.report, a_.reliability})
      if (const int code = CheckIsOther(output, a_.labels); code != kSuccess)
        return code;
    reliability_path_ = OutputPath(a_.reliability);
    if (!a_.from_results.empty()) return ScoreResults(count, figures);
    const std::string results_path = OutputPath(a_.results);
    const std::string report_path = OutputPath(a_.report);
    if (const int code = CreateEngine(a_.engine, &engine_); code != kSuccess)
      return code;
    for (int i = 0; i < count; ++i) {
      ShowProgress(static_cast<size_t>(i) + 1, static_cast<size_t>(count),
                   evaluation_->image(i));
      RestartTime();
      if (const int code = Score(i); code != kSuccess) return code;
      if (Interrupted() != 0) return kUnavailable;
    }
    ShowProgress(0, 2, "");
    if (!a_.results.empty()) {
      const munja::Status status = munja::WriteFile(results_path, results_);
      if (!status.ok()) return Fail(status, Subject::kOutput, a_.results);
    }
    if (const int code = Figures(figures); code != kSuccess) return code;
    if (a_.report.empty()) return kSuccess;
    report_.SetFigures(*figures);
    return Write(report_path, report_.Finish());
  }

  // The same, printed.
  int Run() {
    Json out;
    if (const int code = Run(&out); code != kSuccess) return code;
    if (a_.json) {
      Print(Dump(out));
    } else {
      for (const auto& [name, value] : out.items()) {
        if (value.is_number_float())
          Printf("%-20s %.4f\n", name.c_str(), value.get<double>());
        else if (value.is_primitive())
          Printf("%-20s %s\n", name.c_str(), value.dump().c_str());
      }
    }
    return FinishWith(failed_ > 0 ? kSomeFailed : kSuccess);
  }

 private:
  static int Write(const std::string& path, const std::string& text) {
    const munja::Status status = munja::WriteFile(path, text);
    return status.ok() ? static_cast<int>(kSuccess)
                       : Fail(status, Subject::kOutput, path);
  }

  // Scores what a file says was read.
  int ScoreResults(int count, Json* figures) {
    munja::Status status = evaluation_->LoadResults(a_.from_results);
    if (!status.ok()) return Fail(status, Subject::kInput, a_.from_results);
    for (int i = 0; i < count; ++i) {
      const munja::Result<std::optional<munja::Page>> loaded =
          evaluation_->LoadedResult(i);
      const munja::Page* const page =
          loaded.ok() && *loaded ? &**loaded : nullptr;
      status = loaded.error();
      if (status.ok()) status = evaluation_->Add(i, page);
      if (!status.ok()) return Fail(status, Subject::kInput, a_.from_results);
      if (page == nullptr) {
        PrintError(evaluation_->image(i),
                   "there is no result for this picture");
        ++failed_;
        continue;
      }
      // Other engines may not say how long they took.
      if (const double total = page->timing().total; total > 0)
        milliseconds_.push_back(total);
    }
    return Figures(figures);
  }

  // Reads a picture and scores it. One that cannot be read counts as one in
  // which nothing was found.
  int Score(int index) {
    const std::string path = evaluation_->image(index);
    const auto start = std::chrono::steady_clock::now();
    std::optional<munja::Image> image;
    std::optional<munja::Page> page;
    // The path comes from the labels, not from the user: a pipe could block
    // the program permanently.
    if (CheckIsFile(path) == kSuccess) Read(index, path, &image, &page);
    if (!page) {
      ++failed_;
    } else {
      milliseconds_.push_back(std::chrono::duration<double, std::milli>(
                                  std::chrono::steady_clock::now() - start)
                                  .count());
      if (!a_.results.empty()) {
        results_ += page->ToJson(path);
        if (!results_.ends_with('\n')) results_ += '\n';
      }
    }
    const munja::Page* const read = page ? &*page : nullptr;
    munja::Status status = evaluation_->Add(index, read);
    if (status.ok() && !a_.report.empty() && image)
      status = AddToReport(index, path, *image, read);
    return status.ok() ? static_cast<int>(kSuccess)
                       : Fail(status, Subject::kInput, path);
  }

  // Reports a failure; then the page is empty, and the image if it is that.
  void Read(int index, const std::string& path,
            std::optional<munja::Image>* image,
            std::optional<munja::Page>* page) {
    munja::Result<munja::Image> loaded = LoadImage(path, a_.engine.threads);
    if (!loaded.ok()) {
      Fail(loaded.error(), Subject::kInput, path);
      return;
    }
    *image = *std::move(loaded);
    munja::Result<munja::Page> read =
        evaluation_->is_crop(index) ? engine_->ReadLine(**image)
        : a_.task == "detect"       ? engine_->Detect(**image)
                                    : engine_->Read(**image);
    if (read.ok())
      *page = *std::move(read);
    else
      FailRead(read.error(), path);
  }

  munja::Status AddToReport(int index, const std::string& path,
                            const munja::Image& image,
                            const munja::Page* page) {
    const munja::Result<std::string> lines = evaluation_->Compare(index, page);
    if (lines.ok())
      report_.AddCompared(path, image, page,
                          Json::parse(*lines, nullptr, false));
    return lines.error();
  }

  int Figures(Json* figures) {
    const munja::Result<std::string> text = evaluation_->Figures();
    if (!text.ok()) return Fail(text.error(), Subject::kInput, a_.labels);
    const Json all = Json::parse(*text, nullptr, false);
    if (!all.is_object()) return kBug;
    Json& out = *figures;
    out = Json::object();
    for (const auto& [name, value] : all.items())
      if (Belongs(a_.task, name)) out[name] = value;
    double sum = 0;
    for (const double ms : milliseconds_) sum += ms;
    out["ms_per_image"] = milliseconds_.empty()
                              ? 0.0
                              : sum / static_cast<double>(milliseconds_.size());
    out["ms_per_image_median"] = Median(milliseconds_);
    out["peak_memory_bytes"] = PeakResidentBytes();
    return a_.reliability.empty()
               ? static_cast<int>(kSuccess)
               : Write(reliability_path_, ReliabilityPlot(out));
  }

  const EvalArguments& a_;
  std::optional<munja::Evaluation> evaluation_;
  std::optional<munja::Engine> engine_;
  std::vector<double> milliseconds_;
  std::string results_;
  std::string reliability_path_;
  PictureReport report_{"Evaluation"};
  int failed_ = 0;
};

}  // namespace

int Evaluate(const EngineArguments& engine, const std::string& labels,
             nlohmann::ordered_json* figures) {
  EvalArguments a;
  a.engine = engine;
  a.labels = labels;
  return Evaluator(a).Run(figures);
}

void AddEval(CLI::App& app, Action* action) {
  auto a = std::make_shared<EvalArguments>();
  CLI::App* command =
      app.add_subcommand("eval", "Measure accuracy on labeled images");
  command
      ->add_option("--labels", a->labels,
                   "JSON lines; image paths are relative to the parent of the "
                   "directory that holds this file")
      ->required();
  command
      ->add_option("--task", a->task,
                   "e2e (default), detect (boxes only) or recognize "
                   "(images of single lines)")
      ->check(OneOf({"e2e", "detect", "recognize"}));
  command
      ->add_option("--ignore-text", a->dont_care,
                   "Ignore labels with exactly this text, such as ###; "
                   "repeatable")
      ->allow_extra_args(false)
      ->take_all();
  AddEngineOptions(*command, &a->engine);
  command->add_option("--results", a->results,
                      "Write the results as read --format json prints them");
  command
      ->add_option("--from-results", a->from_results,
                   "Score a file of results, of any engine, instead of reading")
      ->excludes("--results")
      ->excludes("--model")
      ->excludes("--set")
      ->excludes("--words")
      ->excludes("--no-language");
  command
      ->add_option("--html", a->report,
                   "Write an HTML report: images with boxes, and a crop of "
                   "every wrong line")
      ->excludes("--from-results");
  command->add_option("--calibration-plot", a->reliability,
                      "Write a calibration plot (SVG)");
  command->add_flag("-j,--json", a->json, "Print JSON");
  command->footer(
      "Example:\n"
      "  munja eval --labels data/labels/receipts.jsonl --model ppocrv6_tiny");
  command->callback(
      [a, action] { *action = [a] { return Evaluator(*a).Run(); }; });
}

}  // namespace munja::cli
