// Each option of `munja convert` changes something that a user sees.
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
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

TEST_F(ModelOptions, Convert_EachOptionHasAnEffect) {
  const std::string source = WriteNcnn(TestFolder(), 64);
  const std::string output = TestFolder() + "/out.tflite";
  const Words words = {"convert", source, "-o", output};
  const Json usual = AsJson(words + Words{"--json"});
  const auto size = fs::file_size(output);
  const std::string bundle = DefaultBundle(), made = TestFolder() + "/bundle";
  const std::string dictionary = bundle + "/dictionary.txt";
  const std::string labels = TestData("labels/pictures.jsonl");
  const std::string picture = Drawn(false);
  const Words parts = {"convert",
                       "--bundle",
                       "--detector=" + source,
                       "--recognizer=" + bundle + "/recognizer.tflite",
                       "--dictionary=" + dictionary,
                       "-o",
                       made};
  // The report of a bundle; its table of contents goes to `manifest`.
  Json manifest;
  const auto make = [&](const Words& more) {
    fs::remove_all(made);
    const Json report = AsJson(parts + Words{"--json"} + more);
    manifest = Json::parse(ReadAll(made + "/bundle.json"), nullptr, false);
    return report;
  };
  make({});
  const Json usual_manifest = manifest;
  const auto count = [](const Json& report, const char* op) {
    return report["operators"].value(op, 0);
  };
  const Rows rows = {
      {"--output",
       [&] {
         for (const char* option : {"-o", "--output"}) {
           fs::remove(output);
           Munja({"convert", source, option, output});
           EXPECT_EQ(fs::file_size(output), size) << option;
         }
       }},
      {"--fp16",
       [&] {
         Munja(words + Words{"--fp16"});
         EXPECT_LT(fs::file_size(output), size * 7 / 10);
       }},
      {"--dictionary",
       [&] {
         Munja(words + Words{"--dictionary", dictionary});
         EXPECT_THAT(ReadAll(output), HasSubstr("dictionary.txt"));
         EXPECT_EQ(ReadAll(made + "/dictionary.txt"), ReadAll(dictionary));
       }},
      {"--shape",
       [&] {
         Munja(words);
         EXPECT_THAT(Munja({"inspect", output}).out, HasSubstr("1x?x?x3"));
         Munja(words + Words{"--shape", "1x32x48x3"});
         EXPECT_THAT(Munja({"inspect", output}).out, HasSubstr("1x32x48x3"));
       }},
      {"--constant",
       [&] {
         const Words onnx = {"convert", TestData("models/quantized.onnx"), "-o",
                             TestFolder() + "/switched.tflite"};
         Munja(onnx);
         EXPECT_THAT(Munja({"inspect", onnx.back()}).out, HasSubstr("'x'"));
         Munja(onnx + Words{"--constant", "x=0.5"});
         EXPECT_THAT(Munja({"inspect", onnx.back()}).out,
                     Not(HasSubstr("'x'")));
         EXPECT_EQ(Munja(onnx + Words{"--constant", "x"}).exit_code, 2);
         EXPECT_EQ(Munja(words + Words{"--constant", "x=1"}).exit_code, 4)
             << "of ncnn, whose inputs are pictures";
       }},
      {"--report-shape",
       [&] {
         const Json report =
             AsJson(words + Words{"--json", "--report-shape", "1x32x48x3"});
         EXPECT_THAT(report["shape"].get<std::string>(),
                     HasSubstr("1x32x48x3"));
       }},
      {"--gpu-safe",
       [&] {
         EXPECT_EQ(count(usual, "TRANSPOSE_CONV"), 1);
         EXPECT_EQ(count(AsJson(words + Words{"--json", "--gpu-safe"}),
                         "TRANSPOSE_CONV"),
                   0);
       }},
      {"--keep-layout",
       [&] {
         Munja(words + Words{"--keep-layout"});
         EXPECT_THAT(Munja({"inspect", output}).out, HasSubstr("1x3x?x?"));
       }},
      {"--check-with",
       [&] {
         EXPECT_EQ(AsJson(words + Words{"--json", "--check-with",
                                        picture})["parity"]["input"],
                   Json({picture}));
         EXPECT_EQ(
             make({"--check-with", picture})["detector"]["parity"]["input"],
             Json({picture}));
       }},
      {"--eval",
       [&] {
         const Json report = make({"--eval", labels});
         EXPECT_EQ(report["text"]["labels"], labels);
         EXPECT_EQ(report["text"]["bundle"]["lines"], 22);
         EXPECT_FALSE(report["text"].contains("exact"));
       }},
      {"--no-check",
       [&] {
         EXPECT_TRUE(usual.contains("parity"));
         EXPECT_FALSE(
             AsJson(words + Words{"--json", "--no-check"}).contains("parity"));
         EXPECT_FALSE(make({"--no-check"})["detector"].contains("parity"));
       }},
      {"--allow-custom-ops",
       [&] {
         const Words custom = {"convert", Example("sine.tflite"), "-o", output};
         EXPECT_EQ(Munja(custom).exit_code, 4);
         EXPECT_EQ(Munja(custom + Words{"--allow-custom-ops"}).exit_code, 0);
       }},
      {"--json",
       [&] {
         EXPECT_THAT(Munja(words).out, StartsWith(output + "\n  operators"));
       }},
      {"--bundle",
       [&] {
         Words without = parts;
         std::erase(without, "--bundle");
         EXPECT_EQ(Munja(without).exit_code, 2);
       }},
      {"--detector",
       [&] {
         make({});
         EXPECT_EQ(count(usual, "TRANSPOSE_CONV"), 1);
         EXPECT_THAT(Munja({"inspect", made + "/detector.tflite"}).out,
                     HasSubstr("TRANSPOSE_CONV"));
       }},
      {"--recognizer",
       [&] {
         EXPECT_EQ(Munja({"convert", "--bundle", "--detector=" + source,
                          "--recognizer=" + TestFolder() + "/absent.onnx",
                          "--dictionary=" + dictionary, "-o", made})
                       .exit_code,
                   3);
       }},
      {"--classifier",
       [&] {
         const Outcome outcome =
             Munja(parts + Words{"--classifier", "absent.onnx"});
         EXPECT_EQ(outcome.exit_code, 3);
         EXPECT_THAT(outcome.err, HasSubstr("absent.onnx"));
       }},
      {"--contract",
       [&] {
         EXPECT_EQ(usual_manifest["contract"]["name"], "ppocrv6");
         make({"--contract=ppocrv5"});
         EXPECT_EQ(manifest["contract"]["name"], "ppocrv5");
       }},
      {"--language",
       [&] {
         const std::string language = DefaultBundle() + "/latin.lm";
         EXPECT_EQ(usual_manifest["languages"].size(), 2u);
         make({"--language=" + language});
         ASSERT_EQ(manifest["languages"].size(), 1u);
         EXPECT_EQ(manifest["languages"][0]["file"], "latin.lm");
         EXPECT_EQ(Munja(parts + Words{"--language", "absent.lm"}).exit_code,
                   3);
         EXPECT_EQ(Munja(parts + Words{"--language", language, "--no-language"})
                       .exit_code,
                   2);
       }},
      {"--no-language",
       [&] {
         make({"--no-language"});
         EXPECT_FALSE(manifest.contains("languages"));
       }},
      {"--name",
       [&] {
         EXPECT_EQ(usual_manifest["name"], "bundle");
         make({"--name=mine"});
         EXPECT_EQ(manifest["name"], "mine");
       }},
      {"--description",
       [&] {
         make({"--description=what I like"});
         EXPECT_EQ(manifest["description"], "what I like");
       }},
  };
  CheckOptions({"convert"}, {.words = words, .shows_progress = true}, rows);
}

}  // namespace
}  // namespace munja::cli_test
