// Models that others publish: munja models list --available, munja models get.
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
using testing::Not;
using Json = nlohmann::json;

// Nothing installed, nothing downloaded.
Call Fresh() {
  return {.environment = {"MUNJA_MODELS=", "XDG_DATA_HOME=" + TestFolder(),
                          "XDG_CACHE_HOME=" + TestFolder() + "/cache"}};
}

TEST(CatalogCommand, List_HasLanguagesLicenseAndChecksums) {
  const Outcome text = Munja({"models", "list", "--available"}, Fresh());
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, testing::StartsWith("ppocrv6-tiny\t"));
  EXPECT_THAT(text.out, HasSubstr("Apache-2.0, PaddlePaddle"));
  EXPECT_THAT(text.out, Not(HasSubstr("installed")));
  const Outcome listed =
      Munja({"models", "list", "--available", "--json"}, Fresh());
  const Json all = Json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(all.is_array());
  ASSERT_GT(all.size(), 8u);
  for (const Json& model : all) {
    EXPECT_FALSE(model["languages"].empty());
    EXPECT_GT(model["download_bytes"], 1000000);
    EXPECT_FALSE(model["installed"].get<bool>());
    EXPECT_EQ(model["license"], "Apache-2.0");
    ASSERT_EQ(model["files"].size(), 4u);
    for (const Json& file : model["files"]) {
      EXPECT_THAT(file["address"].get<std::string>(),
                  testing::StartsWith("https://"));
      EXPECT_EQ(file["sha256"].get<std::string>().size(), 64u);
    }
  }
  // One of this name that is installed.
  fs::create_directories(TestFolder() + "/munja/models");
  fs::copy(DefaultBundle(), TestFolder() + "/munja/models/ppocrv5-korean");
  EXPECT_THAT(Munja({"models", "list", "--available"}, Fresh()).out,
              HasSubstr("\tinstalled\n"));
}

TEST(CatalogCommand, MissingModel_TellsHowToGetIt) {
  const Outcome outcome =
      Munja({"read", "--model", "ppocrv6-small", ReceiptPicture()}, Fresh());
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err,
              HasSubstr("'munja models get ppocrv6-small' downloads and "
                        "converts it (31 MB)"));
  EXPECT_THAT(Munja({"read", "--model", "mine", ReceiptPicture()}, Fresh()).err,
              Not(HasSubstr("models get")));
}

TEST(CatalogCommand, Get_EachOptionHasAnEffect) {
  // No server listens at port 1: the message names the address.
  const std::string nowhere = "http://127.0.0.1:1/mirror";
  const auto get = [&](const Words& more) {
    return Munja(Words{"models", "get", "ppocrv6-tiny"} + more, Fresh());
  };
  const Outcome refused = get({"--from", nowhere});
  if (refused.err.find("MUNJA_DOWNLOAD") != std::string::npos)
    GTEST_SKIP() << "this build cannot download";
  // A model that is there.
  const std::string there = TestFolder() + "/there";
  fs::copy(DefaultBundle(), there);
  const std::string empty = TestFolder() + "/empty";
  fs::create_directories(empty);
  const Rows rows = {
      {"--help", [] {}},
      {"--from",
       [&] {
         EXPECT_EQ(refused.exit_code, 8);
         EXPECT_THAT(refused.err,
                     HasSubstr(nowhere + "/PaddlePaddle/PP-OCRv6_tiny_det_onnx/"
                                         "resolve/"));
         const Outcome offline = get({"--from", empty});
         EXPECT_EQ(offline.exit_code, 5);
         EXPECT_THAT(offline.err,
                     HasSubstr(empty + "/PP-OCRv6_tiny_det_onnx/"));
         EXPECT_EQ(get({"--from", "ftp://example.com"}).exit_code, 2);
       }},
      {"--output",
       [&] {
         const Outcome found = get({"-o", there});
         EXPECT_EQ(found.exit_code, 0) << found.err;
         EXPECT_EQ(found.out, there + "\n");
         EXPECT_THAT(found.err, HasSubstr("there already"));
       }},
      {"--json",
       [&] {
         const Json report =
             Json::parse(get({"-o", there, "--json"}).out, nullptr, false);
         EXPECT_EQ(report["path"], there);
         EXPECT_TRUE(report["networks"].empty());
       }},
      // The model that is there lacks it.
      {"--classifier",
       [&] {
         EXPECT_EQ(
             get({"-o", there, "--classifier", "--from", empty}).exit_code, 5);
       }},
      {"--quantize",
       [&] {
         const Words other = {"-o", TestFolder() + "/other", "--quantize"};
         EXPECT_EQ(get(other + Words{"--from", empty}).exit_code, 5);
         EXPECT_EQ(get(other + Words{"--fp16"}).exit_code, 2);
         // The model that is there has integer networks, too.
         EXPECT_EQ(get({"-o", there, "--quantize"}).exit_code, 0);
       }},
      {"--calibrate",
       [&] {
         const Words calibrate = {"--calibrate", ReceiptPicture()};
         EXPECT_EQ(get(Words{"-o", there} + calibrate).exit_code, 2);
         EXPECT_EQ(
             get({"--quantize", "--calibrate", empty + "/*.png"}).exit_code, 3);
       }},
      // Their effect on networks: src/tools/get/get_model_test.cc.
      {"--fp16",
       [&] {
         EXPECT_EQ(get({"-o", there, "--fp16"}).exit_code, 0);
       }},
      {"--no-check",
       [&] {
         EXPECT_EQ(get({"-o", there, "--no-check"}).exit_code, 0);
       }},
      {"--timeout",
       [&] {
         EXPECT_EQ(get({"--from", nowhere, "--timeout=1e-9"}).exit_code, 6);
       }},
      {"--max-memory",
       [&] { EXPECT_EQ(get({"--max-memory=-1"}).exit_code, 2); }},
      {"--max-pixels",
       [&] { EXPECT_EQ(get({"--max-pixels=0"}).exit_code, 2); }},
      {"--quiet",
       [&] {
         EXPECT_EQ(get({"-o", there, "--quiet"}).err, "");
       }},
  };
  for (const std::string& option : OptionsOf({"models", "get"}))
    EXPECT_TRUE(rows.contains(option)) << option;
  for (const auto& [option, row] : rows) {
    SCOPED_TRACE(option);
    row();
  }
  const Outcome unknown = Munja({"models", "get", "ppocr"}, Fresh());
  EXPECT_EQ(unknown.exit_code, 5);
  EXPECT_THAT(unknown.err, HasSubstr("ppocrv6-tiny, "));
}

}  // namespace
}  // namespace munja::cli_test
