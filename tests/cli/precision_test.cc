// --precision fp16 reads the same text but for few lines, whatever the
// number of threads, and says what this processor makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

TEST(Precision, OtherWords_AreRefused) {
  const Outcome outcome =
      Munja({"read", "--precision", "fp8", TestData("pictures/receipt.jpg")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--precision"));
}

class PrecisionRead : public testing::Test {
 protected:
  Json Bench(const std::string& precision, const std::string& simd = "") {
    const Outcome outcome = Munja(
        {"bench", bundle_ + "/detector.tflite", "--shape", "1x64x64x3",
         "--runs", "1", "--threads", "1", "--json", "--precision", precision},
        {.environment = {"MUNJA_SIMD=" + simd}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }

  // The texts of all lines.
  std::vector<std::string> Lines(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"read", "--model", bundle_,
                                          "--format", "json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const char* name : {"images/timing/en.jpg", "images/timing/1.jpg"})
      if (const std::string path = Shared(name); !path.empty())
        arguments.push_back(path);
    for (const char* name : {"pictures/receipt.jpg", "pictures/sign_ko.jpg"})
      arguments.push_back(TestData(name));
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::istringstream documents(outcome.out);
    std::vector<std::string> lines;
    for (std::string document; std::getline(documents, document);) {
      const Json page = Json::parse(document);
      for (const Json& line : page["lines"])
        lines.push_back(line["text"].get<std::string>());
    }
    return lines;
  }

  const std::string bundle_ = DefaultBundle();
};

TEST_F(PrecisionRead, Bench_SaysWhatIsComputedWith) {
  EXPECT_EQ(Bench("fp32")["precision"], "fp32");
  const std::string reduced = Bench("fp16")["precision"];
  EXPECT_THAT(reduced, testing::AnyOf("fp16 (bf16)", "fp16 (fp16)",
                                      "fp16 (none on this CPU: fp32)"));
  const Outcome outcome =
      Munja({"models", "list"}, {.environment = {"MUNJA_SIMD=avx2"}});
  if (outcome.exit_code != 0) return;
  // These instructions have no products of 16-bit floats.
  EXPECT_EQ(Bench("fp16", "avx2")["precision"],
            "fp16 (none on this CPU: fp32)");
}

TEST_F(PrecisionRead, Text_IsNearlyThatOfFloat32AndThatOfAnyThreads) {
  const auto full = Lines({"--threads", "1"});
  const auto reduced = Lines({"--threads", "1", "--precision", "fp16"});
  EXPECT_EQ(Lines({"--threads", "2", "--precision", "fp16"}), reduced);
  ASSERT_GE(full.size(), 10u);
  // docs/lab/precision.md names the lines that differ in much larger sets:
  // about one in fifty.
  std::multiset<std::string> left(full.begin(), full.end());
  size_t equal = 0;
  for (const std::string& line : reduced) {
    if (const auto found = left.find(line); found != left.end()) {
      left.erase(found);
      ++equal;
    }
  }
  EXPECT_GE(equal * 10, full.size() * 9);
}

}  // namespace
}  // namespace munja::cli_test
