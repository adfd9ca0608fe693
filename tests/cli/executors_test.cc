// Delegates, custom operators and comparisons on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// Models that the example programs use, too.
std::string Model(const std::string& name) {
  const std::string folder = TestFolder() + "/models";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(Run(MUNJA_EXAMPLE_MODELS, {folder}).exit_code, 0);
  return folder + "/" + name;
}

std::string Image() {
  std::vector<float> values(32);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i));
  return SaveArray("image.npy", "1, 4, 4, 2", values);
}

TEST(Executors, Inspect_TellsWhoRunsWhatAndWhy) {
  const std::string model = Model("network.tflite");
  const Outcome all = Munja(
      {"inspect", model, "--partition", MUNJA_EXAMPLE_DELEGATE, "--explain"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("cpu        2 of 6 nodes\n"
                                 "delegate   4 of 6 nodes in 2 partitions\n"));
  EXPECT_THAT(all.out, HasSubstr("1  delegate 0   ADD"));
  EXPECT_THAT(all.out, HasSubstr("3  cpu          MAX_POOL_2D"));
  EXPECT_THAT(all.out, HasSubstr("delegate: it did not claim the node"));
  EXPECT_THAT(all.out, HasSubstr("4  delegate 1   MUL"));
  const Outcome some =
      Munja({"inspect", model, "--partition", MUNJA_EXAMPLE_DELEGATE,
             "--device-option", "operators=ADD"});
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.out, HasSubstr("delegate   2 of 6 nodes in 1 partition\n"));
  EXPECT_THAT(some.out, Not(HasSubstr("did not claim")));
  const Outcome failing =
      Munja({"inspect", model, "--partition", MUNJA_EXAMPLE_DELEGATE,
             "--device-option", "fail_in=delegate", "--explain"});
  ASSERT_EQ(failing.exit_code, 0) << failing.err;
  EXPECT_THAT(failing.out, HasSubstr("cpu        6 of 6 nodes\n"));
  EXPECT_THAT(failing.out, HasSubstr("told to fail in delegate"));
  EXPECT_THAT(failing.err, HasSubstr("munja: warning: delegate delegate"));
  // A model that cannot run here has a report all the same.
  const Outcome missing = Munja({"inspect", Model("sine.tflite"), "--partition",
                                 MUNJA_EXAMPLE_DELEGATE, "--explain"});
  ASSERT_EQ(missing.exit_code, 0) << missing.err;
  EXPECT_THAT(missing.out, HasSubstr("none       1 of 2 nodes\n"));
  EXPECT_THAT(missing.out, HasSubstr("cpu: the operator is missing"));
}

// Drivers in the process of the command, and in one of their own.
TEST(Executors, Accelerators_GiveTheSame) {
  const std::string model = Model("network.tflite"), image = Image();
  for (const char* device : {"nn:cpu", "nn:reference", "nn:cpu,reference"})
    for (const char* isolated : {"isolated=0", "isolated=1"}) {
      const Outcome outcome =
          Munja({"run", model, "--input", image, "--device", device,
                 "--device-option", isolated, "--compare-with=cpu"});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(outcome.err, "") << device << " " << isolated;
      EXPECT_THAT(outcome.out, HasSubstr("0 of "));
    }
  const Outcome all = Munja({"inspect", model, "--partition", "nn:cpu"});
  EXPECT_THAT(all.out, HasSubstr("nn:cpu     6 of 6 nodes in 1 partition\n"));
}

