#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/help.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

// Names that release 0.1 still accepts. A row with a value replaces the option
// together with that value; `now` may be several words.
struct Renamed {
  const char* command;  // "": every command.
  const char* old_name;
  const char* value;  // "": any.
  const char* now;
};
constexpr Renamed kRenamed[] = {
    {"", "--precision", "reduced", "--precision=fp16"},
    {"", "--precision", "auto", "--precision=mixed"},
    {"", "--precision", "direct", "--precision=fp32 --no-winograd"},
    {"", "--delegate", "", "--device"},
    {"", "--accelerator", "", "--device"},
    {"", "--delegate-option", "", "--device-option"},
    {"", "--accelerator-option", "", "--device-option"},
    {"", "--drivers", "", "--driver-path"},
    {"read", "--report", "", "--html"},
    {"eval", "--report", "", "--html"},
    {"eval", "--dont-care", "", "--ignore-text"},
    {"eval", "--reliability", "", "--calibration-plot"},
    {"run", "--output-dir", "", "--output"},
    {"inspect", "--why", "", "--explain"},
    {"bench-read", "--pictures", "", "--count"},
    {"nn-test", "--ways", "", "--modes"},
    {"convert", "--parity", "", "--check-with"},
    {"convert", "--no-compare", "", "--no-check"},
    {"convert", "--value", "", "--constant"},
    {"quantize", "--keep", "", "--exclude"},
    {"quantize", "--kept", "", "--excluded-as"},
    {"quantize", "--keep-float", "", "--both"},
    {"quantize", "--nearest", "", "--rounding=nearest"},
    {"quantize", "--lines", "", "--crops"},
    {"quantize", "--out", "", "--output"},
    {"prune", "--level", "", "--sparsity"},
    {"prune", "--multiple", "", "--round-to"},
    {"prune", "--centers", "", "--clusters"},
    {"prune", "--out", "", "--output"},
};

bool IsCommand(const CLI::App& app, const std::string& word) {
  return FindCommand(app, word) != nullptr;
}

void AddWords(std::string_view words, std::vector<std::string>* all) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    all->emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

// Replaces the old name at `word`, if there is one; `next` is the word after
// it. The number of words that it stands for.
size_t Replace(const std::string& command, const std::string& word,
               const std::string& next, bool is_quiet,
               std::vector<std::string>* out) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  for (const Renamed& row : kRenamed) {
    if (name != row.old_name || (row.command[0] != 0 && command != row.command))
      continue;
    const std::string value =
        equals == word.npos ? next : word.substr(equals + 1);
    if (row.value[0] != 0 && value != row.value) continue;
    if (!is_quiet)
      std::fprintf(stderr, "munja: %s%s%s is now %s\n", row.old_name,
                   row.value[0] != 0 ? " " : "", row.value, row.now);
    AddWords(row.now, out);
    if (row.value[0] != 0) return equals == word.npos ? 2 : 1;
    if (equals != word.npos) out->back() += word.substr(equals);
    return 1;
  }
  return 0;
}

}  // namespace

std::vector<std::string> TodaysWords(const CLI::App& app, int argc,
                                     char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc), out;
  if (words.empty()) return words;
  std::error_code error;
  if (words[0] == "help" && words.size() > 1 && IsCommand(app, words[1])) {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (!IsCommand(app, words[0]) &&
             (IsStandardInput(words[0]) ||
              (!words[0].starts_with('-') &&
               std::filesystem::exists(words[0], error)))) {
    words.insert(words.begin(), "read");
  }
  const std::string command = words[0];
  const bool is_quiet =
      std::find(words.begin(), words.end(), "--quiet") != words.end() ||
      std::find(words.begin(), words.end(), "-q") != words.end();
  for (size_t i = 0; i < words.size();) {
    if (words[i] == "--") {
      out.insert(out.end(), words.begin() + static_cast<ptrdiff_t>(i),
                 words.end());
      break;
    }
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    const size_t taken = Replace(command, words[i], next, is_quiet, &out);
    if (taken == 0) out.push_back(words[i]);
    i += std::max<size_t>(taken, 1);
  }
  return out;
}

}  // namespace munja::cli
