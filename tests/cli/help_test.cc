// Help, old names of options, and what is generated from the commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Help, OldNames_StillWorkWithANote) {
  const Outcome old = Munja(
      {"bench-read", "--pictures", "1", "--precision=auto", ReceiptPicture()});
  EXPECT_EQ(old.exit_code, 0) << old.err;
  EXPECT_THAT(old.err, HasSubstr("munja: --pictures is now --count\n"));
  EXPECT_THAT(old.err,
              HasSubstr("--precision auto is now --precision=mixed\n"));
  EXPECT_EQ(Munja({"bench-read", "--pictures=1", "-q", ReceiptPicture()}).err,
            "");
}

TEST(Help, File_IsRead) {
  EXPECT_EQ(Munja({ReceiptPicture()}).out,
            Munja({"read", ReceiptPicture()}).out);
}

// A file alone is what the program takes, not its commands.
TEST(Help, File_IsInTheUsageOfTheProgram) {
  EXPECT_THAT(Munja({"--help"}).out,
              StartsWith("Usage: munja COMMAND [OPTIONS]\n"
                         "       munja FILE...\n\n"));
  EXPECT_THAT(Munja({"read", "--help"}).out, Not(HasSubstr("FILE...\n")));
  EXPECT_THAT(Munja({"models", "--help"}).out,
              StartsWith("Usage: munja models COMMAND [OPTIONS]\n\n"));
}

TEST(Help, Topics_AreExplained) {
  for (const char* topic :
       {"limits", "formats", "exit-codes", "models", "devices"})
    EXPECT_EQ(Munja({"help", topic}).exit_code, 0) << topic;
  EXPECT_THAT(Munja({"help", "limits"}).out, HasSubstr("--max-memory"));
  EXPECT_EQ(Munja({"help", "read"}).out, Munja({"read", "--help"}).out);
  EXPECT_EQ(Munja({"help", "frogs"}).exit_code, 2);
}

TEST(Help, Types_AreNotThoseOfTheParser) {
  for (const std::string& name : CommandsOf({})) {
    const std::string help = Munja({name, "--help"}).out;
    for (const char* raw : {" TEXT\n", " INT", "FLOAT:", "UINT"})
      EXPECT_THAT(help, Not(HasSubstr(raw))) << name;
  }
}

// Each command and option is in the completions and in the manual.
TEST(Help, Generated_NamesEverything) {
  const std::string bash = Munja({"completion", "bash"}).out;
  const std::string zsh = Munja({"completion", "zsh"}).out;
  const std::string fish = Munja({"completion", "fish"}).out;
  std::vector<Words> commands;
  for (const std::string& name : CommandsOf({})) commands.push_back({name});
  for (const std::string& name : CommandsOf({"models"}))
    commands.push_back({"models", name});
  for (const Words& command : commands) {
    const Outcome man = Munja(Words{"man"} + command);
    ASSERT_EQ(man.exit_code, 0) << man.err;
    for (const std::string& text : {bash, zsh, fish})
      EXPECT_THAT(text, HasSubstr(command.back()));
    for (const std::string& option : OptionsOf(command)) {
      EXPECT_THAT(bash, HasSubstr(option));
      EXPECT_THAT(zsh, HasSubstr(option + "["));
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2) + " "));
      std::string dashes;
      for (const char c : option)
        dashes += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(man.out, HasSubstr(dashes)) << command.back();
    }
  }
}

}  // namespace
}  // namespace munja::cli_test