TEST(Executors, WrongArguments_AreRefused) {
  const std::string model = Model("network.tflite");
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"inspect", model, "--explain"},
        Words{"inspect", model, "--device-option", "operators=ADD",
              "--partition", MUNJA_EXAMPLE_DELEGATE},
        Words{"bench", model, "--device", "nn:cpu", "--device-option", "speed"},
        Words{"bench", model, "--device", "nn:cpu", "--device-option",
              "speed=high"},
        Words{"bench", model, "--device", MUNJA_EXAMPLE_DELEGATE,
              "--device-option", "a=b"},
        Words{"run", model, "--input", Image()}}) {
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[2] << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_THAT(Munja({"bench", model, "--device", MUNJA_EXAMPLE_DELEGATE,
                     "--device-option", "a=b"})
                  .err,
              HasSubstr("made no delegate: there is no option a=b"));
  const Outcome absent = Munja({"bench", model, "--device", "absent.so"});
  EXPECT_EQ(absent.exit_code, 8);
  EXPECT_THAT(absent.err, HasSubstr("absent.so"));
  const Outcome no_delegate =
      Munja({"bench", model, "--device", MUNJA_SINE_OPERATOR});
  EXPECT_EQ(no_delegate.exit_code, 8);
  EXPECT_THAT(no_delegate.err,
              HasSubstr("has no function tflite_plugin_create_delegate"));
}

TEST(Executors, Bench_ShowsEachNode) {
  const std::string model = Model("network.tflite");
  const auto nodes = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"bench", model,          "--runs",
                                      "2",     "--op-profile", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_GT(report["machine"]["fp32_gflops"], 0);
    EXPECT_GT(report["machine"]["int8_gops"], 0);
    EXPECT_GT(report["machine"]["int16_gops"], 0);
    EXPECT_EQ(report["machine"]["copy"].size(), 4u);
    // Nothing is known of what a device could do at best.
    if (more.empty()) {
      EXPECT_GT(report["operators"][0]["share_of_peak"], 0);
    }
    return report["nodes"];
  };
  const auto cpu = nodes({});
  ASSERT_GE(cpu.size(), 3u);
  EXPECT_EQ(cpu[0]["op"], "CONV_2D");
  EXPECT_EQ(cpu[0]["macs"], 64);
  EXPECT_EQ(cpu[0]["computes_in"], "float32");
  EXPECT_GE(cpu[0]["gflops"], 0);
  EXPECT_GT(cpu[0]["bytes"], 0);
  EXPECT_GE(cpu[0]["gb_per_s"], 0);
  EXPECT_GT(cpu[0]["share_of_peak"], 0);
  const auto delegated =
      nodes({"--device", "nn:cpu", "--device-option", "max_partitions=1"});
  EXPECT_EQ(delegated[0]["op"], "nn:cpu");
  EXPECT_EQ(delegated[0]["name"], "partition of 6 nodes");
  double share = 0;
  for (const auto& node : delegated) share += node["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  // The multiplications of an operator are consistent with its time: the least
  // time that they need is the reported share of it.
  const std::string dynamic = TestFolder() + "/dynamic.tflite";
  const Outcome made =
      Munja({"quantize", "--bundle",
             std::string(MUNJA_SOURCE_DIR) + "/models/default", "--mode",
             "dynamic", "--role", "recognizer", "-o", dynamic});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Outcome integers = Munja({"bench", dynamic, "--runs", "1", "--shape",
                                  "1x32x64x3", "--op-profile", "--json"});
  ASSERT_EQ(integers.exit_code, 0) << integers.err;
  const auto report = nlohmann::json::parse(integers.out);
  int products = 0;
  for (const auto& row : report["nodes"]) {
    if (row["macs"] == 0) {
      EXPECT_FALSE(row.contains("computes_in"));
      continue;
    }
    const bool is_int8 = row["computes_in"] == "int8";
    products += is_int8;
    const double peak =
        report["machine"][is_int8 ? "int8_gops" : "fp32_gflops"];
    EXPECT_GE(row["share_of_peak"].get<double>() * row["ms"].get<double>(),
              0.999e-6 * 2 * row["macs"].get<double>() / peak);
  }
  EXPECT_GT(products, 0);
  const Outcome table = Munja({"bench", model, "--runs", "1", "--op-profile",
                               "--device", MUNJA_EXAMPLE_DELEGATE});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("in the order of the run"));
  EXPECT_THAT(table.out, HasSubstr("delegate  partition of 2 nodes"));
}

