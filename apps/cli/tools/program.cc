// munja-tools: every command.
#include "cli/program.h"

#include "cli/exit_code.h"
#include "cli/help.h"

namespace munja::cli {

std::span<const CommandRow> CommandRows() {
  static constexpr CommandRow kRows[] = {
      {kEveryday, AddRead},      {kEveryday, AddLive},
      {kEveryday, AddModels},    {kEveryday, AddEval},
      {kEveryday, AddServe},     {kEveryday, AddDoctor},
      {kEveryday, AddHelp},      {kNetworks, AddConvert},
      {kNetworks, AddQuantize},  {kNetworks, AddPrune},
      {kNetworks, AddInspect},   {kNetworks, AddOperators},
      {kNetworks, AddRun},       {kNetworks, AddBench},
      {kNetworks, AddBenchRead}, {kDevices, AddDevices},
      {kDevices, AddNnTest},     {kDevices, AddNnBench},
      {kShell, AddCompletion},   {kShell, AddMan},
  };
  return kRows;
}

bool HasTools() { return false; }

int ContinueInTools(const std::vector<std::string>&) { return kSuccess; }

}  // namespace munja::cli

int main(int argc, char** argv) { return munja::cli::Main(argc, argv); }
