// munja live: the text of videos and cameras.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/live/outputs.h"
#include "cli/live/video_source.h"
#include "cli/output.h"
#include "cli/shown.h"
#include "cli/streams.h"
#include "cli/usage.h"
#include "munja/live.hpp"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

struct LiveArguments {
  EngineArguments engine;
  std::string source, format, output, annotated, region, size;
  double start = 0, stop = 0, rate = 0;
  double frame_ms = 0, share = 0;
  std::optional<float> min_confidence;
  int agree = 0, best = 0;
  bool real_time = false, preview = false, boxes = false, stats = false;
};

// Events of the library's thread, until the loop takes them.
class EventQueue {
 public:
  void Add(const munja::LiveEvent& event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(event);
  }
  std::vector<munja::LiveEvent> Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(events_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<munja::LiveEvent> events_;
};

int ParseRegion(const std::string& text, std::optional<munja::Box>* region) {
  if (text.empty()) return kSuccess;
  int left = 0, top = 0, width = 0, height = 0, end = 0;
  if (std::sscanf(text.c_str(), "%d,%d,%d,%d%n", &left, &top, &width, &height,
                  &end) != 4 ||
      static_cast<size_t>(end) != text.size() || left < 0 || top < 0 ||
      width < 1 || height < 1 || left > 1 << 20 || top > 1 << 20 ||
      width > 1 << 20 || height > 1 << 20)
    return UsageError("--region takes LEFT,TOP,WIDTH,HEIGHT in pixels, not '" +
                      text + "'");
  const auto as_float = [](int value) { return static_cast<float>(value); };
  *region = munja::Box{as_float(left), as_float(top), as_float(left + width),
                       as_float(top + height)};
  return kSuccess;
}

int ParseSize(const std::string& text, VideoRequest* request) {
  int end = 0;
  if (text.empty() || (std::sscanf(text.c_str(), "%dx%d%n", &request->width,
                                   &request->height, &end) == 2 &&
                       static_cast<size_t>(end) == text.size() &&
                       request->width > 0 && request->height > 0))
    return kSuccess;
  return UsageError("--size takes WIDTHxHEIGHT such as 1280x720, not '" + text +
                    "'");
}

int ChooseLiveFormat(LiveArguments* a) {
  if (!a->format.empty()) return kSuccess;
  a->format = LiveFormatOf(a->output);
  if (!a->format.empty()) return kSuccess;
  if (!a->output.empty() && a->output != "-")
    return UsageError(a->output +
                      ": no format has this extension; name one with "
                      "--format: jsonl, srt or vtt");
  a->format = "jsonl";
  return kSuccess;
}

void PrintStatistics(const munja_live_statistics& s, double seconds) {
  const auto of = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  ClearProgress();
  std::fprintf(stderr,
               "frames       %llu\nread         %llu\nunchanged    %llu\n"
               "unusable     %llu\nover budget  %llu\ndropped      %llu\n"
               "searches     %llu\nlines read   %llu\nrestarts     %llu\n"
               "failures     %llu\ngate         %.1f ms\nsearch       %.1f ms\n"
               "recognize    %.1f ms\nin all       %.2f s\n",
               of(s.frames), of(s.read), of(s.unchanged), of(s.unusable),
               of(s.over_budget), of(s.dropped), of(s.searches),
               of(s.lines_read), of(s.restarts), of(s.failures), s.gate_ms,
               s.search_ms, s.recognize_ms, seconds);
}

// A run of the command.
class LiveRun {
 public:
  explicit LiveRun(const LiveArguments& arguments)
      : a_(arguments),
        name_(IsStandardInput(arguments.source) ? "standard input"
                                                : arguments.source) {}

  int Prepare() {
    VideoRequest request;
    request.path = a_.source;
    request.rate = a_.rate;
    request.start = a_.start;
    request.threads = a_.engine.threads;
    request.max_pixels = MaxPixels();
    request.stops = [] { return Interrupted() != 0 || !CheckLimits().ok(); };
    munja::LiveOptions options;
    if (const int code = ParseSize(a_.size, &request); code != kSuccess)
      return code;
    if (const int code = ParseRegion(a_.region, &options.region);
        code != kSuccess)
      return code;
    for (const std::string& output : {a_.output, a_.annotated})
      if (const int code = CheckIsOther(output, a_.source); code != kSuccess)
        return code;
    munja::Result<std::unique_ptr<VideoSource>> source = OpenVideo(request);
    if (!source.ok()) return Fail(source.error(), Subject::kInput, name_);
    source_ = *std::move(source);
    // Ctrl-C is how the user of a camera ends: what was read is kept.
    if (source_->is_live()) FinishWhatIsInHand();
    if (const int code = events_.Open(a_.format, a_.output); code != kSuccess)
      return code;
    if (const int code = frames_.Open(a_.annotated, a_.preview);
        code != kSuccess)
      return code;
    if (const int code = CreateEngine(a_.engine, &engine_); code != kSuccess)
      return code;
    options.asynchronous = a_.real_time || source_->is_live();
    options.frame_ms = a_.frame_ms;
    options.time_share = a_.share;
    options.agree_readings = a_.agree;
    options.best_frames = a_.best;
    // Fewer readings cannot agree more often than they are.
    if (a_.agree == 0 && a_.best > 0)
      options.agree_readings = std::min(3, a_.best);
    options.min_confidence = a_.min_confidence;
    options.on_event = [this](const munja::LiveEvent& e) { queue_.Add(e); };
    munja::Result<munja::Live> live =
        munja::Live::Create(*engine_, std::move(options));
    if (!live.ok()) return Fail(live.error(), Subject::kInput, "");
    live_ = *std::move(live);
    return kSuccess;
  }

