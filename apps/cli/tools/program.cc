// munja-tools: every command.
#include "cli/program.h"

#include "cli/exit_code.h"

namespace munja::cli {

void AddCommands(CLI::App& app, Action* action) {
  AddRead(app, action);
  AddModels(app, action);
  AddConvert(app, action);
  AddQuantize(app, action);
  AddPrune(app, action);
  AddInspect(app, action);
  AddOperators(app, action);
  AddDevices(app, action);
  AddRun(app, action);
  AddBench(app, action);
  AddBenchRead(app, action);
  AddEval(app, action);
  AddNnTest(app, action);
  AddNnBench(app, action);
}

void NeedTools() {}
int ContinueInTools(char**) { return kSuccess; }

}  // namespace munja::cli
