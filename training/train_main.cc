// munja-train: synthetic text, training, export.
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "compress/pruning/level.h"
#include "pruning_study/object_pictures.h"
#include "pruning_study/objects_kind.h"
#include "pruning_study/yolo_layers.h"
#include "pruning_study/yolo_trainer.h"
#include "synth/make_language.h"
#include "synth/write_samples.h"
#include "train/commands.h"
#include "train/export_checkpoint.h"
#include "train/plot.h"
#include "train/prune_checkpoint.h"
#include "train/train_options.h"

namespace munja::train {
namespace {

// docs/reference/errors.md has the table.
enum ExitCode {
  kSuccess = 0,
  kUsage = 2,
  kBadInput = 3,
  kUnsupported = 4,
  kBadModel = 5,
  kOutOfMemory = 6,
  kCannotWrite = 7,
  kUnavailable = 8,
  kBug = 9,
};

int ExitCodeOf(Code code) {
  switch (code) {
    case Code::kOk:
      return kSuccess;
    case Code::kInvalidArgument:
      return kUsage;
    case Code::kMalformed:
    case Code::kNotFound:
      return kBadInput;
    case Code::kUnsupported:
    case Code::kNeedsValues:
      return kUnsupported;
    case Code::kOutOfMemory:
    case Code::kTimedOut:
      return kOutOfMemory;
    case Code::kIo:
      return kCannotWrite;
    case Code::kUnavailable:
    case Code::kCancelled:
      return kUnavailable;
    case Code::kInternal:
      return kBug;
  }
  return kBug;
}

int Finish(const Status& status) {
  if (status.ok()) return kSuccess;
  std::fprintf(stderr, "munja-train: %.*s\n",
               static_cast<int>(status.message().size()),
               status.message().data());
  return ExitCodeOf(status.code());
}

std::atomic<bool> stop_requested = false;

// The first signal asks for an orderly end, the second one ends at once.
void OnSignal(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

// The thread pools under libtorch wait for work by spinning, which on a
// machine with other work (our own threads that make pictures among it) costs
// up to nine tenths of the speed. They look at the environment as they are
// loaded, so the program starts itself once more.
void LetIdleThreadsSleep(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY")) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0);  // Spins 2^4 times, at most.
  execv("/proc/self/exe", argv);  // Where this fails, it is only slower.
}

using Action = std::function<int()>;

void AddTraining(CLI::App& app, const char* name, const char* what,
                 Status (*run)(const TrainOptions&), TrainOptions* options,
                 Action* action) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("--recipe", options->recipe, "Recipe, a JSON file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--out", options->checkpoint,
                   "Checkpoint, written every few minutes")
      ->required()
      ->type_name("FILE");
  command->add_flag("--resume", options->resume,
                    "Go on from the checkpoint where it exists");
  command->add_option("--from", options->from, "Start from an exported model")
      ->type_name("MODEL.tflite");
  command
      ->add_option("--minutes", options->minutes,
                   "End this run after so many minutes (else with the "
                   "recipe's schedule)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--threads", options->threads, "Processors to use")
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--feed-threads", options->feed_threads,
                   "Threads that make pictures")
      ->check(CLI::Range(0, 1024));
  command->add_option("--seed", options->seed, "Of pictures and weights")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 32));
  command
      ->add_option("--evaluate-labels", options->label_sets,
                   "Labeled pictures to evaluate on; never trained on")
      ->type_name("SET.jsonl")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--log", options->log, "JSON lines, appended")
      ->type_name("FILE");
  command
      ->add_option("--plot", options->plot,
                   "Curves of the log, drawn at each evaluation (the log is "
                   "then CHECKPOINT.jsonl unless --log names it)")
      ->type_name("CURVES.png");
  command->callback([=] {
    *action = [=] {
      if (!IsRegularFile(options->recipe))
        return Finish(NotFound("there is no recipe " + options->recipe));
      if (!options->plot.empty() && options->log.empty())
        options->log = options->checkpoint + ".jsonl";
      options->echo = stderr;
      options->stop = &stop_requested;
      std::signal(SIGINT, OnSignal);
      std::signal(SIGTERM, OnSignal);
      return Finish(run(*options));
    };
  });
}

