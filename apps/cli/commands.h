// The subcommands of munja: one function, one file each.
#ifndef MUNJA_CLI_COMMANDS_H_
#define MUNJA_CLI_COMMANDS_H_

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace munja::cli {

// The function to call after the arguments are parsed; returns the exit code.
using Action = std::function<int()>;

// Each adds its subcommand to `app`; when that is the one given, *action is
// set.
void AddRead(CLI::App& app, Action* action);
void AddLive(CLI::App& app, Action* action);
void AddConvert(CLI::App& app, Action* action);
void AddQuantize(CLI::App& app, Action* action);
void AddPrune(CLI::App& app, Action* action);
void AddInspect(CLI::App& app, Action* action);
void AddOperators(CLI::App& app, Action* action);
void AddDevices(CLI::App& app, Action* action);
void AddRun(CLI::App& app, Action* action);
void AddBench(CLI::App& app, Action* action);
void AddBenchRead(CLI::App& app, Action* action);
void AddModels(CLI::App& app, Action* action);
void AddServe(CLI::App& app, Action* action);
void AddDoctor(CLI::App& app, Action* action);
void AddEval(CLI::App& app, Action* action);
void AddNnTest(CLI::App& app, Action* action);
void AddNnBench(CLI::App& app, Action* action);
void AddCompletion(CLI::App& app, Action* action);
void AddMan(CLI::App& app, Action* action);

}  // namespace munja::cli

#endif  // MUNJA_CLI_COMMANDS_H_
