// munja completion and munja man: what shells and manuals say of the commands,
// from the tree that parses them.
#include <CLI/CLI.hpp>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/tool_commands.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  std::vector<const CLI::Option*> all;
  for (const OptionGroup& group : OptionGroups(command))
    all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

// The words that complete an option or a command of `command`.
std::string WordsOf(const CLI::App& command) {
  std::string words;
  for (const CLI::App* one : SubcommandsOf(command))
    words += one->get_name() + " ";
  for (const CLI::Option* option : OptionsOf(command))
    words += OptionNames(*option, " ") + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

// Inside single quotes of a shell.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

// ---- Bash ----

void AddBashCases(const CLI::App& command, const std::string& path,
                  std::string* out) {
  *out +=
      "    " + Quoted(path) + ") words=" + Quoted(WordsOf(command)) + " ;;\n";
  for (const CLI::App* one : SubcommandsOf(command))
    AddBashCases(*one,
                 path.empty() ? one->get_name() : path + " " + one->get_name(),
                 out);
}

std::string Bash(const CLI::App& app) {
  std::string nested;
  for (const CLI::App* one : SubcommandsOf(app))
    if (!SubcommandsOf(*one).empty())
      nested += (nested.empty() ? "" : "|") + one->get_name();
  std::string text =
      "# bash completion of munja: source it, or install it as\n"
      "# /usr/share/bash-completion/completions/munja.\n"
      "_munja() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} path= words= i\n"
      "  if ((COMP_CWORD > 1)); then path=${COMP_WORDS[1]}; fi\n"
      "  case $path in " +
      nested +
      ")\n"
      "    if ((COMP_CWORD > 2)); then path+=\" ${COMP_WORDS[2]}\"; fi ;;\n"
      "  esac\n"
      "  case $path in\n";
  AddBashCases(app, "", &text);
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -F _munja munja\n";
}

// ---- Zsh ----

std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void AddZshFunction(const CLI::App& command, std::string* out) {
  const std::string name = "_" + FullName(command, '_');
  const std::vector<const CLI::App*> commands = SubcommandsOf(command);
  *out += name + "() {\n";
  if (!commands.empty()) *out += "  local line state\n";
  *out += "  _arguments -C";
  for (const CLI::Option* option : OptionsOf(command)) {
    const std::string value = Placeholder(*option);
    std::vector<std::string> names;
    for (const std::string& one : option->get_snames())
      names.push_back("-" + one);
    for (const std::string& one : option->get_lnames())
      names.push_back("--" + one);
    for (const std::string& one : names) {
      std::string spec =
          "*" + one + "[" + ZshText(option->get_description()) + "]";
      if (!value.empty()) spec += ":" + ZshText(value) + ":_files";
      *out += " \\\n    " + Quoted(spec);
    }
  }
  if (commands.empty()) {
    *out += " \\\n    '*:file:_files'\n}\n";
    return;
  }
  std::string choices = "1:command:((";
  for (const CLI::App* one : commands) {
    std::string about;
    for (const char c : ZshText(one->get_description()))
      about += c == ' ' ? std::string("\\ ") : std::string(1, c);
    choices += one->get_name() + "\\:" + about + " ";
  }
  choices.back() = ')';
  *out +=
      " \\\n    " + Quoted(choices + ")") + " \\\n    '*::argument:->rest'\n";
  *out += "  [[ $state == rest ]] || return\n  case $line[1] in\n";
  for (const CLI::App* one : commands)
    *out += "    " + one->get_name() + ") _" + FullName(*one, '_') + " ;;\n";
  *out += "    *) _files ;;\n  esac\n}\n";
  for (const CLI::App* one : commands) AddZshFunction(*one, out);
}

std::string Zsh(const CLI::App& app) {
  std::string text =
      "#compdef munja\n"
      "# zsh completion of munja: install it as _munja in a directory of "
      "$fpath.\n";
  AddZshFunction(app, &text);
  return text + "_munja \"$@\"\n";
}

// ---- Fish ----

void AddFish(const CLI::App& command, const std::string& condition,
             std::string* out) {
  const std::string start =
      "complete -c munja" +
      (condition.empty() ? "" : " -n " + Quoted(condition));
  for (const CLI::App* one : SubcommandsOf(command))
    *out += start + " -a " + one->get_name() + " -d " +
            Quoted(one->get_description()) + "\n";
  for (const CLI::Option* option : OptionsOf(command)) {
    *out += start;
    for (const std::string& name : option->get_snames()) *out += " -s " + name;
    for (const std::string& name : option->get_lnames()) *out += " -l " + name;
    if (!Placeholder(*option).empty()) *out += " -r";
    *out += " -d " + Quoted(option->get_description()) + "\n";
  }
  for (const CLI::App* one : SubcommandsOf(command)) {
    const std::string given = "__fish_seen_subcommand_from " + one->get_name();
    const bool is_outer = command.get_parent() == nullptr;
    AddFish(*one, is_outer ? given : condition + "; and " + given, out);
  }
}

std::string Fish(const CLI::App& app) {
  std::string text =
      "# fish completion of munja: install it as\n"
      "# ~/.config/fish/completions/munja.fish.\n";
  AddFish(app, "", &text);
  return text;
}

int PrintCompletion(const CLI::App& app, const std::string& shell) {
  Print(shell == "bash" ? Bash(app) : shell == "zsh" ? Zsh(app) : Fish(app));
  return FinishOutput();
}

// ---- Manual pages ----

std::string Roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      // A line that begins with one would be a request.
      out += (out.empty() || out.back() == '\n') && (c == '.' || c == '\'')
                 ? std::string("\\&") + c
                 : std::string(1, c);
  }
  return out;
}

