// munja: reads text in pictures, and works on the models that do it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/delegates.h"
#include "munja/log.h"
#include "munja/tools/machine.h"
#include "munja/types.h"

namespace munja::cli {
namespace {

void PrintLog(void*, munja_log_severity severity, const char* line) {
  static constexpr const char* kNames[] = {"", "warning: ", "error: "};
  if (IsQuiet() && severity != MUNJA_LOG_ERROR) return;
  ClearProgress();
  std::fprintf(stderr, "munja: %s%s\n", kNames[severity], line);
}

int Main(int argc, char** argv) {
  munja_set_log(PrintLog, nullptr);
  CLI::App app("Munja reads the text in pictures, on this machine.", "munja");
  app.set_version_flag("--version", std::string("munja ") + munja_version());
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  munja read photo.jpg             print the text of a picture\n"
      "  munja read --format json scans/  one JSON object for each picture\n"
      "  munja models list                the models that are installed\n"
      "'munja COMMAND --help' says more. Exit codes: 0 fine, 1 some inputs\n"
      "failed or differ, 2 usage, 3 bad input, 4 unsupported, 5 bad model, 6 "
      "out of\n"
      "memory or over a limit, 7 cannot write, 8 unavailable, 9 internal, 130\n"
      "interrupted by Ctrl-C.");
  Action action;
  AddCommands(app, &action);
  AddLimitOptions(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Help and version come this way, too, with code 0.
    if (e.get_exit_code() != 0) return ReportUsage(app, e);
    app.exit(e);
    return FinishOutput();
  }
  if (!action) return kUsage;
  if (const int code = ContinueInTools(argv); code != kSuccess) return code;
  if (munja_simd_select(std::getenv("MUNJA_SIMD")) != MUNJA_OK)
    return UsageError(std::string("MUNJA_SIMD: ") + munja_last_error());
  if (const int code = ApplyLimits(); code != kSuccess) return code;
  StartTrace();
  int code = action();
  ClearProgress();
  code = FinishTrace(code);
  if (Interrupted() == 0 || code == kSuccess) return code;
  // As shells say it of a program that a signal ended.
  std::fputs("munja: interrupted\n", stderr);
  return 128 + Interrupted();
}

}  // namespace
}  // namespace munja::cli

int main(int argc, char** argv) {
  try {
    return munja::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("munja: out of memory\n", stderr);
    return munja::cli::kOutOfMemory;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "munja: %s\n", e.what());
    return munja::cli::kBug;
  }
}
