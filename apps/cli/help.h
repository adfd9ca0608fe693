// Help texts from the tree of commands: -h in short, --help in full, topics.
#ifndef MUNJA_CLI_HELP_H_
#define MUNJA_CLI_HELP_H_

#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace munja::cli {

// Groups of commands in the help.
inline constexpr char kEveryday[] = "Commands";
inline constexpr char kNetworks[] = "Networks";
inline constexpr char kDevices[] = "Devices";
inline constexpr char kShell[] = "Shell";

// The placeholder of an option's value: "FILE", "N", "fp32|fp16"; "" for a
// flag.
std::string Placeholder(const CLI::Option& option);

// "-o, --output": the names of an option that is not positional.
std::string OptionNames(const CLI::Option& option, const char* separator);

// "munja read [OPTIONS] [FILE...]".
std::string UsageOf(const CLI::App& command);

// The options of a command without positional ones, its groups in order.
struct OptionGroup {
  std::string title;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> OptionGroups(const CLI::App& command);
std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command);

// The command of this name; null: there is none.
const CLI::App* FindCommand(const CLI::App& command, const std::string& name);

// "munja read", and with "-" for the space the name of its page.
std::string FullName(const CLI::App& command, char separator = ' ');

// In short: the usual options only.
std::string HelpText(const CLI::App& command, bool is_short);

void AddHelp(CLI::App& app, Action* action);

}  // namespace munja::cli

#endif  // MUNJA_CLI_HELP_H_