  int Run() {
    const auto begun = std::chrono::steady_clock::now();
    if (const int code = events_.Begin(DisplayName(a_.source), engine_->name());
        code != kSuccess)
      return code;
    for (;;) {
      RestartTime();
      if (source_->is_live() && Interrupted() != 0) break;
      VideoFrame frame;
      const munja::Result<bool> next = source_->Next(&frame);
      PrintNotes();
      if (!next.ok()) {
        if (next.code() == MUNJA_CANCELLED && source_->is_live()) break;
        if (next.code() != MUNJA_CANCELLED || CheckLimits().ok())
          return Fail(next.error(), Subject::kInput, name_);
        return Fail(CheckLimits(), Subject::kInput, name_);
      }
      const double time = static_cast<double>(frame.time_us) / 1e6;
      if (!*next || (a_.stop > 0 && time >= a_.stop)) break;
      if (a_.real_time && !source_->is_live() && !Wait(begun, time)) break;
      if (const int code = Use(frame, time); code != kSuccess) return code;
      if (frames_.is_closed()) break;
      ShowStage("second", static_cast<uint64_t>(time),
                static_cast<uint64_t>(source_->seconds()));
    }
    if (Interrupted() != 0 && !source_->is_live()) return kUnavailable;
    return Finish(begun);
  }