void AddRealLines(CLI::App& command, TrainOptions* options) {
  command
      .add_option("--real", options->real_lines,
                  "Labeled crops to train on, too (may be repeated); lines "
                  "with \"dev\": true are left out")
      ->type_name("SET.jsonl")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--real-share", options->real_share,
                  "Part of the lines that are such crops")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void AddPlot(CLI::App& app, Action* action) {
  struct Arguments {
    std::string log, png;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("plot", "Draw the curves of a log");
  command->add_option("LOG", arguments->log, "Written by --log")->required();
  command->add_option("-o,--out", arguments->png, "Picture")
      ->required()
      ->type_name("CURVES.png");
  command->callback([=] {
    *action = [=] { return Finish(PlotLog(arguments->log, arguments->png)); };
  });
}

void AddSynth(CLI::App& app, Action* action) {
  const auto job = std::make_shared<SynthJob>();
  CLI::App* command =
      app.add_subcommand("synth", "Write samples of what training sees");
  command->add_option("--recipe", job->recipe, "Recipe, a JSON file")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", job->folder, "Gets images/ and labels/")
      ->type_name("DIR");
  command->add_option("--count", job->count, "Samples")->capture_default_str();
  command->add_option("--seed", job->seed, "Other samples")
      ->capture_default_str();
  command->add_flag("--pages", job->pages, "Whole pages instead of lines");
  command
      ->add_option("--preview", job->preview,
                   "Sheet of the first samples, to look at")
      ->type_name("SHEET.png");
  command->add_option("--threads", job->threads, "Processors to use")
      ->check(CLI::Range(0, 1024));
  command->callback([=] {
    *action = [=] {
      std::vector<std::string> warnings;
      const Status status = WriteSamples(*job, warnings);
      for (const std::string& warning : warnings)
        std::fprintf(stderr, "note: %s\n", warning.c_str());
      return Finish(status);
    };
  });
}

void AddExport(CLI::App& app, Action* action) {
  struct Arguments {
    std::string checkpoint, model;
    bool full = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("export", "Make a model file of a checkpoint");
  command->add_option("CHECKPOINT", arguments->checkpoint)->required();
  command->add_option("-o,--out", arguments->model, "Model file")
      ->required()
      ->type_name("MODEL.tflite");
  command->add_flag("--float32", arguments->full,
                    "Weights as float32 instead of float16");
  command->callback([=] {
    *action = [=] {
      const ExportOptions options{.half = !arguments->full};
      const CheckpointKind kinds[] = {ObjectsKind()};
      return Finish(ExportCheckpoint(arguments->checkpoint, arguments->model,
                                     options, kinds));
    };
  });
}

void AddBundle(CLI::App& app, Action* action) {
  struct Arguments {
    BundleSources sources;
    std::string folder;
    bool full = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  BundleSources& sources = arguments->sources;
  CLI::App* command =
      app.add_subcommand("bundle", "Make a bundle of two networks");
  command
      ->add_option("--detector", sources.detector, "Checkpoint or .tflite file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--recognizer", sources.recognizer,
                   "Checkpoint or .tflite file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--dictionary", sources.dictionary,
                   "One character a line (else the checkpoint's alphabet, or "
                   "what is packed with the .tflite file or beside it)")
      ->type_name("FILE");
  command
      ->add_option("--language", sources.languages,
                   "Language model of 'munja-train language' and the codes of "
                   "its languages, for example ko=korean.lm (may be repeated)")
      ->type_name("[CODES=]FILE.lm")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--name", sources.name, "Name of the bundle");
  command->add_option("--description", sources.description, "One sentence");
  command
      ->add_option("--contract", sources.contract,
                   "Fields that differ, such as thresholds")
      ->type_name("JSON");
  command->add_option("-o,--out", arguments->folder, "Folder of the bundle")
      ->required()
      ->type_name("DIR");
  command->add_flag("--float32", arguments->full,
                    "Weights as float32 instead of float16");
  command->callback([=] {
    *action = [=] {
      const ExportOptions options{.half = !arguments->full};
      return Finish(
          ExportBundle(arguments->sources, arguments->folder, options));
    };
  });
}

void AddLanguage(CLI::App& app, Action* action) {
  const auto job = std::make_shared<LanguageJob>();
  CLI::App* command = app.add_subcommand(
      "language", "Make a language model of word lists and texts");
  command->add_option("--recipe", job->recipe, "Recipe, a JSON file")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", job->out, "Language model")
      ->required()
      ->type_name("FILE.lm");
  command
      ->add_option("--without", job->without,
                   "Text whose words do not count, to measure on them")
      ->type_name("FILE");
  command->callback([=] {
    *action = [=] {
      LanguageReport report;
      const Status status = MakeLanguage(*job, &report);
      for (const std::string& file : report.missing)
        std::fprintf(stderr, "note: no text file %s\n", file.c_str());
      if (status.ok())
        std::printf("%zu words, %zu left out; %zu n-grams, %zu bytes\n",
                    report.words, report.left_out, report.n_grams,
                    report.bytes);
      return Finish(status);
    };
  });
}

struct PruneArguments {
  PruneJob job;
  std::string network = kYoloTinyName, level, criterion = "l1";
  std::string centers = "ratio";
  int classes = 1;
  bool count_only = false;
};

int CountOnly(const PruneArguments& a, double level) {
  const auto pruned = PrunedByLevel(YoloTiny(a.classes), level);
  if (!pruned.ok()) return Finish(pruned.status());
  std::printf("%lld\n", static_cast<long long>(CountParameters(*pruned)));
  return kSuccess;
}

int Prune(PruneArguments& a) {
  if (a.level.empty() == (a.job.budget.share == 0))
    return Finish(InvalidArgument("prune takes either --level or --budget"));
  if (a.job.budget.share > 0 && (a.count_only || !a.job.whole.empty()))
    return Finish(InvalidArgument(
        "--count-only and --whole count by --level, not by --budget"));
  const auto level = compress::ParseLevel(a.level.empty() ? "0" : a.level);
  if (!level.ok()) return Finish(level.status());
  if (a.count_only) return CountOnly(a, *level);
  if (a.job.checkpoint.empty() || a.job.out.empty())
    return Finish(
        InvalidArgument("prune takes CHECKPOINT and --out, or --count-only"));
  const auto criterion = compress::CriterionOf(a.criterion);
  if (!criterion.ok()) return Finish(criterion.status());
  a.job.level = *level;
  a.job.criterion = *criterion;
  a.job.centers = a.centers == "kept" ? compress::Centers::kKept
                                      : compress::Centers::kRatio;
  const CheckpointKind kinds[] = {ObjectsKind()};
  const auto report = PruneCheckpoint(a.job, kinds);
  if (!report.ok()) return Finish(report.status());
  std::printf("parameters %lld, %lld before\n",
              static_cast<long long>(report->parameters),
              static_cast<long long>(report->parameters_before));
  return kSuccess;
}

void AddPrune(CLI::App& app, Action* action) {
  const auto a = std::make_shared<PruneArguments>();
  CLI::App* command =
      app.add_subcommand("prune", "Take filters out of a network's layers");
  command->add_option("CHECKPOINT", a->job.checkpoint,
                      "Of detect or objects; needs --out");
  command->add_option("--out", a->job.out, "The smaller checkpoint")
      ->type_name("FILE");
  command
      ->add_option("--recipe-out", a->job.recipe,
                   "Recipe of the training that goes on from it (default: "
                   "beside it, with .json behind its name)")
      ->type_name("FILE");
  command
      ->add_option("--level", a->level,
                   "Share of each layer's filters that goes, 0.7 or 70%")
      ->type_name("SHARE");
  command
      ->add_option("--budget", a->job.budget.share,
                   "A level of its own for each layer: the share of the cost "
                   "that may be left, of weights or of --profile's time")
      ->check(CLI::Range(0.001, 1.0))
      ->type_name("SHARE");
  command
      ->add_option("--profile", a->job.budget.profile,
                   "Of the exported network, as 'munja bench MODEL "
                   "--op-profile --json' prints it: --budget is of time")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      ->add_option("--criterion", a->criterion,
                   "Which stay: l1, l2, geometric-median, bn, clusters, random")
      ->capture_default_str();
  command
      ->add_option("--centers", a->centers,
                   "Of clusters: ratio, 1 / (1 - level), or kept, as many as "
                   "filters stay")
      ->check(CLI::IsMember({"ratio", "kept"}))
      ->capture_default_str();
  command
      ->add_option("--calibrate", a->job.calibrate,
                   "Labeled pictures that clusters and --budget look at")
      ->type_name("SET.jsonl");
  command->add_option("--pictures", a->job.pictures, "How many of them")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", a->job.seed, "Of clusters and random")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 32));
  command
      ->add_option("--rate-factor", a->job.learning_rate_factor,
                   "The learning rate of the recipe times this")
      ->check(CLI::Range(1e-6, 10.0))
      ->capture_default_str();
  command
      ->add_option("--whole", a->job.whole,
                   "The checkpoint before all rounds of pruning: --level is "
                   "counted from it")
      ->type_name("CHECKPOINT");
  command
      ->add_option("--distill", a->job.distillation,
                   "The recipe lets the smaller network learn from the whole "
                   "one, too, by a loss of this weight")
      ->check(CLI::Range(0.0, 1000.0));
  command->add_flag("--count-only", a->count_only,
                    "Print the number of parameters that would be left of "
                    "--network");
  command->add_option("--network", a->network, "What is counted")
      ->check(CLI::IsMember({kYoloTinyName}))
      ->capture_default_str();
  command->add_option("--classes", a->classes, "Kinds of objects, counted")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->callback([=] { *action = [=] { return Prune(*a); }; });
}

void AddMeasureObjects(CLI::App& app, Action* action) {
  struct Arguments {
    std::string model;
    int count = 200;
  };
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "measure-objects",
      "Average precision of an exported detector of objects, alone on a line");
  command->add_option("MODEL", a->model, "A .tflite file")->required();
  command->add_option("--count", a->count, "Held-out pictures")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->callback([=] {
    *action = [=] {
      const auto precision = EvaluateObjectModel(a->model, a->count);
      if (!precision.ok()) return Finish(precision.status());
      std::printf("%.6f\n", *precision);
      return static_cast<int>(kSuccess);
    };
  });
}

int Main(int argc, char** argv) {
  CLI::App app("Trains text detectors and recognizers for munja.",
               "munja-train");
  app.require_subcommand(1);
  app.footer(
      "'munja-train COMMAND --help' says more. Exit codes: 0 fine, 2 usage,\n"
      "3 bad input, 4 unsupported, 5 bad model, 6 out of memory, 7 cannot\n"
      "write, 8 unavailable, 9 internal.");
  Action action;
  TrainOptions detect, recognize, objects;
  AddTraining(app, "detect", "Train a detector of text in pages", RunDetect,
              &detect, &action);
  AddTraining(app, "recognize", "Train a recognizer of lines", RunRecognize,
              &recognize, &action);
  AddRealLines(*app.get_subcommand("recognize"), &recognize);
  AddTraining(app, "objects", "Train a detector of parcels in pictures",
              TrainObjects, &objects, &action);
  AddExport(app, &action);
  AddBundle(app, &action);
  AddSynth(app, &action);
  AddPlot(app, &action);
  AddLanguage(app, &action);
  AddPrune(app, &action);
  AddMeasureObjects(app, &action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Help comes this way, too, with code 0.
    return app.exit(e) == 0 ? kSuccess : kUsage;
  }
  return action ? action() : static_cast<int>(kUsage);
}

}  // namespace
}  // namespace munja::train

int main(int argc, char** argv) {
  munja::train::LetIdleThreadsSleep(argv);
  try {
    return munja::train::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("munja-train: out of memory\n", stderr);
    return munja::train::kOutOfMemory;
  } catch (const std::exception& e) {
    // libtorch's messages end with a trace that is of no use here.
    const std::string text = e.what();
    std::fprintf(stderr, "munja-train: %s\n",
                 text.substr(0, text.find("\nException raised")).c_str());
    return munja::train::kBug;
  }
}
