#include "cli/limits.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/output.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

constexpr double kDay = 86400;

struct LimitsArguments {
  std::optional<double> seconds;
  std::string memory;
  int64_t pixels = 0;
  bool quiet = false;
} arguments;

// Lives as long as the program: a signal may come at any time.
munja::Control* control = nullptr;
volatile std::sig_atomic_t signal_number = 0;
volatile std::sig_atomic_t is_patient = 0;
// The control of the ThreadLimits of this thread.
thread_local munja::Control* own_control = nullptr;

// A call that waits for a pipe ends by a signal that comes while it waits. One
// that came just before would be lost: it is followed by others.
void Remind(int) { ::alarm(1); }

void OnSignal(int number) {
  signal_number = number;
  if (is_patient != 0 || control == nullptr) return;
  control->Cancel();
  ::alarm(1);
}

void AddTo(CLI::App& command) {
  command
      .add_option(
          "--timeout", arguments.seconds,
          "Seconds per image or frame (read, live, eval, bench-read) or "
          "request (serve, default: 60), else for the whole command (default: "
          "86400; 0: no limit)")
      ->check(CLI::Range(0.0, 1e9))
      ->group(kLimitsGroup);
  command
      .add_option("--max-memory", arguments.memory,
                  "Memory for models, tensors and images, such as 512M or 2G "
                  "(default: 4G; 0: no limit)")
      ->check(IsSize())
      ->group(kLimitsGroup);
  command
      .add_option("--max-pixels", arguments.pixels,
                  "Largest image, in pixels (default: 120000000)")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->group(kLimitsGroup);
  command.add_flag("-q,--quiet", arguments.quiet,
                   "Print errors only, no progress and no notes");
}

}  // namespace

bool ParseSize(const std::string& text, int64_t* bytes) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !(number >= 0)) return false;
  std::string unit = end;
  for (char& c : unit) c = static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const size_t power = std::string("KMGT").find(unit[0]);
    if (power == std::string::npos) return false;
    const std::string rest = unit.substr(1);
    if (!rest.empty() && rest != "B" && rest != "IB") return false;
    for (size_t i = 0; i <= power; ++i) factor *= 1024;
  }
  const double value = number * factor;
  if (!(value < 9e18)) return false;
  *bytes = value < 1 ? -1 : static_cast<int64_t>(value);
  return true;
}

CLI::Validator IsSize() {
  return {[](const std::string& text) {
            int64_t bytes = 0;
            return ParseSize(text, &bytes)
                       ? std::string()
                       : "'" + text + "' is not a size such as 512M or 2G";
          },
          ""};
}

munja::ControlOptions GivenLimits(double seconds) {
  munja::ControlOptions options;
  options.seconds = arguments.seconds.value_or(seconds);
  options.max_pixels = arguments.pixels;
  if (!arguments.memory.empty())
    ParseSize(arguments.memory, &options.max_memory);
  return options;
}

void AddLimitOptions(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_subcommands({}).empty())
      AddTo(*command);
    else
      AddLimitOptions(*command);
  }
}

int ApplyLimits() {
  SetQuiet(arguments.quiet);
  munja::ControlOptions options = GivenLimits(kDay);
  options.progress = [](std::string_view what, uint64_t done, uint64_t total) {
    ShowStage(std::string(what).c_str(), done, total);
    return true;
  };
  control = new munja::Control(std::move(options));
  static const munja::BoundControl bound(*control);
  struct sigaction reminder = {};
  reminder.sa_handler = Remind;
  ::sigaction(SIGALRM, &reminder, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  // The second time ends the program where it stands.
  action.sa_flags = SA_RESETHAND;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before;
    // Signals that the parent process ignores, as nohup does, stay ignored.
    if (::sigaction(number, nullptr, &before) == 0 &&
        before.sa_handler != SIG_IGN)
      ::sigaction(number, &action, nullptr);
  }
  return kSuccess;
}

ThreadLimits::ThreadLimits() : control_(GivenLimits(kDay)), bound_(control_) {
  own_control = &control_;
}

ThreadLimits::~ThreadLimits() { own_control = nullptr; }

void FinishWhatIsInHand() { is_patient = 1; }

void RestartTime() {
  munja::Control& restarted = own_control != nullptr ? *own_control : *control;
  (void)restarted.Restart();
  // A signal that came before must not be forgotten.
  if (own_control == nullptr && signal_number != 0) control->Cancel();
}

munja::Status CheckLimits() { return control->state(); }

int CheckMemory(size_t bytes, const char* what) {
  const munja_control_use use = control->memory();
  if (bytes <= use.max_memory && use.memory <= use.max_memory - bytes)
    return kSuccess;
  PrintError("", std::string(what) + " would take " + std::to_string(bytes) +
                     " bytes: more than --max-memory leaves (" +
                     std::to_string(use.max_memory) + " bytes in all)");
  return kOutOfMemory;
}

int64_t MaxPixels() { return arguments.pixels; }

int Interrupted() { return signal_number; }

}  // namespace munja::cli
