// munja-tools: every command.
#include "cli/program.h"

#include "cli/exit_code.h"
#include "cli/help.h"

namespace munja::cli {

void AddCommands(CLI::App& app, Action* action) {
  using Add = void(CLI::App&, Action*);
  struct Row {
    const char* group;
    Add* add;
  };
  static constexpr Row kRows[] = {
      {kEveryday, AddRead},      {kEveryday, AddModels},
      {kEveryday, AddEval},      {kEveryday, AddHelp},
      {kNetworks, AddConvert},   {kNetworks, AddQuantize},
      {kNetworks, AddPrune},     {kNetworks, AddInspect},
      {kNetworks, AddOperators}, {kNetworks, AddRun},
      {kNetworks, AddBench},     {kNetworks, AddBenchRead},
      {kDevices, AddDevices},    {kDevices, AddNnTest},
      {kDevices, AddNnBench},    {kShell, AddCompletion},
      {kShell, AddMan},
  };
  for (const Row& row : kRows) {
    row.add(app, action);
    app.get_subcommands({}).back()->group(row.group);
  }
}

void NeedTools() {}
int ContinueInTools(const std::vector<std::string>&) { return kSuccess; }

}  // namespace munja::cli
