// Tables that turn every option of a command and look at what comes of it.
#ifndef MUNJA_TESTS_CLI_OPTION_TABLE_H_
#define MUNJA_TESTS_CLI_OPTION_TABLE_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace munja::cli_test {

using Words = std::vector<std::string>;
// By the long names of the options: "--output".
using Rows = std::map<std::string, std::function<void()>>;

Words operator+(Words words, const Words& more);

// The options and the commands that `munja COMMAND --help` lists.
std::set<std::string> OptionsOf(const Words& command);
std::vector<std::string> CommandsOf(const Words& command);

// The effects of the options that every command has on one that works when it
// is given nothing else: the exit codes with next to no time, next to no memory
// and pictures of 100 pixels at most, and whether it shows progress on a
// terminal, which --quiet leaves out.
struct Common {
  Words words;
  int no_time = 6, no_memory = 6, few_pixels = 0;
  bool shows_progress = false;
};

// The operators of a trace, each with how often it ran.
std::map<std::string, int> TracedOperators(const std::string& file);

// Returns the output of a command, which must succeed.
nlohmann::json AsJson(const Words& words);

// More than a command takes by itself.
int ManyThreads();

// Runs the row of each option of the command. An option without a row is a
// failure, as is a row without an option.
void CheckOptions(const Words& command, const Common& common, Rows rows);

}  // namespace munja::cli_test

#endif  // MUNJA_TESTS_CLI_OPTION_TABLE_H_
