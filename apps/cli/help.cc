#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/page_files.h"
#include "cli/usage.h"

namespace munja::cli {
namespace {

constexpr size_t kColumns = 80, kTextColumn = 26;
constexpr size_t kUsualOptions = 10;

// Values that are text, where the option's own type says no more.
struct Named {
  const char* option;
  const char* placeholder;
};
constexpr Named kPlaceholders[] = {
    {"output", "FILE"},
    {"overlay", "FILE"},
    {"html", "FILE"},
    {"trace", "FILE"},
    {"results", "FILE"},
    {"from-results", "FILE"},
    {"calibration-plot", "FILE"},
    {"words", "FILE"},
    {"files-from", "FILE"},
    {"labels", "FILE"},
    {"eval", "FILE"},
    {"dictionary", "FILE"},
    {"operators", "FILE"},
    {"profile", "FILE"},
    {"check-with", "FILE"},
    {"detector", "FILE"},
    {"recognizer", "FILE"},
    {"classifier", "FILE"},
    {"language", "FILE"},
    {"calibrate", "FILE"},
    {"input", "[NAME=]FILE"},
    {"output-dir", "DIR"},
    {"dump-stages", "DIR"},
    {"driver-path", "DIR[:DIR...]"},
    {"output-name", "PATTERN"},
    {"set", "NAME=VALUE"},
    {"device", "NAME[:KEY=VALUE,...]"},
    {"device-option", "KEY=VALUE"},
    {"partition", "NAME[:KEY=VALUE,...]"},
    {"shape", "[NAME=]SHAPE"},
    {"report-shape", "SHAPE"},
    {"constant", "NAME=N"},
    {"sparsity", "N"},
    {"max-memory", "SIZE"},
    {"from", "URL"},
    {"ignore-text", "TEXT"},
    {"description", "TEXT"},
};

bool IsPlainType(std::string_view type) {
  for (const std::string_view plain : {"TEXT", "INT", "UINT", "FLOAT"})
    if (type == plain) return true;
  return false;
}

// Words from `column` on, wrapped; the first line is already at `at`.
void AppendWrapped(const std::string& text, size_t column, size_t at,
                   std::string* out) {
  if (at >= column) {
    *out += '\n';
    at = 0;
  }
  out->append(column - at, ' ');
  at = column;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    if (at > column && at + 1 + end - start > kColumns) {
      *out += '\n' + std::string(column, ' ');
      at = column;
    }
    if (at > column) {
      *out += ' ';
      ++at;
    }
    out->append(text, start, end - start);
    at += end - start;
    start = end + 1;
  }
  *out += '\n';
}

void AppendRow(const std::string& name, const std::string& text,
               std::string* out) {
  *out += name;
  // Two spaces at least part the columns.
  AppendWrapped(text, kTextColumn,
                name.size() + 2 > kTextColumn ? kTextColumn : name.size(), out);
}

std::string OptionText(const CLI::Option& option) {
  std::string text = option.get_snames().empty() ? "      " : "  ";
  text += OptionNames(option, ", ");
  const std::string value = Placeholder(option);
  return value.empty() ? text : text + " " + value;
}

std::string FormatsTopic(const CLI::App&) {
  std::string text = "Output formats of 'munja read --format':\n";
  for (const Format& format : Formats())
    AppendRow("  " + format.name,
              "." + format.extension + " (" + format.media_type + ")", &text);
  return text +
         "Without --format the extension of the --output file decides.\n"
         "Input: JPEG, PNG, WebP, BMP, GIF, TIFF, PNM; HEIC and AVIF where\n"
         "libheif is installed, JPEG 2000 where OpenJPEG is, JPEG XL where\n"
         "libjxl is, PDF where poppler-utils is ('munja doctor' tells).\n";
}

std::string LimitsTopic(const CLI::App& app) {
  std::string text =
      "Every command has these limits; exceeding one is exit code 6.\n";
  for (const OptionGroup& group : OptionGroups(*FindCommand(app, "read"))) {
    if (group.title != kLimitsGroup) continue;
    for (const CLI::Option* option : group.options)
      AppendRow(OptionText(*option), option->get_description(), &text);
  }
  return text;
}

std::string ExitCodesTopic(const CLI::App&) {
  std::string text = "Exit codes:\n";
#define EXIT_CODE(constant, number, when) text += "  " #number "    " when "\n";
#include "cli/exit_codes.def"
#undef EXIT_CODE
  return text + "  130  interrupted by Ctrl-C\n";
}

constexpr char kModels[] =
    "--model takes the name of an installed model or its directory. Names are\n"
    "looked up in the directories of $MUNJA_MODELS (separated by ':'), then\n"
    "among the installed models and the one inside the program.\n"
    "  munja models list           the models that are found\n"
    "  munja models path NAME      where one is\n"
    "  munja models pull NAME      download one\n"
    "  munja models extract NAME -o DIR   write one to a directory\n";
constexpr char kDevicesTopic[] =
    "--device NAME[:KEY=VALUE,...] offers the nodes of a network to a device;\n"
    "the CPU runs what it does not take. The option may be repeated.\n"
    "  nn:NAME         a device of a driver, see 'munja devices'\n"
    "  opencl          OpenCL, for example --device opencl:cache=kernels\n"
    "  FILE.so         a delegate in a shared library\n"
    "--device-option KEY=VALUE sets a value that contains commas, for the\n"
    "device before it. $MUNJA_DRIVERS or --driver-path has the directories of\n"
    "drivers.\n";

struct Topic {
  const char* name;
  std::string (*text)(const CLI::App& app);
};
constexpr Topic kTopics[] = {
    {"limits", LimitsTopic},
    {"formats", FormatsTopic},
    {"exit-codes", ExitCodesTopic},
    {"models", [](const CLI::App&) { return std::string(kModels); }},
    {"devices", [](const CLI::App&) { return std::string(kDevicesTopic); }},
};

std::string TopicNames() {
  std::string names;
  for (const Topic& topic : kTopics)
    names += (names.empty() ? "" : ", ") + std::string(topic.name);
  return names;
}

int PrintTopic(const CLI::App& app, const std::string& topic) {
  std::string text = topic.empty() ? HelpText(app, false) : "";
  std::vector<std::string> names;
  for (const Topic& one : kTopics) {
    if (topic == one.name) text = one.text(app);
    names.emplace_back(one.name);
  }
  if (text.empty())
    return UsageError("there is no command or topic '" + topic + "'" +
                      Suggestion(topic, names) + "; topics are " +
                      TopicNames());
  Print(text);
  return FinishOutput();
}

}  // namespace