TEST(Executors, EveryExecutor_GivesTheSame) {
  const std::string model = Model("network.tflite"), image = Image();
  const std::string want = TestFolder() + "/want", got = TestFolder() + "/got";
  ASSERT_EQ(
      Munja({"run", model, "--input", image, "--output-dir", want}).exit_code,
      0);
  const std::vector<float> expected = LoadArray(want + "/probability.npy");
  ASSERT_EQ(expected.size(), 8u);
  using Words = std::vector<std::string>;
  for (const Words& executor :
       {Words{"--device", MUNJA_EXAMPLE_DELEGATE},
        Words{"--device", MUNJA_EXAMPLE_DELEGATE, "--device-option",
              "fail_in=prepare"},
        Words{"--device", MUNJA_EXAMPLE_DELEGATE, "--device-option",
              "fail_in=eval"},
        Words{"--device", MUNJA_EXAMPLE_DELEGATE, "--device-option",
              "operators=ADD", "--device", "nn:cpu", "--device-option",
              "min_nodes=2"}}) {
    Words words = {"run",          model, "--input",        image,
                   "--output-dir", got,   "--compare-with", "cpu"};
    words.insert(words.end(), executor.begin(), executor.end());
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(" and cpu: 0 of 1 outputs differ\n"
                                       "all 6 tensors agree"));
    const std::vector<float> values = LoadArray(got + "/probability.npy");
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-6);
    const bool fails = executor.back().starts_with("fail_in");
    EXPECT_EQ(outcome.err.find("runs on the CPU: " +
                               executor.back().substr(
                                   fails ? executor.back().find('=') + 1 : 0) +
                               " failed: ") != std::string::npos,
              fails)
        << outcome.err;
    EXPECT_EQ(outcome.err.find("told to fail in ") != std::string::npos, fails);
  }
  EXPECT_EQ(
      Munja({"run", model, "--input", image, "--compare-with", "reference"})
          .exit_code,
      0);
}

// Nothing but equal bits is allowed: some kernel rounds otherwise.
TEST(Executors, FirstTensorThatDiffers_IsNamed) {
  const Outcome outcome =
      Munja({"run", Model("network.tflite"), "--input", Image(),
             "--compare-with", "reference", "--tolerance", "0"});
  ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cpu and reference: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nfirst difference: node "));
  EXPECT_THAT(outcome.out, HasSubstr(" float32 1x"));
  EXPECT_THAT(outcome.out, HasSubstr("of the largest value\n"));
}

TEST(Executors, Operators_ComeFromAPlugin) {
  const std::string model = Model("sine.tflite");
  const std::string input = SaveArray("x.npy", "2,", {0, -1});
  const std::string out = TestFolder() + "/out";
  const std::vector<std::string> words = {"run", model,          "--input",
                                          input, "--output-dir", out};
  const Outcome missing = Munja(words);
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.err, HasSubstr("missing operators: custom Sin (1 node)"));
  std::vector<std::string> with = words;
  with.insert(with.end(), {"--operators", MUNJA_SINE_OPERATOR});
  const Outcome run = Munja(with);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<float> values = LoadArray(out + "/output_tensor.npy");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_NEAR(values[0], std::sin(1.0f), 1e-6);
  EXPECT_NEAR(values[1], 0, 1e-6);
  with.back() = MUNJA_EXAMPLE_DELEGATE;
  EXPECT_EQ(Munja(with).exit_code, 8);
}

TEST(Executors, Convert_RefusesOperatorsThatAreMissing) {
  const std::string model = Model("sine.tflite");
  const std::string made = TestFolder() + "/made.tflite";
  const Outcome refused = Munja({"convert", model, "-o", made});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("missing operators: custom Sin (1 node)"));
  EXPECT_THAT(refused.err, HasSubstr("--allow-custom-ops"));
  EXPECT_FALSE(std::filesystem::exists(made));
  const Outcome allowed =
      Munja({"convert", model, "-o", made, "--allow-custom-ops"});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  const Outcome inspected = Munja({"inspect", made});
  EXPECT_THAT(inspected.out, HasSubstr("Sin"));
}

}  // namespace
}  // namespace munja::cli_test
