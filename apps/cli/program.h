// The two programs that these sources make: munja reads and runs models;
// munja-tools has every command. munja hands over to it what it lacks, so that
// users know one name.
#ifndef MUNJA_CLI_PROGRAM_H_
#define MUNJA_CLI_PROGRAM_H_

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/commands.h"

namespace munja::cli {

// Adds the commands of this program, in the order of its help.
void AddCommands(CLI::App& app, Action* action);

// Called while the command line is parsed, where an option needs a part that
// only munja-tools has: accelerators, delegates, operators of plug-ins.
void NeedTools();

// To be called once the command line is parsed. Where something needs
// munja-tools, that takes over with these words and this returns only when it
// cannot, with a message and an exit code; else kSuccess.
int ContinueInTools(const std::vector<std::string>& words);

}  // namespace munja::cli

#endif  // MUNJA_CLI_PROGRAM_H_
