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

#include "cli/catalog.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/tool_commands.h"

namespace munja::cli {

std::span<const CommandRow> CommandRows() {
  static constexpr CommandRow kRows[] = {
      {kEveryday, AddRead},
      {kEveryday, AddLive},
      {kEveryday, AddModels},
      {kEveryday, AddEval},
      {kEveryday, nullptr, &kServeCommand},
      {kEveryday, AddDoctor},
      {kEveryday, AddHelp},
      {kNetworks, nullptr, &kConvertCommand},
      {kNetworks, nullptr, &kQuantizeCommand},
      {kNetworks, nullptr, &kPruneCommand},
      {kNetworks, AddInspect},
      {kNetworks, nullptr, &kOperatorsCommand},
      {kNetworks, AddRun},
      {kNetworks, AddBench},
      {kNetworks, AddBenchRead},
      {kDevices, nullptr, &kDevicesCommand},
      {kDevices, nullptr, &kNnTestCommand},
      {kDevices, nullptr, &kNnBenchCommand},
      {kShell, nullptr, &kCompletionCommand},
      {kShell, nullptr, &kManCommand},
  };
  return kRows;
}

namespace {

// munja-tools beside this program.
std::string ToolsPath() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "munja-tools" : (self.parent_path() / "munja-tools").string();
}

}  // namespace

int GetFromCatalog(const GetArguments&) { return kBug; }

bool HasTools() { return ::access(ToolsPath().c_str(), X_OK) == 0; }

int ContinueInTools(const std::vector<std::string>& words) {
  const std::string tools = ToolsPath();
  std::vector<std::string> all = words;
  all.insert(all.begin(), "munja");
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(tools.c_str(), argv.data());
  PrintError("", "this needs munja-tools, which is not beside this program (" +
                     tools + ": " + std::strerror(errno) +
                     "); 'make tools' builds it");
  return kUnavailable;
}

}  // namespace munja::cli

int main(int argc, char** argv) { return munja::cli::Main(argc, argv); }
