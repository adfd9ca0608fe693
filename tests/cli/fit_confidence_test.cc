// tools/fit-confidence, with a program in the command's place whose figures are
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;

class FitConfidence : public testing::Test {
 protected:
  // As the network says: 400 lines and a fit. With the fit's settings: half of
  // the error. With others: nothing.
  void SetUp() override {
    folder_ = TestFolder();
    WriteAll(folder_ + "/munja", R"sh(#!/bin/sh
bins='"confidence_bins": [{"lines": '${LINES_FOUND:-400}', "right": 300, "said": 350}]'
case "$*" in
  *confidence_slope=1\ *confidence_offset=0)
    echo "{\"confidence_error\": 0.2, $bins, \"confidence_fit\": {\"slope\": 0.50049, \"offset\": -1.25}}" ;;
  *confidence_slope=0.5\ *confidence_offset=-1.25) echo "{\"confidence_error\": 0.1, $bins}" ;;
  *) echo '{}' ;;
esac
)sh");
    std::filesystem::permissions(folder_ + "/munja",
                                 std::filesystem::perms::owner_all);
    std::filesystem::copy_file(DefaultBundle() + "/bundle.json",
                               folder_ + "/bundle.json");
  }
  Outcome Fit(const std::string& lines) {
    const std::string tool =
        std::filesystem::path(DefaultBundle()).parent_path().parent_path() /
        "tools/fit-confidence";
    return cli_test::Run(tool, {"--labels", folder_ + "/set.jsonl", folder_},
                         {.environment = {"MUNJA_PROGRAM=" + folder_ + "/munja",
                                          "LINES_FOUND=" + lines}});
  }

  std::string folder_;
};

TEST_F(FitConfidence, Fit_IsTheOnlyChangeOfTheBundle) {
  const Outcome outcome = Fit("400");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("error 20.0 before, 10.0 after"));
  auto expected =
      nlohmann::json::parse(ReadAll(DefaultBundle() + "/bundle.json"));
  expected["contract"]["recognizer"]["confidence_slope"] = 0.5;
  expected["contract"]["recognizer"]["confidence_offset"] = -1.25;
  EXPECT_EQ(nlohmann::json::parse(ReadAll(folder_ + "/bundle.json")), expected);
}

TEST_F(FitConfidence, TooFewLines_ChangeNothing) {
  const Outcome outcome = Fit("299");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("only 299 of its lines are found"));
  EXPECT_EQ(ReadAll(folder_ + "/bundle.json"),
            ReadAll(DefaultBundle() + "/bundle.json"));
}

}  // namespace
}  // namespace munja::cli_test
