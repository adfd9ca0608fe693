#include "cli/option_table.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <thread>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

// The first match of `row` in each line of the help.
std::vector<std::string> Listed(const Words& command, const char* row) {
  const Outcome help = Munja(command + Words{"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  const std::regex pattern(row);
  std::vector<std::string> found;
  std::istringstream lines(help.out);
  std::smatch match;
  for (std::string line;
       std::getline(lines, line) && !line.starts_with("Example");)
    if (std::regex_search(line, match, pattern)) found.push_back(match[1]);
  return found;
}

void AddCommon(const Common& common, Rows* rows) {
  const Words& words = common.words;
  const auto code = [&words](const std::string& option) {
    return Munja(words + Words{option}).exit_code;
  };
  (*rows)["--timeout"] = [&common, code] {
    EXPECT_EQ(code("--timeout=1e-9"), common.no_time);
    EXPECT_EQ(code("--timeout=soon"), 2);
  };
  (*rows)["--max-memory"] = [&common, code] {
    EXPECT_EQ(code("--max-memory=300"), common.no_memory);
    EXPECT_EQ(code("--max-memory=-1"), 2);
  };
  (*rows)["--max-pixels"] = [&common, code] {
    EXPECT_EQ(code("--max-pixels=100"), common.few_pixels);
    EXPECT_EQ(code("--max-pixels=0"), 2);
  };
  (*rows)["--quiet"] = [&common, &words] {
    std::string seen;
    OnTerminal(words, false, &seen);
    EXPECT_EQ(seen.find("\r\033[K") != seen.npos, common.shows_progress)
        << seen;
    seen.clear();
    EXPECT_EQ(OnTerminal(words + Words{"--quiet"}, false, &seen), 0);
    EXPECT_EQ(seen, "");
  };
}

}  // namespace

std::map<std::string, int> TracedOperators(const std::string& file) {
  const auto trace = nlohmann::json::parse(ReadAll(file), nullptr, false);
  EXPECT_TRUE(trace.is_object()) << file;
  std::map<std::string, int> operators;
  if (trace.is_object())
    for (const auto& event : trace["traceEvents"])
      if (event["ph"] == "X" && event["cat"] == "operator")
        ++operators[event["name"]];
  return operators;
}

nlohmann::json AsJson(const Words& words) {
  const Outcome outcome = Munja(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

int ManyThreads() {
  return static_cast<int>(std::thread::hardware_concurrency()) + 2;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<std::string> OptionsOf(const Words& command) {
  std::set<std::string> options;
  for (const std::string& name :
       Listed(command, R"(^  (?:-\w,|   ) (--[\w-]+))"))
    options.insert(name);
  return options;
}

std::vector<std::string> CommandsOf(const Words& command) {
  return Listed(command, R"(^  ([a-z][\w-]*) )");
}

void CheckOptions(const Words& command, const Common& common, Rows rows) {
  std::string name = "munja";
  for (const std::string& word : command) name += " " + word;
  const Outcome usual = Munja(common.words);
  ASSERT_EQ(usual.exit_code, 0) << name << usual.err;
  AddCommon(common, &rows);
  rows["--help"] = [&] {
    const Outcome brief = Munja(command + Words{"-h"});
    EXPECT_EQ(brief.exit_code, 0);
    EXPECT_LE(brief.out.size(), Munja(command + Words{"--help"}).out.size());
    EXPECT_EQ(brief.out.find("--max-pixels"), brief.out.npos);
  };
  const std::set<std::string> options = OptionsOf(command);
  EXPECT_GE(options.size(), 5u);
  for (const std::string& option : options)
    EXPECT_TRUE(rows.contains(option))
        << name << " " << option << " is tried by no row";
  for (const auto& [option, row] : rows) {
    SCOPED_TRACE(name + " " + option);
    EXPECT_TRUE(options.contains(option));
    row();
  }
}

}  // namespace munja::cli_test
