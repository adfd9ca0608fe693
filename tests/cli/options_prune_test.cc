// Each option of `munja prune` changes something that a user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(PruneOptions, Prune_EachOptionHasAnEffect) {
  const std::string model = DefaultBundle() + "/detector.tflite";
  const std::string output = TestFolder() + "/small.tflite";
  const std::string labels = TestFolder() + "/labels.jsonl";
  const std::string picture = TestFolder() + "/picture.ppm";
  std::string ppm = "P6 160 160 255\n";
  for (int i = 0; i < 160 * 160; ++i)
    ppm += i / 160 % 40 < 20 && i % 160 % 8 < 3 ? std::string(3, '\x10')
                                                : std::string(3, '\xf0');
  WriteAll(picture, ppm);
  const auto line = [&](const char* outline) {
    return R"({"image": ")" + picture +
           R"(", "lines": [{"text": "a", "poly": )" + outline + "}]}\n";
  };
  WriteAll(labels, line("[[10,10],[70,10],[70,60],[10,60]]") +
                       line("[[80,80],[150,80],[150,150],[80,150]]"));
  const Words plain = {"prune", model, "-o", output};
  const Words words = plain + Words{"--sparsity", "0.5"};
  const Words clusters =
      words + Words{"--criterion=clusters", "--calibrate", labels};
  const auto made = [&](const Words& arguments) {
    fs::remove(output);
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ReadAll(output);
  };
  const std::string usual = made(words), clustered = made(clusters);
  const Rows rows = {
      {"--sparsity",
       [&] {
         EXPECT_EQ(Munja(plain).exit_code, 2);
         EXPECT_LT(made(plain + Words{"--sparsity=90%"}).size(), usual.size());
         EXPECT_THAT(Munja(plain + Words{"--sparsity=1"}).err,
                     HasSubstr("keeps none"));
       }},
      {"--round-to",
       [&] {
         EXPECT_LT(made(words + Words{"--round-to=32"}).size(), usual.size());
         EXPECT_EQ(Munja(words + Words{"--round-to=0"}).exit_code, 2);
       }},
      {"--budget",
       [&] {
         const Words budget =
             plain + Words{"--budget=0.7", "--calibrate", labels};
         const std::string whole = ReadAll(model);
         EXPECT_LT(made(budget).size(), whole.size());
         EXPECT_EQ(Munja(plain + Words{"--budget=0.7"}).exit_code, 2);
         EXPECT_EQ(Munja(budget + Words{"--sparsity=0.5"}).exit_code, 2);
       }},
      {"--profile",
       [&] {
         const std::string profile = TestFolder() + "/profile.json";
         WriteAll(profile, Munja({"bench", model, "--shape=1x64x64x3",
                                  "--runs=1", "--op-profile", "--json"})
                               .out);
         EXPECT_LT(made(plain + Words{"--budget=0.7", "--calibrate", labels,
                                      "--profile", profile})
                       .size(),
                   ReadAll(model).size());
         EXPECT_EQ(Munja(words + Words{"--profile", profile}).exit_code, 2);
       }},
      {"--criterion",
       [&] {
         EXPECT_TRUE(made(words + Words{"--criterion=l2"}) != usual);
         EXPECT_EQ(Munja(words + Words{"--criterion=best"}).exit_code, 2);
       }},
      {"--clusters",
       [&] {
         EXPECT_TRUE(made(clusters + Words{"--clusters=kept"}) != clustered);
       }},
      {"--calibrate",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--criterion=clusters"}).err,
                     HasSubstr("--calibrate"));
       }},
      {"--max-pictures",
       [&] {
         EXPECT_TRUE(made(clusters + Words{"--max-pictures=2"}) != clustered);
       }},
      {"--bundle",
       [&] {
         EXPECT_TRUE(made(clusters + Words{"--bundle", DefaultBundle()}) ==
                     clustered);
         EXPECT_NE(Munja(clusters + Words{"--bundle=absent"}).exit_code, 0);
       }},
      {"--seed",
       [&] {
         const Words random = words + Words{"--criterion=random"};
         EXPECT_TRUE(made(random) != made(random + Words{"--seed=2"}));
       }},
      {"--output",
       [&] {
         EXPECT_EQ(Munja({"prune", model, "--sparsity=0.5"}).exit_code, 2);
         EXPECT_EQ(
             Munja({"prune", model, "--sparsity=0.5", "-o", model}).exit_code,
             2);
       }},
      {"--threads",
       [&] {
         EXPECT_TRUE(made(clusters + Words{"--threads=1"}) == clustered);
         EXPECT_EQ(Munja(words + Words{"--threads=-1"}).exit_code, 2);
       }},
      {"--json",
       [&] {
         const Outcome outcome = Munja(words + Words{"--json"});
         const auto report = nlohmann::json::parse(outcome.out);
         EXPECT_LT(report["parameters"], report["parameters_before"]);
         EXPECT_EQ(report["layers"][0]["kept"].size() * 2,
                   report["layers"][0]["filters"]);
       }},
  };
  CheckOptions({"prune"}, {.words = clusters, .few_pixels = 6}, rows);
}

}  // namespace
}  // namespace munja::cli_test