std::string Placeholder(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  const std::string all = option.get_type_name();
  const size_t colon = all.find(':');
  // A colon that is part of a placeholder such as NAME[:KEY=VALUE].
  if (colon == all.npos && !IsPlainType(all)) return all;
  const std::string type = all.substr(0, colon);
  if (!IsPlainType(type)) return type;
  const std::string rest = colon == all.npos ? "" : all.substr(colon + 1);
  constexpr size_t kShortList = 32;
  if (rest.find('|') != rest.npos)
    return rest.size() <= kShortList ? rest : "NAME";
  if (!option.get_lnames().empty())
    for (const Named& named : kPlaceholders)
      if (option.get_lnames()[0] == named.option) return named.placeholder;
  return type == "TEXT" ? "NAME" : "N";
}

std::string OptionNames(const CLI::Option& option, const char* separator) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += "-" + name + separator;
  return names + "--" + option.get_lnames()[0];
}

std::string FullName(const CLI::App& command, char separator) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr
             ? command.get_name()
             : FullName(*parent, separator) + separator + command.get_name();
}

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* FindCommand(const CLI::App& command, const std::string& name) {
  for (const CLI::App* one : SubcommandsOf(command))
    if (one->get_name() == name) return one;
  return nullptr;
}

std::vector<OptionGroup> OptionGroups(const CLI::App& command) {
  std::vector<OptionGroup> groups = {{"Options", {}}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    auto group = std::find_if(
        groups.begin(), groups.end(),
        [&](const OptionGroup& g) { return g.title == option->get_group(); });
    if (group == groups.end())
      group = groups.insert(groups.end(), {option->get_group(), {}});
    group->options.push_back(option);
  }
  // Help and version come last among their like.
  std::stable_partition(groups[0].options.begin(), groups[0].options.end(),
                        [&](const CLI::Option* option) {
                          return option != command.get_help_ptr();
                        });
  // Limits are rarely needed.
  std::stable_partition(
      groups.begin(), groups.end(),
      [](const OptionGroup& group) { return group.title != kLimitsGroup; });
  return groups;
}

std::string UsageOf(const CLI::App& command) {
  std::string text = FullName(command);
  if (!SubcommandsOf(command).empty()) return text + " COMMAND [OPTIONS]";
  text += " [OPTIONS]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) {
      if (option->get_required())
        text += " --" + option->get_lnames()[0] + " " + Placeholder(*option);
      continue;
    }
    std::string name = option->get_name();
    if (option->get_expected_max() > 1) name += "...";
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string HelpText(const CLI::App& command, bool is_short) {
  std::string text = "Usage: " + UsageOf(command) + "\n";
  if (command.get_parent() == nullptr)
    text += "       " + command.get_name() + " FILE...\n";
  text += "\n" + command.get_description() + "\n";
  bool has_positionals = false;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (!has_positionals) text += "\nArguments:\n";
    has_positionals = true;
    AppendRow("  " + option->get_name(), option->get_description(), &text);
  }
  std::string group;
  const std::vector<const CLI::App*> commands = SubcommandsOf(command);
  for (const CLI::App* one : commands) {
    if (is_short && one->get_group() != commands[0]->get_group()) continue;
    if (one->get_group() != group) text += "\n" + one->get_group() + ":\n";
    group = one->get_group();
    AppendRow("  " + one->get_name(), one->get_description(), &text);
  }
  const std::vector<OptionGroup> groups = OptionGroups(command);
  std::set<const CLI::Option*> usual;
  size_t hidden = 0;
  for (const bool has_short_name : {true, false})
    for (const OptionGroup& one : groups)
      for (const CLI::Option* option : one.options)
        if (usual.size() < kUsualOptions && one.title != "Limits" &&
            option->get_snames().empty() != has_short_name)
          usual.insert(option);
  for (const OptionGroup& one : groups) {
    std::string rows;
    for (const CLI::Option* option : one.options) {
      if (is_short && !usual.contains(option)) {
        ++hidden;
        continue;
      }
      AppendRow(OptionText(*option), option->get_description(), &rows);
    }
    if (!rows.empty())
      text +=
          (is_short && one.title != "Options" ? "" : "\n" + one.title + ":\n") +
          rows;
  }
  if (!command.get_footer().empty()) text += "\n" + command.get_footer() + "\n";
  if (is_short && (hidden > 0 || !commands.empty()))
    text += "\n'" + FullName(command) + " --help' shows all " +
            (commands.empty() ? "options" : "commands") + ".\n";
  return text;
}

void AddHelp(CLI::App& app, Action* action) {
  auto topic = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("help", "Explain a command or a topic");
  command->add_option("TOPIC", *topic, "A command, or " + TopicNames());
  command->callback([topic, action, root = &app] {
    *action = [topic, root] { return PrintTopic(*root, *topic); };
  });
}

}  // namespace munja::cli