std::string ManPage(const CLI::App& command) {
  std::string title = FullName(command, '-');
  const std::string page = title;
  for (char& c : title)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = ".TH " + title + " 1 \"\" \"munja " + munja::Version() +
                     "\" \"User Commands\"\n.SH NAME\n" + Roff(page) + " \\- " +
                     Roff(command.get_description()) + "\n.SH SYNOPSIS\n" +
                     Roff(UsageOf(command)) + "\n";
  const auto add = [&](const std::string& term, const std::string& about) {
    text += ".TP\n.B " + Roff(term) + "\n" + Roff(about) + "\n";
  };
  bool has_title = false;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (!has_title) text += ".SH ARGUMENTS\n";
    has_title = true;
    add(option->get_name(), option->get_description());
  }
  std::string group;
  for (const CLI::App* one : SubcommandsOf(command)) {
    const bool is_outer = command.get_parent() == nullptr;
    const std::string of = is_outer ? one->get_group() : "Commands";
    if (of != group) text += ".SH " + Roff(of) + "\n";
    group = of;
    add(FullName(*one), one->get_description() + ".");
  }
  for (const OptionGroup& options : OptionGroups(command)) {
    text += ".SH " + Roff(options.title) + "\n";
    for (const CLI::Option* option : options.options) {
      const std::string term = OptionNames(*option, ", ");
      const std::string value = Placeholder(*option);
      add(value.empty() ? term : term + " " + value,
          option->get_description() + ".");
    }
  }
  if (!command.get_footer().empty())
    text += ".SH NOTES\n.nf\n" + Roff(command.get_footer()) + "\n.fi\n";
  return text;
}

int WritePages(const CLI::App& command, const std::string& folder) {
  const std::string path = folder + "/" + FullName(command, '-') + ".1";
  const munja::Status status = munja::WriteFile(path, ManPage(command));
  if (!status.ok()) return Fail(status, Subject::kOutput, path);
  for (const CLI::App* one : SubcommandsOf(command))
    if (const int code = WritePages(*one, folder); code != kSuccess)
      return code;
  return kSuccess;
}

struct ManArguments {
  std::vector<std::string> command;
  std::string folder;
};

int Man(const CLI::App& app, const ManArguments& a) {
  const CLI::App* command = &app;
  for (const std::string& word : a.command) {
    const CLI::App* const next = FindCommand(*command, word);
    if (next == nullptr)
      return UsageError("there is no command '" + word + "'");
    command = next;
  }
  if (a.folder.empty()) {
    Print(ManPage(*command));
    return FinishOutput();
  }
  std::error_code error;
  std::filesystem::create_directories(a.folder, error);
  return WritePages(*command, a.folder);
}

}  // namespace

void AddCompletion(CLI::App& app, Action* action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = AddToolCommand(app, kCompletionCommand);
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(OneOf({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(munja completion bash)\n"
      "  munja completion zsh > ~/.zfunc/_munja\n"
      "  munja completion fish > ~/.config/fish/completions/munja.fish");
  command->callback([shell, action, root = &app] {
    *action = [shell, root] { return PrintCompletion(*root, *shell); };
  });
}

void AddMan(CLI::App& app, Action* action) {
  auto a = std::make_shared<ManArguments>();
  CLI::App* const command = AddToolCommand(app, kManCommand);
  command->add_option("COMMAND", a->command,
                      "The command of the page (default: munja itself)");
  command
      ->add_option("-o,--output", a->folder,
                   "Write this page and those of its commands to DIR")
      ->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  munja man read | man -l -\n"
      "  munja man -o /usr/local/share/man/man1");
  command->callback([a, action, root = &app] {
    *action = [a, root] { return Man(*root, *a); };
  });
}

}  // namespace munja::cli
