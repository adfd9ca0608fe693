// munja: reads and runs models. Other commands are those of munja-tools, which
// lies beside it.
#include "cli/program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/tool_commands.h"

namespace munja::cli {
namespace {

bool needs_tools = false;

// Only its name and summary: munja-tools reads the arguments.
void Forward(CLI::App& app, const ToolCommand& to, Action* action) {
  CLI::App* const command = AddToolCommand(app, to);
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
  AddEval(app, action);
  AddHelp(app, action);
  for (const char* name : {"read", "models", "eval", "help"})
    app.get_subcommand(name)->group(kEveryday);
  for (const ToolCommand& command :
       {kConvertCommand, kQuantizeCommand, kPruneCommand})
    Forward(app, command, action);
  AddInspect(app, action);
  Forward(app, kOperatorsCommand, action);
  AddRun(app, action);
  AddBench(app, action);
  AddBenchRead(app, action);
  for (const char* name : {"inspect", "run", "bench", "bench-read"})
    app.get_subcommand(name)->group(kNetworks);
  for (const ToolCommand& command :
       {kDevicesCommand, kNnTestCommand, kNnBenchCommand, kCompletionCommand,
        kManCommand})
    Forward(app, command, action);
}

void NeedTools() { needs_tools = true; }

int ContinueInTools(const std::vector<std::string>& words) {
  if (!needs_tools) return kSuccess;
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string tools = (self.parent_path() / "munja-tools").string();
  std::vector<std::string> all = words;
  all.insert(all.begin(), "munja");
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (!error) ::execv(tools.c_str(), argv.data());
  PrintError("", "this needs munja-tools, which is not beside this program (" +
                     tools + ": " + std::strerror(errno) +
                     "); 'make tools' builds it");
  return kUnavailable;
}

}  // namespace munja::cli
