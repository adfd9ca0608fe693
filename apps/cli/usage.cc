#include "cli/usage.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/help.h"

namespace munja::cli {
namespace {

// Letters changed, left out, added, or swapped with their neighbor.
size_t TypingErrors(const std::string& a, const std::string& b) {
  const size_t columns = b.size() + 1;
  std::vector<size_t> d((a.size() + 1) * columns);
  const auto at = [&](size_t i, size_t j) -> size_t& {
    return d[i * columns + j];
  };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min(
          {at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string Lower(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string Join(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

// "read", "models pull": what to put between 'munja' and '--help'.
const CLI::App* Innermost(const CLI::App* app, std::string* path) {
  for (;;) {
    const std::vector<CLI::App*> given = app->get_subcommands();
    if (given.empty()) return app;
    app = given.back();
    *path += (path->empty() ? "" : " ") + app->get_name();
  }
}

// A hint for options of other programs, or of other commands of this one.
std::string KnownElsewhere(const std::string& option,
                           const std::vector<std::string>& known) {
  const auto has = [&](const char* name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if ((option == "-o" || option == "--output") && !has("--output-dir"))
    return "; it prints to standard output, which '> FILE' redirects";
  return "";
}

// The message about a word that the parser could not place.
std::string AboutWord(const CLI::App& command, const std::string& word) {
  if (word.size() < 2 || word[0] != '-')
    return "unexpected argument '" + word + "'";
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> known = OptionsOf(command);
  std::string more = KnownElsewhere(name, known);
  if (more.empty()) more = Suggestion(name, known);
  return "there is no option '" + name + "'" + more;
}

// The parser's own words, where they do not say what to do.
std::string InPlainWords(const CLI::App& command, std::string message) {
  const auto ends = [&](std::string_view end) {
    return message.ends_with(end);
  };
  const std::string option = message.substr(0, message.find_first_of(": "));
  const CLI::Option* const known = command.get_option_no_throw(option);
  if (known != nullptr && ends(" missing")) {
    return option + " needs a value (" + Placeholder(*known) + ")";
  }
  if (known != nullptr && message.find(": At Most 1 required") != message.npos)
    return option + " is given more than once; it takes one value";
  constexpr std::string_view kExcludes = " excludes ";
  if (const size_t at = message.find(kExcludes); at != message.npos)
    return message.substr(0, at) + " and " +
           message.substr(at + kExcludes.size()) + " cannot be given together";
  if (known != nullptr && ends(" is required") && option[0] != '-')
    return option + " is missing: " + known->get_description();
  if (ends(" is required")) return option + " is missing";
  return message;
}

// A word that is a number as a whole.
bool ReadNumber(const std::string& text, double* number) {
  char* end = nullptr;
  *number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == 0 && std::isfinite(*number);
}

std::string About(const CLI::App& command, const std::string& path,
                  const CLI::ParseError& error) {
  const std::vector<std::string> rest = command.remaining();
  const std::vector<std::string> commands = CommandsOf(command);
  if (!commands.empty()) {
    const auto word = std::find_if(
        rest.begin(), rest.end(),
        [](const std::string& w) { return w.empty() || w[0] != '-'; });
    if (word != rest.end())
      return "there is no command '" + (path.empty() ? "" : path + " ") +
             *word + "'" + Suggestion(*word, commands) + "; commands are " +
             Join(commands);
    if (!rest.empty()) return AboutWord(command, rest[0]);
    return "a command is missing; there are " + Join(commands);
  }
  // An option that was not understood explains why others look missing.
  for (const std::string& word : rest)
    if (word.size() > 1 && word[0] == '-') return AboutWord(command, word);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty())
    return AboutWord(command, rest[0]);
  return InPlainWords(command, error.what());
}

}  // namespace

std::string Suggestion(const std::string& word,
                       const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  size_t least = 0;
  for (const std::string& one : known) {
    const size_t errors = TypingErrors(Lower(word), Lower(one));
    // A word of which a third is wrong is another word.
    const size_t letters = one.size() - (one.starts_with("--") ? 2 : 0);
    const bool begins = word.size() >= 3 && one.starts_with(word) &&
                        !(word.starts_with("--") && word.size() < 4);
    if (!begins && errors > std::max<size_t>(1, (letters + 1) / 3)) continue;
    if (nearest != nullptr && errors >= least) continue;
    nearest = &one;
    least = errors;
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

int IndexOf(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<int>(std::find(words.begin(), words.end(), word) -
                          words.begin());
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : "|") + word;
  return CLI::Validator(
      [words](std::string& given) -> std::string {
        if (std::find(words.begin(), words.end(), given) != words.end())
          return "";
        return "'" + given + "' is not one of " + Join(words) +
               Suggestion(given, words);
      },
      text);
}

CLI::Validator Between(int least, int most) {
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most);
  return CLI::Validator(
      [=](std::string& given) -> std::string {
        double number = 0;
        if (ReadNumber(given, &number) && number == std::floor(number) &&
            number >= least && number <= most) {
          given = std::to_string(static_cast<int>(number));
          return "";
        }
        return "'" + given + "' is not an integer from " + range;
      },
      range);
}

CLI::Validator Between(double least, double most) {
  const auto text = [](double x) {
    std::string decimal = std::to_string(x);
    decimal.erase(decimal.find_last_not_of('0') + 1);
    if (decimal.ends_with('.')) decimal.pop_back();
    return decimal;
  };
  const std::string range = text(least) + " to " + text(most);
  return CLI::Validator(
      [=](std::string& given) -> std::string {
        double number = 0;
        if (ReadNumber(given, &number) && number >= least && number <= most)
          return "";
        return "'" + given + "' is not a number from " + range;
      },
      range);
}

int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  std::string path;
  const CLI::App* const command = Innermost(&app, &path);
  const std::string program = path.empty() ? "munja" : "munja " + path;
  std::string message;
  for (const std::string& word : app.remaining())
    if (command != &app && word.starts_with("-"))
      message = "the option '" + word + "' comes before the command; options " +
                "of '" + path + "' come after it";
  if (message.empty()) message = About(*command, path, error);
  while (!message.empty() && (message.back() == '\n' || message.back() == ' '))
    message.pop_back();
  return UsageError((path.empty() ? "" : path + ": ") + message + " (see '" +
                    program + " --help')");
}

}  // namespace munja::cli
