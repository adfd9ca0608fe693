// The two programs that these sources make: munja reads and runs models;
// munja-tools has every command. munja hands over to it what it lacks, so that
// users know one name.
#ifndef MUNJA_CLI_PROGRAM_H_
#define MUNJA_CLI_PROGRAM_H_

#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/tool_commands.h"

namespace munja::cli {

// A command of a program. Without `add` it is one of munja-tools.
struct CommandRow {
  const char* group;
  void (*add)(CLI::App& app, Action* action);
  const ToolCommand* of_tools = nullptr;
};

// The main function of both programs; returns the exit code.
int Main(int argc, char** argv);

// Called while the command line is parsed, where an option needs a part that
// only munja-tools has: accelerators, delegates, operators of plug-ins.
void NeedTools();

// Called likewise by a command that tells more in munja-tools, and works
// without it.
void PreferTools();

// The commands of the program, in the order of its help. Each program defines
// this function and the next two.
std::span<const CommandRow> CommandRows();

// Whether munja-tools is another program that can be started.
bool HasTools();

// Called after the command line is parsed, where something needs munja-tools,
// which takes over with these words. Returns only when it cannot, with a
// message and an exit code, or when the program is munja-tools: kSuccess.
int ContinueInTools(const std::vector<std::string>& words);

}  // namespace munja::cli

#endif  // MUNJA_CLI_PROGRAM_H_
