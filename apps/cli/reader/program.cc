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

namespace munja::cli {
namespace {

bool needs_tools = false;

// Only its name and what it does: munja-tools reads the arguments.
void AddForwarded(CLI::App& app, const char* name, const char* summary,
                  const char* group, Action* action) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command->group(group);
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
  AddForwarded(app, "convert",
               "Convert a Paddle, ONNX or ncnn network to .tflite, or make a "
               "bundle",
               kNetworks, action);
  AddForwarded(app, "quantize", "Quantize a model or a network to int8",
               kNetworks, action);
  AddForwarded(app, "prune", "Remove filters from the layers of a float model",
               kNetworks, action);
  AddInspect(app, action);
  AddForwarded(app, "operators", "List the operators that networks need",
               kNetworks, action);
  AddRun(app, action);
  AddBench(app, action);
  AddBenchRead(app, action);
  for (const char* name : {"inspect", "run", "bench", "bench-read"})
    app.get_subcommand(name)->group(kNetworks);
  AddForwarded(app, "devices", "List devices and their drivers", kDevices,
               action);
  AddForwarded(app, "nn-test", "Run test cases on a driver of an accelerator",
               kDevices, action);
  AddForwarded(app, "nn-bench", "Compare devices of drivers with the CPU",
               kDevices, action);
  AddForwarded(app, "completion", "Print completions for a shell", kShell,
               action);
  AddForwarded(app, "man", "Print or write manual pages", kShell, action);
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
