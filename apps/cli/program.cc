// The main function of both programs: reads the command line and runs the
// command given.
#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/shown.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

void PrintLog(munja_log_severity severity, std::string_view line) {
  static constexpr const char* kNames[] = {"", "warning: ", "error: "};
  if (IsQuiet() && severity != MUNJA_LOG_ERROR) return;
  ClearProgress();
  std::fprintf(stderr, "munja: %s%s\n", kNames[severity], Shown(line).c_str());
}

bool needs_tools = false, prefers_tools = false;

constexpr char kHelpText[] = "Print the usual options (-h) or all (--help)";

void SetHelpFlags(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    // A command of another program has none.
    if (command->get_help_ptr() == nullptr) continue;
    command->set_help_flag("-h,--help", kHelpText);
    SetHelpFlags(*command);
  }
}

void AddCommand(CLI::App& app, const CommandRow& row, Action* action) {
  if (row.add != nullptr) {
    row.add(app, action);
  } else {
    // Only its name and what it does: munja-tools reads the arguments.
    CLI::App* const command = AddToolCommand(app, *row.of_tools);
    command->prefix_command();
    command->set_help_flag();
    command->callback([action] {
      NeedTools();
      *action = [] { return static_cast<int>(kBug); };
    });
  }
  app.get_subcommands({}).back()->group(row.group);
}

// The innermost command that was given.
const CLI::App& GivenCommand(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? app : GivenCommand(*given.back());
}

int Run(int argc, char** argv) {
  munja::SetLog(PrintLog);
  CLI::App app("Munja is an OCR engine that runs locally.", "munja");
  app.set_help_flag("-h,--help", kHelpText);
  app.set_version_flag("-v,--version", "munja " + munja::Version(),
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
  for (const CommandRow& row : CommandRows()) AddCommand(app, row, &action);
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
  if (needs_tools || (prefers_tools && HasTools())) {
    if (const int code = ContinueInTools(words); code != kSuccess) return code;
  }
  const char* const simd = std::getenv("MUNJA_SIMD");
  const munja::Status selected = munja::SelectSimd(simd != nullptr ? simd : "");
  if (!selected.ok()) return UsageError("MUNJA_SIMD: " + selected.message());
  if (const int code = ApplyLimits(); code != kSuccess) return code;
  if (const int code = StartTrace(); code != kSuccess) return code;
  int code = action();
  ClearProgress();
  code = FinishTrace(code);
  if (Interrupted() == 0 || code == kSuccess) return code;
  // As shells say it of a program that a signal ended.
  std::fputs("munja: interrupted\n", stderr);
  return 128 + Interrupted();
}

}  // namespace

void NeedTools() { needs_tools = true; }

void PreferTools() { prefers_tools = true; }

CLI::App* AddToolCommand(CLI::App& app, const ToolCommand& command) {
  return app.add_subcommand(command.name, command.summary);
}

int Main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const munja::Error& e) {
    PrintError("", e.what());
    return ExitCodeOf(e.code(), Subject::kInput);
  } catch (const std::bad_alloc&) {
    std::fputs("munja: out of memory\n", stderr);
    return kOutOfMemory;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "munja: %s\n", Shown(e.what()).c_str());
    return kBug;
  }
}

}  // namespace munja::cli
