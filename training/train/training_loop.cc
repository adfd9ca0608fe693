#include "train/training_loop.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/file.h"
#include "train/plot.h"

namespace munja::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostBadSteps = 10;

// Means since the last report.
struct Window {
  double loss = 0, norm = 0, seconds = 0;
  uint64_t steps = 0, images = 0;
};

class Loop {
 public:
  Loop(const TrainOptions& options, const Schedule& schedule, const Pace& pace,
       TrainingProgress progress, TrainingTask& task, TrainingLog& log)
      : options_(options),
        schedule_(schedule),
        pace_(pace),
        before_(progress),
        progress_(progress),
        task_(task),
        log_(log),
        start_(Clock::now()) {}

  Status Run() {
    double reported = Elapsed(), evaluated = reported, saved = reported;
    while (!IsOver()) {
      MUNJA_RETURN_IF_ERROR(Step());
      const double now = Elapsed();
      if (now - reported >= pace_.report_seconds) {
        MUNJA_RETURN_IF_ERROR(Report(now - reported));
        reported = now;
      }
      if (now - saved >= 60 * pace_.checkpoint_minutes) {
        MUNJA_RETURN_IF_ERROR(Save());
        saved = now;
      }
      if (pace_.evaluate_minutes > 0 &&
          now - evaluated >= 60 * pace_.evaluate_minutes) {
        MUNJA_RETURN_IF_ERROR(Evaluate());
        evaluated = Elapsed();
        reported += evaluated - now;
      }
    }
    MUNJA_RETURN_IF_ERROR(Save());
    if (IsStopped()) {
      log_.Say("stopped; " + options_.checkpoint + " is written");
      return Status();
    }
    if (window_.steps > 0) {
      MUNJA_RETURN_IF_ERROR(Report(Elapsed() - reported));
    }
    return Evaluate();
  }

 private:
  double Elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  double Seconds() const { return before_.seconds + Elapsed(); }
  bool IsStopped() const { return options_.stop && *options_.stop; }

  bool IsOver() const {
    if (IsStopped()) return true;
    if (schedule_.Progress(progress_.step, Seconds()) >= 1) return true;
    if (options_.steps > 0 && progress_.step - before_.step >= options_.steps)
      return true;
    return options_.minutes > 0 && Elapsed() >= 60 * options_.minutes;
  }

  Status Step() {
    const double rate = schedule_.LearningRate(progress_.step, Seconds());
    MUNJA_ASSIGN_OR_RETURN(const StepReport report,
                           task_.Step(rate, progress_.step));
    ++progress_.step;
    progress_.images += report.images;
    if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
      if (++bad_steps_ < kMostBadSteps) return Status();
      return Internal("the loss is not finite at step " +
                      std::to_string(progress_.step) +
                      "; lower the learning rate");
    }
    bad_steps_ = 0;
    ++window_.steps;
    window_.loss += report.loss;
    window_.norm += report.gradient_norm;
    window_.images += report.images;
    return Status();
  }

  Status Report(double seconds) {
    const double steps = static_cast<double>(window_.steps);
    const double rate = schedule_.LearningRate(progress_.step, Seconds());
    const double per_second = static_cast<double>(window_.images) / seconds;
    const double done = schedule_.Progress(progress_.step, Seconds());
    char line[200];
    std::snprintf(line, sizeof line,
                  "step %llu  %.1f min (%.1f %%)  loss %.4f  rate %.2e  "
                  "%.0f images/s",
                  static_cast<unsigned long long>(progress_.step),
                  Seconds() / 60, 100 * done, window_.loss / steps, rate,
                  per_second);
    log_.Say(line);
    const nlohmann::ordered_json entry = {
        {"step", progress_.step},
        {"seconds", Rounded(Seconds())},
        {"images", progress_.images},
        {"loss", window_.loss / steps},
        {"gradient_norm", window_.norm / steps},
        {"learning_rate", rate},
        {"images_per_second", Rounded(per_second)}};
    window_ = Window();
    return log_.Add(entry);
  }

  Status Evaluate() {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<SetFigures> sets,
                           task_.Evaluate());
    for (const SetFigures& set : sets) {
      nlohmann::ordered_json entry = {{"step", progress_.step},
                                      {"seconds", Rounded(Seconds())},
                                      {"set", set.set}};
      std::string line = "  " + set.set + ":";
      for (const auto& [name, value] : set.figures) {
        entry[name] = value;
        char text[64];
        std::snprintf(text, sizeof text, "  %s %.4g", name.c_str(), value);
        line += text;
      }
      log_.Say(line);
      MUNJA_RETURN_IF_ERROR(log_.Add(entry));
    }
    return options_.plot.empty() ? Status()
                                 : PlotLog(options_.log, options_.plot);
  }

  Status Save() {
    MUNJA_ASSIGN_OR_RETURN(Checkpoint checkpoint, task_.Save());
    TrainingProgress progress = progress_;
    progress.seconds = Seconds();
    checkpoint.progress["training"] = progress.ToJson();
    return WriteCheckpoint(options_.checkpoint, checkpoint);
  }

  // Milliseconds are enough for a log.
  static double Rounded(double value) { return std::round(value * 1e3) / 1e3; }

  const TrainOptions& options_;
  const Schedule& schedule_;
  const Pace& pace_;
  const TrainingProgress before_;
  TrainingProgress progress_;
  TrainingTask& task_;
  TrainingLog& log_;
  Clock::time_point start_;
  Window window_;
  int bad_steps_ = 0;
};

}  // namespace

nlohmann::json TrainingProgress::ToJson() const {
  return {{"step", step}, {"seconds", seconds}, {"images", images}};
}

Result<TrainingProgress> TrainingProgress::FromJson(
    const nlohmann::json& json) {
  TrainingProgress progress;
  const auto number = [&](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_number();
  };
  if (!number("step") || !number("seconds") || !number("images"))
    return Malformed("the checkpoint does not say how far it has come");
  progress.step = json["step"].get<uint64_t>();
  progress.seconds = json["seconds"].get<double>();
  progress.images = json["images"].get<uint64_t>();
  return progress;
}

Result<TrainingStart> StartTraining(const TrainOptions& options,
                                    const std::string& kind) {
  TrainingStart start;
  if (!IsRegularFile(options.checkpoint)) return start;
  if (!options.resume) {
    return InvalidArgument(options.checkpoint +
                           " exists already: go on with --resume, or name "
                           "another file");
  }
  start.resumes = true;
  MUNJA_ASSIGN_OR_RETURN(start.checkpoint, ReadCheckpoint(options.checkpoint));
  if (start.checkpoint.kind != kind) {
    return Malformed(options.checkpoint + " is the checkpoint of a " +
                     start.checkpoint.kind + ", wants a " + kind);
  }
  auto progress = TrainingProgress::FromJson(
      start.checkpoint.progress.value("training", nlohmann::json()));
  if (!progress.ok())
    return std::move(progress).TakeStatus().With(options.checkpoint);
  start.progress = *progress;
  return start;
}

void SayStart(const TrainingLog& log, const TrainingStart& start,
              const std::string& network, bool on_card) {
  log.Say((start.resumes
               ? "going on at step " + std::to_string(start.progress.step)
               : std::string("starting")) +
          ": " + network + ", " + (on_card ? "CUDA" : "processor"));
}

Status RunTraining(const TrainOptions& options, const Schedule& schedule,
                   const Pace& pace, TrainingProgress progress,
                   TrainingTask& task, TrainingLog& log) {
  return Loop(options, schedule, pace, progress, task, log).Run();
}

}  // namespace munja::train
