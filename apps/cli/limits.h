// Limits of memory, time and pixels, and Ctrl-C: for every command.
#ifndef MUNJA_CLI_LIMITS_H_
#define MUNJA_CLI_LIMITS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "munja/munja.hpp"

namespace munja::cli {

// The group of their options.
inline constexpr char kLimitsGroup[] = "Limits";

// Adds --timeout, --max-memory, --max-pixels and --quiet to every command of
// `app` that does something itself.
void AddLimitOptions(CLI::App& app);

// After the arguments are read: all calls of this thread obey the limits, and
// end when the user or the system asks the program to. The exit code.
int ApplyLimits();

// The limits that were given; `seconds` where --timeout was not.
munja::ControlOptions GivenLimits(double seconds);

// "512M", "2G", "1.5GiB", "4096" in bytes; 0 is without a limit (-1). False: it
// is no size.
bool ParseSize(const std::string& text, int64_t* bytes);
// Accepts such a size.
CLI::Validator IsSize();

// The same limits for the calls of another thread, with a time of its own;
// ended with the thread's object.
class ThreadLimits {
 public:
  ThreadLimits();
  ~ThreadLimits();
  ThreadLimits(const ThreadLimits&) = delete;
  ThreadLimits& operator=(const ThreadLimits&) = delete;

 private:
  munja::Control control_;
  munja::BoundControl bound_;
};

// From now on the first signal ends nothing: loops check Interrupted().
// The second one ends the program, as ever.
void FinishWhatIsInHand();

// The time begins anew, for the next of several inputs.
void RestartTime();

// The reason to stop, a cancellation or the time, for loops of the command
// itself.
munja::Status CheckLimits();

// More bytes than --max-memory leaves: for memory of the command itself. A
// message and the exit code, or kSuccess.
int CheckMemory(size_t bytes, const char* what);

// --max-pixels; 0: the default.
int64_t MaxPixels();

// The signal received: 2 (SIGINT), 15 (SIGTERM), or 0 for none.
int Interrupted();

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIMITS_H_
