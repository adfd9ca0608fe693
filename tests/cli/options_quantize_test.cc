// Each option of `munja quantize` changes something that a user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/model_options.h"
#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

TEST_F(ModelOptions, Quantize_EachOptionHasAnEffect) {
  const std::string model = TestFolder() + "/net.tflite";
  ASSERT_EQ(Munja({"convert", WriteNcnn(TestFolder()), "-o", model}).exit_code,
            0);
  const std::string bars = Drawn(false), noise = Drawn(true);
  const std::string output = TestFolder() + "/out.tflite";
  const std::string bundle = TestFolder() + "/bundle";
  const Words plain = {"quantize", model,           "--role", "detector",
                       "--bundle", DefaultBundle(), "-o",     output};
  const Words words = plain + Words{"--calibrate", bars};
  const auto made = [&](const Words& more) {
    fs::remove(output);
    const Outcome outcome = Munja(words + Words{"--max-changed=1"} + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ReadAll(output);
  };
  const std::string usual = made({});
  ASSERT_TRUE(made({}) == usual);
  // The option alone makes another model.
  const auto differs = [&](const Words& option) {
    return [&, option] { EXPECT_TRUE(made(option) != usual); };
  };
  // Lines of text, as they are cut out of the sample.
  const std::string stages = TestFolder() + "/stages";
  ASSERT_EQ(
      Munja({"read", "--dump-stages", stages, TestData("pictures/receipt.jpg")})
          .exit_code,
      0);
  const std::string line = stages + "/4-line-001.png";
  const Words lines = {"quantize",
                       "--role=recognizer",
                       "--bundle",
                       DefaultBundle(),
                       "-o",
                       output,
                       "--json",
                       "--crops",
                       "--max-changed=1",
                       "--calibrate",
                       line};
  const Words whole = {"quantize",       "--bundle", DefaultBundle(),
                       "--mode=weights", "-o",       bundle};
  const Rows rows = {
      {"--bundle",
       [&] {
         const Outcome outcome = Munja(
             {"quantize", "--bundle=absent", "--mode=weights", "-o", bundle});
         EXPECT_EQ(outcome.exit_code, 5);
         EXPECT_THAT(outcome.err, HasSubstr("absent"));
       }},
      {"--role",
       [&] {
         Munja(whole);
         EXPECT_TRUE(fs::exists(bundle + "/bundle.json"));
         for (const std::string role : {"detector", "recognizer"}) {
           Munja({"quantize", "--bundle", DefaultBundle(), "--mode=weights",
                  "-o", output, "--role", role});
           EXPECT_TRUE(ReadAll(output) ==
                       ReadAll(bundle + "/" + role + ".tflite"))
               << role;
         }
         EXPECT_EQ(Munja({"quantize", "--bundle", DefaultBundle(),
                          "--mode=weights", "-o", output, "--role=classifier"})
                       .exit_code,
                   2);
       }},
      {"--calibrate",
       [&] {
         EXPECT_EQ(Munja(plain).exit_code, 2);
         EXPECT_EQ(AsJson(words + Words{"--json", "--calibrate", bars,
                                        bars})["samples"],
                   3);
       }},
      {"--crops",
       [&] {
         EXPECT_EQ(AsJson(lines)["calibration_lines"], 1);
         Words pages = lines;
         std::erase(pages, "--crops");
         pages.back() = bars;  // Without a line in it.
         EXPECT_NE(Munja(pages).exit_code, 0);
       }},
      {"--max-pages",
       [&] {
         EXPECT_EQ(AsJson(words + Words{"--json", "--calibrate", bars, bars,
                                        "--max-pages=2"})["samples"],
                   2);
       }},
      {"--max-lines",
       [&] {
         EXPECT_EQ(
             AsJson(lines + Words{line, line, "--max-lines=2"})["samples"], 2);
       }},
      {"--output",
       [&] {
         for (const char* option : {"-o", "--output", "--out"}) {
           fs::remove(output);
           Munja({"quantize", model, "--role=detector", "--mode=weights",
                  option, output});
           EXPECT_TRUE(fs::exists(output)) << option;
         }
       }},
      {"--mode",
       [&] {
         for (const char* mode : {"int8", "int16x8", "dynamic", "weights"})
           EXPECT_EQ(AsJson(words + Words{"--json", "--max-changed=1", "--mode",
                                          mode})["mode"],
                     mode);
       }},
      {"--range",
       [&] {
         EXPECT_TRUE(made({"--range=percentile", "--percentile=60"}) !=
                     made({"--percentile=60"}));
       }},
      {"--percentile",
       [&] {
         EXPECT_TRUE(made({"--range=percentile", "--percentile=60"}) !=
                     made({"--range=percentile"}));
       }},
      {"--no-equalization", differs({"--no-equalization"})},
      {"--rounding", differs({"--rounding=nearest"})},
      {"--no-bias-correction",
       [&] {
         const std::string other = made({"--no-bias-correction"});
         EXPECT_TRUE(other != usual);
         EXPECT_TRUE(other != made({"--no-bias-tuning"}));
       }},
      {"--no-bias-tuning", differs({"--no-bias-tuning"})},
      {"--integer-io", differs({"--integer-io"})},
      {"--integer-logits",
       [&] {
         AsJson(lines);
         const std::string float_logits = ReadAll(output);
         AsJson(lines + Words{"--integer-logits"});
         EXPECT_TRUE(ReadAll(output) != float_logits);
       }},
      {"--exclude", differs({"--exclude", "e"})},
      {"--excluded-as",
       [&] {
         EXPECT_TRUE(made({"--exclude=e", "--excluded-as=int16x8"}) !=
                     made({"--exclude=e"}));
       }},
      {"--max-loss", differs({"--max-loss=1e-9"})},
      {"--max-changed",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--max-changed=2"}).exit_code, 2);
         // None may: then the first layers are wider, or the weights alone
         // are integers.
         Words coarse = lines + Words{"--range=percentile", "--percentile=5"};
         const Json any = AsJson(coarse);
         ASSERT_GT(any["changed_decisions"], 0);
         const std::string bytes = ReadAll(output);
         std::erase(coarse, "--max-changed=1");
         AsJson(coarse + Words{"--max-changed=0.000001"});
         EXPECT_TRUE(ReadAll(output) != bytes);
       }},
      {"--both",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--both"}).exit_code, 2);
         const std::string folder = whole.back();
         ASSERT_EQ(Munja(whole + Words{"--both"}).exit_code, 0);
         const Words read = {"read", TestData("pictures/receipt.jpg"),
                             "--model"};
         const Outcome both =
             Munja(read + Words{folder, "--precision", "mixed"});
         EXPECT_EQ(both.exit_code, 0) << both.err;
         EXPECT_THAT(both.out, HasSubstr("TOTAL"));
         // Such a bundle is read with `auto` by default; in float it equals the
         // bundle that it was made of.
         const auto lines_of = [&](const Words& from) {
           return AsJson(read + from + Words{"--format", "json"})["lines"];
         };
         const Words fp32 = {"--precision", "fp32"};
         const Json by_default = lines_of({folder});
         EXPECT_EQ(by_default, lines_of({folder, "--precision", "mixed"}));
         const Json exact = lines_of(Words{folder} + fp32);
         EXPECT_NE(by_default, exact);
         EXPECT_EQ(exact, lines_of(Words{DefaultBundle()} + fp32));
         ASSERT_EQ(Munja(whole).exit_code, 0);
         const Outcome single =
             Munja(read + Words{folder, "--precision", "mixed"});
         EXPECT_EQ(single.exit_code, 5);
         EXPECT_THAT(single.err, HasSubstr("--both"));
       }},
      {"--allow-noise",
       [&] {
         const Words noisy = plain + Words{"--calibrate", noise};
         EXPECT_THAT(Munja(noisy).err, HasSubstr("looks like noise"));
         EXPECT_NE(Munja(noisy).exit_code, 0);
         EXPECT_EQ(Munja(noisy + Words{"--allow-noise"}).exit_code, 0);
       }},
      {"--threads",
       [&] {
         EXPECT_TRUE(
             ObeysThreads({"quantize", "--bundle", DefaultBundle(),
                           "--calibrate", TestData("pictures/receipt.jpg"),
                           "-o", TestFolder() + "/never"}));
       }},
      {"--eval",
       [&] {
         const std::string labels = TestData("labels/pictures.jsonl");
         const Json report = AsJson(whole + Words{"--json", "--eval", labels});
         const Json& both = report["evaluation"][labels];
         EXPECT_EQ(both["before"]["lines"], 22);
         EXPECT_EQ(both["after"]["lines"], 22);
       }},
      {"--json",
       [&] { EXPECT_THAT(Munja(words).out, StartsWith("calibration  ")); }},
  };
  CheckOptions({"quantize"},
               {.words = words, .few_pixels = 6, .shows_progress = true}, rows);
}

}  // namespace
}  // namespace munja::cli_test