 private:
  // False when it was interrupted.
  bool Wait(std::chrono::steady_clock::time_point begun, double time) {
    const auto due = begun + std::chrono::microseconds(
                                 static_cast<int64_t>(1e6 * (time - a_.start)));
    while (std::chrono::steady_clock::now() < due) {
      if (Interrupted() != 0) return false;
      std::this_thread::sleep_until(std::min(
          due,
          std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
    }
    return true;
  }

  int Use(const VideoFrame& frame, double time) {
    if (const munja::Status status = live_->Feed(frame.pixels, time);
        !status.ok())
      return FailRead(status, name_);
    end_ = time;
    ++count_;
    if (const int code = TakeEvents(); code != kSuccess) return code;
    if (!a_.boxes && !frames_.is_wanted()) return kSuccess;
    const std::vector<munja::LiveBox> boxes = live_->boxes();
    if (a_.boxes) {
      const uint64_t searches = live_->statistics().searches;
      const bool is_searched = std::exchange(searches_, searches) != searches;
      if (const int code = events_.AddBoxes(time, is_searched, boxes);
          code != kSuccess)
        return code;
    }
    return frames_.is_wanted() ? frames_.Add(frame, boxes)
                               : static_cast<int>(kSuccess);
  }

  int TakeEvents() {
    for (const munja::LiveEvent& event : queue_.Take()) {
      if (event.kind == MUNJA_LIVE_FAILED && !IsQuiet())
        PrintError(name_, event.status.message());
      frames_.Note(event);
      if (const int code = events_.Add(event); code != kSuccess) return code;
    }
    return kSuccess;
  }

  void PrintNotes() {
    for (const std::string& note : source_->TakeNotes()) {
      has_notes_ = true;
      if (IsQuiet()) continue;
      ClearProgress();
      std::fprintf(stderr, "munja: warning: %s\n", Shown(note).c_str());
    }
  }

  int Finish(std::chrono::steady_clock::time_point begun) {
    if (const auto last = live_->Finish(); !last.ok())
      return FailRead(last.error(), name_);
    if (const int code = TakeEvents(); code != kSuccess) return code;
    if (count_ == 0) {
      PrintError(name_, "there is no frame between --start and --stop");
      return kBadInput;
    }
    const munja_live_statistics statistics = live_->statistics();
    if (const int code =
            events_.Finish(end_ + LastFrame(), LastFrame(), statistics);
        code != kSuccess)
      return code;
    if (const int code = frames_.Finish(); code != kSuccess) return code;
    if (a_.stats)
      PrintStatistics(statistics, std::chrono::duration<double>(
                                      std::chrono::steady_clock::now() - begun)
                                      .count());
    // Messages have named the losses; a camera that was away is no failure.
    return has_notes_ && !source_->is_live() ? FinishWith(kSomeFailed)
                                             : FinishWith(kSuccess);
  }

  // How long the last frame is seen, about.
  double LastFrame() const {
    return count_ > 1 ? (end_ - a_.start) / static_cast<double>(count_ - 1) : 0;
  }

  const LiveArguments a_;
  const std::string name_;
  EventQueue queue_;  // Outlives live_, whose thread fills it.
  std::unique_ptr<VideoSource> source_;
  EventFile events_;
  DrawnFrames frames_;
  std::optional<munja::Engine> engine_;
  std::optional<munja::Live> live_;
  double end_ = 0;
  size_t count_ = 0;
  uint64_t searches_ = 0;  // Until the frame before.
  bool has_notes_ = false;
};

int RunLive(LiveArguments a) {
  if (a.source.empty())
    return UsageError(
        "live: give a video, a directory of images, /dev/video0 or - (see "
        "munja live --help)");
  if (const int code = ChooseLiveFormat(&a); code != kSuccess) return code;
  if (a.stop > 0 && a.stop <= a.start)
    return UsageError("--stop is not behind --start");
  if (a.best > 0 && a.agree > a.best)
    return UsageError("--agree is more than --best-frames");
  if (a.boxes && a.format != "jsonl")
    return UsageError("--boxes is for events: --format jsonl");
  LiveRun run(a);
  if (const int code = run.Prepare(); code != kSuccess) return code;
  return run.Run();
}

}  // namespace

void AddLive(CLI::App& app, Action* action) {
  auto a = std::make_shared<LiveArguments>();
  CLI::App* command = app.add_subcommand(
      "live", "Read the text of a video or a camera as it runs");
  command->add_option("FILE", a->source,
                      "A video, a directory of images (its frames, by name), a "
                      "camera such as /dev/video0, or - for standard input");
  command
      ->add_option("-f,--format", a->format,
                   "Output format: events (jsonl) or subtitles of the text on "
                   "screen (srt, vtt) (default: jsonl)")
      ->check(OneOf(LiveFormats()));
  command->add_option("-o,--output", a->output,
                      "Write to FILE; format inferred from the extension");
  command->add_option("--annotate", a->annotated,
                      "Write a video (.mp4, .mkv ...) with boxes and text");
  command->add_flag("--preview", a->preview,
                    "Show the video with boxes and text; q closes");
  command->add_flag("--real-time", a->real_time,
                    "Play a file at its own speed and drop frames that cannot "
                    "be read in time, as with a camera");
  command->add_option("--start", a->start, "Seconds to skip at the beginning")
      ->check(Between(0.0, 1e9));
  command->add_option("--stop", a->stop, "Stop at this time, in seconds")
      ->check(Between(0.0, 1e9));
  command
      ->add_option("--region", a->region,
                   "Read only this part, in pixels of the upright frame")
      ->type_name("LEFT,TOP,WIDTH,HEIGHT");
  command
      ->add_option("--rate", a->rate,
                   "Frames a second of a directory (default: 30), or asked of "
                   "a camera")
      ->check(Between(0.001, 1000.0));
  command->add_option("--size", a->size, "Frame size asked of a camera")
      ->type_name("WIDTHxHEIGHT");
  command
      ->add_option("--min-confidence", a->min_confidence,
                   "Ignore readings below this confidence, 0 to 1 (default: "
                   "that of the model)")
      ->check(Between(0.0, 1.0));
  command->add_flag("--stats", a->stats,
                    "Print how many frames were read, and the time it took");
  command->add_flag("--boxes", a->boxes,
                    "Also an event with the boxes of each frame");
  constexpr char kReading[] = "Reading";
  command
      ->add_option("--frame-ms", a->frame_ms,
                   "Milliseconds that reading a frame may take (default: no "
                   "limit)")
      ->check(Between(0.0, 60000.0))
      ->group(kReading);
  command
      ->add_option("--share", a->share,
                   "Share of the time that may be spent on reading, 0 to 1 "
                   "(default: no limit)")
      ->check(Between(0.0, 1.0))
      ->group(kReading);
  command
      ->add_option("--agree", a->agree,
                   "Equal readings that make a text final (default: 3)")
      ->check(Between(1, 50))
      ->group(kReading);
  command
      ->add_option("--best-frames", a->best,
                   "Best readings of a line that are combined (default: 5)")
      ->check(Between(1, 50))
      ->group(kReading);
  AddEngineOptions(*command, &a->engine);
  command->footer(
      "Examples:\n"
      "  munja live clip.mp4\n"
      "  munja live -o clip.srt clip.mp4\n"
      "  munja live --annotate seen.mp4 --start 10 --stop 20 clip.mp4\n"
      "  munja live --preview /dev/video0\n"
      "  munja live --rate 10 frames/");
  command->callback([a, action] { *action = [a] { return RunLive(*a); }; });
}

}  // namespace munja::cli
