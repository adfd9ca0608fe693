// munja: reads text in images, and works on the models that do it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
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

constexpr char kHelpText[] = "Print the usual options (-h) or all (--help)";

void SetHelpFlags(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    // A command of another program has none.
    if (command->get_help_ptr() == nullptr) continue;
    command->set_help_flag("-h,--help", kHelpText);
    SetHelpFlags(*command);
  }
}

// The innermost command that was given.
const CLI::App& GivenCommand(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : GivenCommand(*given.back());
}

int Main(int argc, char** argv) {
  munja_set_log(PrintLog, nullptr);
  CLI::App app("Munja is an OCR engine that runs locally.", "munja");
  app.set_help_flag("-h,--help", kHelpText);
  app.set_version_flag("-v,--version", std::string("munja ") + munja_version(),
                       "Print the version");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  munja photo.jpg            print the text of an image\n"
      "  munja read -f json scans/  print one JSON object per image\n"
      "  munja read -o book.pdf scans/\n"
      "  munja models list          list the installed models\n\n"
      "'munja help TOPIC' explains limits, formats, exit-codes, models, "
      "devices.");
  Action action;
  AddCommands(app, &action);
  AddLimitOptions(app);
  SetHelpFlags(app);
  const std::vector<std::string> words = TodaysWords(app, argc, argv);
  if (words.empty()) {
    std::fputs(HelpText(app, true).c_str(), stderr);
    return kUsage;
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    const bool is_full =
        std::find(words.begin(), words.end(), "--help") != words.end();
    Print(HelpText(GivenCommand(app), !is_full));
    return FinishOutput();
  } catch (const CLI::ParseError& e) {
    // The version comes this way, too, with code 0.
    if (e.get_exit_code() != 0) return ReportUsage(app, e);
    app.exit(e);
    return FinishOutput();
  }
  if (!action) return kUsage;
  if (const int code = ContinueInTools(words); code != kSuccess) return code;
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
  } catch (const munja::Error& e) {
    munja::cli::PrintError("", e.what());
    return munja::cli::ExitCodeOf(e.code(), munja::cli::Subject::kInput);
  } catch (const std::bad_alloc&) {
    std::fputs("munja: out of memory\n", stderr);
    return munja::cli::kOutOfMemory;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "munja: %s\n", e.what());
    return munja::cli::kBug;
  }
}
