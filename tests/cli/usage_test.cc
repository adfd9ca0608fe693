// The command line itself: help, usage errors, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;

TEST(Usage, HelpAndVersion_Succeed) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"read", "--help"},
                                             {"convert", "--help"},
                                             {"inspect", "--help"},
                                             {"run", "--help"},
                                             {"bench", "--help"},
                                             {"models", "--help"},
                                             {"operators", "--help"},
                                             {"devices", "--help"},
                                             {"eval", "--help"},
                                             {"nn-test", "--help"},
                                             {"nn-bench", "--help"},
                                             {"models", "pull", "--help"},
                                             {"bench-read", "--help"}}) {
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0];
    EXPECT_THAT(outcome.out, HasSubstr("--help")) << arguments[0];
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome version = Munja({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "munja 0.1.0\n");
  EXPECT_THAT(Munja({"--help"}).out, HasSubstr("Examples:"));
}

TEST(Usage, WrongCommandLines_AreTwo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {},
           {"frobnicate"},
           {"read"},
           {"read", "--no-such-flag", "x.jpg"},
           {"read", "--format", "xml", "x.jpg"},
           {"read", "--threads", "many", "x.jpg"},
           {"read", "--min-confidence", "1.5", "x.jpg"},
           {"read", "--overlay", "o.png", "a.jpg", "b.jpg"},
           {"read", "-", "-"},
           {"convert", "a.onnx"},
           {"convert", "-o", "out.tflite"},
           {"convert", "--bundle", "-o", "out"},
           {"convert", "--bundle", "--detector", "a", "-o", "out"},
           {"convert", "a.onnx", "--detector", "b.onnx", "-o", "out.tflite"},
           {"inspect"},
           {"run", "a.tflite"},
           {"bench", "a.tflite", "--runs", "0"},
           {"models"},
           {"models", "extract"},
           {"models", "pull"},
           {"models", "pull", "tiny", "--from", "http://models.example"},
           {"models", "pull", "../tiny", "--from", "https://models.example"},
           {"eval"},
           {"nn-test"},
           {"nn-bench"},
           {"nn-bench", "a.tflite", "--runs", "0"},
           {"eval", "--labels", "x", "--task", "dream"},
           {"eval", "--labels", "x", "--from-results", "y", "--model", "z"}}) {
    const Outcome outcome = Munja(arguments);
    std::string line;
    for (const std::string& word : arguments) line += " " + word;
    EXPECT_EQ(outcome.exit_code, 2) << line << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << line;
    EXPECT_NE(outcome.err, "") << line;
  }
}

TEST(Usage, MissingModel_IsFiveAndSaysWhereItWasSought) {
  const Call nowhere = {.environment = {"MUNJA_MODELS=" + TestFolder(),
                                        "XDG_DATA_HOME=" + TestFolder()}};
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"read", "--model", "absent", TestData("pictures/receipt.jpg")},
           {"models", "path", "absent"},
           {"models", "verify", "absent"},
           {"inspect", "absent.tflite"},
           {"bench", "absent.tflite"},
           {"run", "absent.tflite", "--output-dir", TestFolder()},
           {"eval", "--model", "absent", "--labels",
            TestData("labels/pictures.jsonl")}}) {
    const Outcome outcome = Munja(arguments, nowhere);
    EXPECT_EQ(outcome.exit_code, 5) << arguments[0] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("absent"));
    EXPECT_THAT(outcome.err, testing::StartsWith("munja: "));
  }
  const Outcome read = Munja({"read", "--model", "absent", "x.jpg"}, nowhere);
  EXPECT_THAT(read.err, HasSubstr(TestFolder()));
}

// Another engine's results are scored without a model.
TEST(Usage, Eval_ScoresAFileOfResults) {
  const std::string labels = TestFolder() + "/labels/words.jsonl";
  std::filesystem::create_directories(TestFolder() + "/labels");
  WriteAll(labels, R"({"image": "a.png", "text": "abcd"})"
                   "\n"
                   R"({"image": "b.png", "text": "efgh"})");
  const std::string results = TestFolder() + "/results.jsonl";
  WriteAll(results, R"({"source": "x/a.png", "text": "abxd"})"
                    "\n"
                    R"({"source": "x/b.png", "text": "efgh"})");
  const std::vector<std::string> command = {
      "eval", "--labels", labels, "--from-results", results, "--json"};
  const Outcome outcome = Munja(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto figures = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(figures["cer"], 0.125);  // One edit in eight characters.
  EXPECT_EQ(figures["accuracy"], 0.5);
  // One that is missing counts as one in which nothing was found.
  WriteAll(results, R"({"source": "x/b.png", "text": "efgh"})");
  const Outcome partly = Munja(command);
  EXPECT_EQ(partly.exit_code, 1);
  EXPECT_THAT(partly.err, HasSubstr("a.png: there is no result"));
  EXPECT_EQ(nlohmann::json::parse(partly.out)["cer"], 0.5);
  WriteAll(results, "not JSON");
  EXPECT_EQ(Munja(command).exit_code, 3);
}

TEST(Usage, DirectoryWithoutImages_IsThree) {
  const Outcome outcome = Munja({"read", TestFolder()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err, "munja: " + TestFolder() +
                             ": there are no pictures in this folder\n");
}

TEST(Usage, FullDisk_IsSeven) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"models", "list", "--json"}}) {
    const Outcome outcome = Munja(arguments, {.stdout_path = "/dev/full"});
    EXPECT_EQ(outcome.exit_code, 7) << arguments[0];
    EXPECT_THAT(outcome.err, HasSubstr("cannot write"));
  }
}

}  // namespace
}  // namespace munja::cli_test
