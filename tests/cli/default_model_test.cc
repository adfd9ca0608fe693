// Commands without --model, in builds with a model inside and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

// Where no model is installed.
Call Nowhere() {
  return {.environment = {"MUNJA_MODELS=", "XDG_DATA_HOME=" + TestFolder()}};
}

// The entry of the model inside the program; null without one.
Json Embedded() {
  const Outcome list = Munja({"models", "list", "--json"}, Nowhere());
  EXPECT_EQ(list.exit_code, 0) << list.err;
  for (const Json& entry : Json::parse(list.out))
    if (entry["embedded"]) return entry;
  return nullptr;
}

TEST(DefaultModel, Missing_SaysWhereItWasSought) {
  if (!Embedded().is_null()) GTEST_SKIP() << "a model is built in";
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"read", TestData("pictures/receipt.jpg")},
           {"models", "path"},
           {"models", "verify"},
           {"models", "extract", "-o", TestFolder() + "/out"}}) {
    const Outcome outcome = Munja(arguments, Nowhere());
    EXPECT_EQ(outcome.exit_code, 5) << arguments[0];
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("no model is installed; looked in"));
    EXPECT_THAT(outcome.err, HasSubstr(TestFolder()));
  }
  const Outcome inside = Munja({"models", "path", "embedded:default"});
  EXPECT_EQ(inside.exit_code, 5);
  EXPECT_THAT(inside.err, HasSubstr("without a default model"));
}

TEST(DefaultModel, BuiltIn_ReadsIsVerifiedAndExtracted) {
  const Json entry = Embedded();
  if (entry.is_null()) GTEST_SKIP() << "no model is built in";
  EXPECT_EQ(entry["name"], "default");
  EXPECT_FALSE(entry.contains("error")) << entry;
  EXPECT_THAT(Munja({"models", "list"}, Nowhere()).out,
              HasSubstr("default\t(embedded)"));

  const Outcome path = Munja({"models", "path", "default"}, Nowhere());
  EXPECT_EQ(path.exit_code, 0);
  EXPECT_EQ(path.out, "embedded:default\n");
  EXPECT_THAT(path.err, HasSubstr("inside the program"));
  const Outcome verify = Munja({"models", "verify", "default"}, Nowhere());
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_EQ(verify.out, "embedded:default: ok\n");

  const std::string picture = TestData("pictures/receipt.jpg");
  const Outcome read = Munja({"read", picture}, Nowhere());
  ASSERT_EQ(read.exit_code, 0) << read.err;
  EXPECT_NE(read.out, "");
  // By the text that "models path" gives, and from the folder written.
  const std::string folder = TestFolder() + "/out";
  const Outcome extract =
      Munja({"models", "extract", "default", "-o", folder}, Nowhere());
  ASSERT_EQ(extract.exit_code, 0) << extract.err;
  EXPECT_EQ(Munja({"models", "verify", folder}).exit_code, 0);
  for (const std::string& model : {std::string("embedded:default"), folder})
    EXPECT_EQ(Munja({"read", "--model", model, picture}, Nowhere()).out,
              read.out)
        << model;
}

// New users try the default model on the samples first.
TEST(DefaultModel, Repository_ReadsTheSamples) {
  const std::string folder = DefaultBundle();
  for (const char* labels : {"labels/pictures.jsonl", "labels/sign_ko.jsonl"}) {
    const Outcome outcome = Munja(
        {"eval", "--model", folder, "--labels", TestData(labels), "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json figures = Json::parse(outcome.out);
    // One character in twenty may be wrong.
    EXPECT_GT(figures["char_f1"], 0.95) << labels << outcome.out;
    EXPECT_GT(figures["det_hmean"], 0.9) << labels << outcome.out;
    // The promise of the default model: at most 1, 3 and 1.5 megabytes.
    EXPECT_LT(fs::file_size(folder + "/detector.tflite"), 1'000'000u);
    EXPECT_LT(fs::file_size(folder + "/recognizer.tflite"), 3'000'000u);
    EXPECT_LE(fs::file_size(folder + "/latin.lm") +
                  fs::file_size(folder + "/korean.lm"),
              1'500'000u);
  }
}

TEST(DefaultModel, InstalledBundle_IsExtracted) {
  const std::string bundle = DefaultBundle();
  const std::string folder = TestFolder() + "/copy";
  const Outcome copy = Munja({"models", "extract", bundle, "-o", folder});
  ASSERT_EQ(copy.exit_code, 0) << copy.err;
  for (const char* file :
       {"bundle.json", "detector.tflite", "recognizer.tflite",
        "detector.integer.tflite", "recognizer.integer.tflite",
        "dictionary.txt", "latin.lm", "korean.lm"})
    EXPECT_EQ(ReadAll(folder + "/" + file), ReadAll(bundle + "/" + file));
  WriteAll(TestFolder() + "/file", "in the way");
  const Outcome blocked =
      Munja({"models", "extract", bundle, "-o", TestFolder() + "/file"});
  EXPECT_EQ(blocked.exit_code, 7) << blocked.err;
}

}  // namespace
}  // namespace munja::cli_test
