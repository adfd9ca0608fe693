// munja: reads and runs models. Other commands are those of munja-tools, which
// lies beside it.
#include "cli/program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/exit_code.h"

namespace munja::cli {
namespace {

bool needs_tools = false;

// Only its name and what it does: munja-tools reads the arguments.
void AddForwarded(CLI::App& app, const char* name, const char* summary,
                  Action* action) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command->prefix_command();
  command->set_help_flag();
  command->callback([action] {
    needs_tools = true;
    *action = [] { return static_cast<int>(kBug); };
  });
}

}  // namespace

void AddCommands(CLI::App& app, Action* action) {
  AddRead(app, action);
  AddModels(app, action);
  AddForwarded(app, "convert", "Convert a model to .tflite, or make a bundle",
               action);
  AddForwarded(app, "quantize", "Quantize a model or a bundle", action);
  AddForwarded(app, "prune", "Take filters out of a model", action);
  AddInspect(app, action);
  AddForwarded(app, "operators", "List the operators that models need", action);
  AddForwarded(app, "devices", "List accelerators and their drivers", action);
  AddRun(app, action);
  AddBench(app, action);
  AddBenchRead(app, action);
  AddEval(app, action);
  AddForwarded(app, "nn-test", "Run test cases on a driver", action);
  AddForwarded(app, "nn-bench", "Compare devices of drivers", action);
}

void NeedTools() { needs_tools = true; }

int ContinueInTools(char** argv) {
  if (!needs_tools) return kSuccess;
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string tools = (self.parent_path() / "munja-tools").string();
  if (!error) ::execv(tools.c_str(), argv);
  PrintError("", "this needs munja-tools, which is not beside this program (" +
                     tools + ": " + std::strerror(errno) +
                     "); 'make tools' builds it");
  return kUnavailable;
}

}  // namespace munja::cli
