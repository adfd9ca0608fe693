// munja doctor: a report of this machine, and a self-test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

// The report; its exit code must be this one.
Json Report(int exit_code, const std::vector<std::string>& more = {},
            const Call& call = {}) {
  std::vector<std::string> words = {"doctor", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = Munja(words, call);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  const Json report = Json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(report.is_object()) << outcome.out;
  return report;
}

// The problem with a feature; null: none.
Json ProblemOf(const Json& report, const std::string& feature) {
  for (const Json& problem : report["problems"])
    if (problem["feature"] == feature) return problem;
  return nullptr;
}

TEST(Doctor, Report_TellsWhatThisMachineHas) {
  const Json report = Report(0);
  EXPECT_THAT(report["simd_supported"], testing::Contains(report["simd"]));
  EXPECT_GE(report["threads"], 1);
  EXPECT_GT(report["memory_bytes"], report["available_memory_bytes"]);
  EXPECT_GT(report["available_memory_bytes"], 0);
  std::set<std::string> formats;
  for (const Json& format : report["formats"]) {
    formats.insert(format["name"]);
    // A format that cannot be read is told as a problem, too.
    EXPECT_EQ(ProblemOf(report, format["name"]).is_null(),
              format["available"].get<bool>());
  }
  EXPECT_EQ(formats,
            (std::set<std::string>{"jpeg", "png", "webp", "gif", "tiff", "bmp",
                                   "heif", "jpeg2000", "jxl", "pnm", "pdf"}));
  EXPECT_EQ(report["drivers"][0]["name"], "cpu");
  EXPECT_TRUE(report["self_test"]["passed"]);
  EXPECT_EQ(report["self_test"]["read"], report["self_test"]["expected"]);
  EXPECT_FALSE(report.contains("accelerators"));
  const Outcome text = Munja({"doctor"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("self-test     passed\n"));
  EXPECT_THAT(text.out, HasSubstr("Invoice No. 2048"));
}

TEST(Doctor, MissingPrograms_AreNamedWithTheirPackage) {
  // Where poppler's programs are not found.
  const Json report = Report(0, {}, {.environment = {"PATH=" + TestFolder()}});
  const Json problem = ProblemOf(report, "pdf");
  ASSERT_FALSE(problem.is_null());
  EXPECT_THAT(problem["problem"].get<std::string>(), HasSubstr("pdfinfo"));
  EXPECT_EQ(problem["remedy"], "apt install poppler-utils");
  EXPECT_TRUE(report["self_test"]["passed"]);
}

TEST(Doctor, InstructionSet_IsTheOneInUse) {
  EXPECT_EQ(Report(0, {}, {.environment = {"MUNJA_SIMD=scalar"}})["simd"],
            "scalar");
}

TEST(Doctor, DamagedModels_AreToldAndFailTheirTest) {
  const std::string model = TestFolder() + "/models/broken";
  fs::create_directories(TestFolder() + "/models");
  fs::copy(DefaultBundle(), model);
  std::string bytes = ReadAll(model + "/recognizer.tflite");
  bytes[bytes.size() / 2] ^= 0x40;
  WriteAll(model + "/recognizer.tflite", bytes);
  const Json damaged = Report(5, {"--model", model});
  EXPECT_FALSE(damaged["self_test"]["passed"]);
  EXPECT_THAT(ProblemOf(damaged, "reading")["problem"].get<std::string>(),
              HasSubstr("recognizer.tflite"));
  // A table of contents that cannot be read; another model reads.
  WriteAll(model + "/bundle.json", "{");
  const Json other =
      Report(0, {"--model", DefaultBundle()},
             {.environment = {"MUNJA_MODELS=" + TestFolder() + "/models"}});
  EXPECT_THAT(ProblemOf(other, "models")["problem"].get<std::string>(),
              HasSubstr("bundle.json"));
}

TEST(Doctor, OtherText_IsExitCodeOne) {
  // A model whose lines are all left out.
  const std::string model = TestFolder() + "/strict";
  fs::copy(DefaultBundle(), model);
  Json manifest = Json::parse(ReadAll(model + "/bundle.json"));
  manifest["contract"]["min_confidence"] = 1.0;
  WriteAll(model + "/bundle.json", manifest.dump());
  const Json report = Report(1, {"--model", model});
  EXPECT_FALSE(report["self_test"]["passed"]);
  EXPECT_EQ(report["self_test"]["read"], "");
}

// Alone, the smaller program reads, and says what it lacks.
TEST(Doctor, WithoutTheTools_SaysSo) {
  const std::string alone = TestFolder() + "/munja";
  fs::copy(MUNJA_PROGRAM, alone);
  const Outcome outcome = cli_test::Run(alone, {"doctor", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(ProblemOf(report, "accelerators")["problem"].get<std::string>(),
              HasSubstr("munja-tools"));
  EXPECT_TRUE(report["self_test"]["passed"]);
}

}  // namespace
}  // namespace munja::cli_test
