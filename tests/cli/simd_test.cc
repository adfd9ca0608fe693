// The same picture gives the same text and the same boxes whatever vector
// instructions the processor has and however many threads there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const char* const kNames[] = {"avx3", "avx2", "sse4", "neon", "scalar"};

Call With(const std::string& simd) {
  return {.environment = {"MUNJA_SIMD=" + simd}};
}

bool IsHere(const std::string& simd) {
  return Munja({"models", "list"}, With(simd)).exit_code == 0;
}

TEST(Simd, MissingInstructions_AreRefusedWithWhatTheMachineHas) {
  const Outcome outcome = Munja({"models", "list"}, With("avx9"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith("munja: MUNJA_SIMD: "));
  EXPECT_THAT(outcome.err, HasSubstr("'avx9'"));
  int known = 0;
  for (const char* name : kNames) {
    const bool is_here = IsHere(name);
    EXPECT_EQ(outcome.err.find(name) != std::string::npos, is_here) << name;
    known += is_here;
  }
  EXPECT_GT(known, 0);
  // Set to nothing is the same as not set.
  EXPECT_TRUE(IsHere(""));
}

class SimdRead : public testing::Test {
 protected:
  void SetUp() override {
    pictures_ = {TestData("pictures/receipt.jpg"),
                 TestData("pictures/sign_ko.jpg")};
    for (const char* name : {"images/timing/en.jpg", "images/timing/1.jpg",
                             "images/timing/ch_en_num.jpg"})
      if (const std::string path = Shared(name); !path.empty())
        pictures_.push_back(path);
  }

  // Text and boxes. Confidences are left out: they follow the last bits of
  // sums, which are rounded once a term with fused multiply-adds, twice
  // without.
  std::string Read(const std::string& simd, const std::string& threads) {
    std::vector<std::string> arguments = {
        "read", "--model", bundle_, "--format", "json", "--threads", threads};
    arguments.insert(arguments.end(), pictures_.begin(), pictures_.end());
    const Outcome outcome = Munja(arguments, With(simd));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::istringstream documents(outcome.out);
    std::string document, text;
    while (std::getline(documents, document)) {
      const Json page = Json::parse(document);
      text += page["source"].get<std::string>() + "\n";
      for (const Json& line : page["lines"])
        text += line["polygon"].dump() + " " + line["text"].dump() + "\n";
    }
    return text;
  }

  const std::string bundle_ = DefaultBundle();
  std::vector<std::string> pictures_;
};

TEST_F(SimdRead, TextAndBoxes_AreTheSame) {
  const std::string best = Read("", "1");
  ASSERT_THAT(best, HasSubstr("\"TOTAL\""));
  int compared = 0;
  for (const char* name : kNames) {
    if (!IsHere(name)) continue;
    for (const char* threads : {"1", "2"})
      EXPECT_EQ(Read(name, threads), best) << name << ", threads: " << threads;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// The variable does something: without this the test above could compare one
// set of instructions with itself.
TEST_F(SimdRead, Bench_ShowsTheOnesInUse) {
  for (const char* name : kNames) {
    if (!IsHere(name)) continue;
    const Outcome outcome =
        Munja({"bench", bundle_ + "/detector.tflite", "--shape", "1x64x64x3",
               "--runs", "1", "--threads", "1", "--json"},
              With(name));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["simd"], name);
  }
}

}  // namespace
}  // namespace munja::cli_test
