// Each option of the commands that show, run and time a model changes something
// that a user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
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

// An array of version 1.0 of the format.
std::string Array(const std::string& shape, size_t count) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += header;
  for (size_t i = 0; i < count; ++i) {
    const float v = 0.37f * static_cast<float>(i % 7) - 1;
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  const std::string path = TestFolder() + "/x.npy";
  WriteAll(path, bytes);
  return path;
}

TEST_F(ModelOptions, InspectAndOperators_EachOptionHasAnEffect) {
  const std::string model = Example("network.tflite");
  const Words words = {"inspect", model};
  const Words partition = words + Words{"--partition", MUNJA_EXAMPLE_DELEGATE};
  const Rows rows = {
      {"--dot",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--dot"}).out, StartsWith("digraph"));
       }},
      {"--partition",
       [&] {
         EXPECT_THAT(Munja(partition).out,
                     HasSubstr("delegate   4 of 6 nodes"));
       }},
      {"--device-option",
       [&] {
         EXPECT_THAT(
             Munja(partition + Words{"--device-option", "operators=ADD"}).out,
             HasSubstr("delegate   2 of 6 nodes"));
       }},
      {"--operators",
       [&] {
         const Words sine = {"inspect", Example("sine.tflite"), "--partition",
                             MUNJA_EXAMPLE_DELEGATE};
         EXPECT_THAT(Munja(sine).out, HasSubstr("none       1 of 2 nodes"));
         EXPECT_THAT(
             Munja(sine + Words{"--operators", MUNJA_SINE_OPERATOR}).out,
             Not(HasSubstr("none ")));
       }},
      {"--driver-path",
       [&] {
         const std::string folder = TestFolder() + "/drivers";
         fs::create_directories(folder);
         WriteAll(folder + "/libbroken.so", "no library");
         const Outcome broken = Munja(
             words + Words{"--partition=nn:broken", "--driver-path", folder});
         EXPECT_EQ(broken.exit_code, 8);
         EXPECT_THAT(broken.err, HasSubstr("libbroken.so"));
       }},
      {"--explain",
       [&] {
         EXPECT_THAT(Munja(partition).out, Not(HasSubstr("did not claim")));
         EXPECT_THAT(Munja(partition + Words{"--explain"}).out,
                     HasSubstr("it did not claim the node"));
       }},
  };
  CheckOptions({"inspect"}, {.words = words, .no_memory = 0}, rows);
  CheckOptions({"operators"}, {.words = {"operators", model}, .no_memory = 0},
               {});
  // Notes, too, are left out with --quiet.
  const Words failing =
      partition + Words{"--device-option", "fail_in=delegate"};
  EXPECT_THAT(Munja(failing).err, HasSubstr("munja: warning: "));
  EXPECT_EQ(Munja(failing + Words{"--quiet"}).err, "");
}

TEST_F(ModelOptions, Run_EachOptionHasAnEffect) {
  const std::string model = Example("network.tflite");
  const std::string array = Array("1, 4, 4, 2", 32);
  const std::string out = TestFolder() + "/out";
  const Words words = {"run", model, "--input", array, "--output", out};
  const auto result = [&](const Words& more) {
    fs::remove_all(out);
    const Outcome outcome = Munja(words + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ReadAll(out + "/probability.npy");
  };
  const std::string usual = result({});
  ASSERT_EQ(usual.size(), 128 + 8 * sizeof(float));
  const std::string detector = DefaultBundle() + "/detector.tflite";
  const Rows rows = {
      {"--input",
       [&] {
         EXPECT_EQ(Munja({"run", model, "--output", out}).exit_code, 2);
         EXPECT_EQ(
             Munja({"run", model, "--output", out, "--input", "image=" + array})
                 .exit_code,
             0);
         EXPECT_EQ(Munja({"run", model, "--output", out, "--input",
                          "picture=" + array})
                       .exit_code,
                   2);
       }},
      {"--signature",
       [&] {
         const Words sine = {"run",         Example("sine.tflite"),
                             "--operators", MUNJA_SINE_OPERATOR,
                             "--input",     Array("2,", 2),
                             "--output",    out};
         EXPECT_THAT(Munja(sine).out, StartsWith("output_tensor\t"));
         EXPECT_THAT(Munja(sine + Words{"--signature=serving"}).out,
                     StartsWith("y\t"));
         EXPECT_EQ(Munja(sine + Words{"--signature=absent"}).exit_code, 2);
         Array("1, 4, 4, 2", 32);
       }},
      {"--trace",
       [&] {
         const std::string trace = TestFolder() + "/trace.json";
         EXPECT_EQ(result({"--trace", trace}), usual);
         EXPECT_EQ(TracedOperators(trace)["MAX_POOL_2D"], 1);
         EXPECT_EQ(Munja(words + Words{"--trace=/absent/t.json"}).exit_code, 7);
       }},
      {"--output",
       [&] {
         const std::string other = TestFolder() + "/other";
         Munja({"run", model, "--input", array, "--output", other});
         EXPECT_EQ(ReadAll(other + "/probability.npy"), usual);
       }},
      {"--threads",
       [&] {
         const std::string large = Array("1, 512, 512, 3", 3 * 512 * 512);
         EXPECT_TRUE(ObeysThreads({"run", detector, "--input", large,
                                   "--compare-with", "reference"}));
         Array("1, 4, 4, 2", 32);
       }},
      {"--reference",
       [&] {
         // Another order of sums, which the last bits show.
         const std::string large = Array("1, 64, 64, 3", 3 * 64 * 64);
         const Words page = {"run",
                             detector,
                             "--input",
                             large,
                             "--compare-with=reference",
                             "--tolerance=0"};
         EXPECT_THAT(Munja(page).out, StartsWith("cpu and reference: 1 of 1"));
         EXPECT_THAT(Munja(page + Words{"--reference"}).out,
                     StartsWith("reference and reference: 0 of 1"));
         Array("1, 4, 4, 2", 32);
       }},
      {"--device",
       [&] {
         EXPECT_THAT(
             Munja(words + Words{"--compare-with=cpu", "--device=nn:cpu"}).out,
             StartsWith("nn:cpu and cpu: 0 of 1"));
         EXPECT_EQ(Munja(words + Words{"--device=nn:absent"}).exit_code, 3);
       }},
      {"--device-option",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--device=nn:cpu",
                                       "--device-option=priority=none"})
                       .exit_code,
                   2);
       }},
      {"--driver-path", [&] { CheckDrivers(words); }},
      {"--device",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--compare-with=cpu",
                                         "--device=" MUNJA_EXAMPLE_DELEGATE})
                         .out,
                     HasSubstr("delegate.so and cpu: 0 of 1"));
         EXPECT_EQ(Munja(words + Words{"--device=absent.so"}).exit_code, 8);
       }},
      {"--device-option",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--device=" MUNJA_EXAMPLE_DELEGATE,
                                         "--device-option=fail_in=eval"})
                         .err,
                     HasSubstr("told to fail in eval"));
       }},
      {"--operators",
       [&] {
         const Words sine = {"run",      Example("sine.tflite"),
                             "--input",  Array("2,", 2),
                             "--output", out};
         EXPECT_EQ(Munja(sine).exit_code, 4);
         EXPECT_EQ(
             Munja(sine + Words{"--operators", MUNJA_SINE_OPERATOR}).exit_code,
             0);
         Array("1, 4, 4, 2", 32);
       }},
      {"--precision",
       [&] {
         const Json report = AsJson({"bench", detector, "--shape", "1x32x32x3",
                                     "--runs=1", "--json", "--precision=fp16"});
         const bool has_halves = report["precision"].get<std::string>().find(
                                     "none") == std::string::npos;
         const std::string large = Array("1, 64, 64, 3", 3 * 64 * 64);
         EXPECT_EQ(Munja({"run", detector, "--input", large, "--precision=fp16",
                          "--compare-with=cpu", "--tolerance=0"})
                       .exit_code,
                   has_halves ? 1 : 0);
         EXPECT_EQ(Munja({"run", detector, "--input", large, "--precision=fp32",
                          "--compare-with=cpu", "--tolerance=0"})
                       .exit_code,
                   0);
         Array("1, 4, 4, 2", 32);
       }},
      {"--no-winograd",
       [&] {
         const std::string large = Array("1, 64, 64, 3", 3 * 64 * 64);
         EXPECT_EQ(Munja({"run", DefaultBundle() + "/detector.tflite",
                          "--input", large, "--no-winograd",
                          "--compare-with=cpu", "--tolerance=0"})
                       .exit_code,
                   1);
         Array("1, 4, 4, 2", 32);
       }},
      {"--compare-with",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--compare-with=reference"}).out,
                     StartsWith("cpu and reference: 0 of 1"));
         EXPECT_EQ(Munja(words + Words{"--compare-with=absent.so"}).exit_code,
                   8);
       }},
      {"--tolerance",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--tolerance=0"}).exit_code, 2);
         const Words compare =
             words + Words{"--compare-with=reference", "--tolerance"};
         EXPECT_EQ(Munja(compare + Words{"0"}).exit_code, 1);
         EXPECT_EQ(Munja(compare + Words{"0.001"}).exit_code, 0);
       }},
  };
  CheckOptions({"run"}, {.words = words}, rows);
}

TEST_F(ModelOptions, Bench_EachOptionHasAnEffect) {
  const std::string model = Example("network.tflite");
  const Words words = {"bench", model, "--runs=2"};
  const Words json = words + Words{"--json"};
  const std::string reader = DefaultBundle() + "/recognizer.tflite";
  const Words read = {"bench", reader, "--runs=1", "--json",
                      "--shape=1x32x64x3"};
  const Rows rows = {
      {"--shape",
       [&] {
         EXPECT_EQ(AsJson(read)["inputs"][0]["shape"], "1x32x64x3");
         EXPECT_EQ(Munja({"bench", reader}).exit_code, 2);
       }},
      {"--threads",
       [&] {
         EXPECT_TRUE(ObeysThreads({"bench", model, "--runs=1000000"}));
         EXPECT_EQ(AsJson(json + Words{"--threads=3"})["threads"], 3);
       }},
      {"--runs", [&] { EXPECT_EQ(AsJson(json)["runs"], 2); }},
      {"--op-profile",
       [&] {
         EXPECT_FALSE(AsJson(json).contains("nodes"));
         EXPECT_TRUE(AsJson(json + Words{"--op-profile"}).contains("nodes"));
       }},
      {"--trace",
       [&] {
         // A cold run, two warm ones, and those of the table of operators.
         const std::string trace = TestFolder() + "/trace.json";
         EXPECT_EQ(Munja(words + Words{"--trace", trace}).exit_code, 0);
         EXPECT_GE(TracedOperators(trace)["MAX_POOL_2D"], 3);
       }},
      {"--best-classes",
       [&] {
         // Letters of Hangul are read from all classes, so those of a plain
         // network are asked for: each row becomes a class and its value.
         const Words plain = {"bench", Example("line_reader_32.tflite"),
                              "--runs=1", "--json", "--shape=1x32x64x3"};
         const auto has = [&](const Words& more, const char* op) {
           const Json report = AsJson(plain + more);
           for (const Json& row : report["operators"])
             if (row["op"] == op) return true;
           return false;
         };
         EXPECT_FALSE(has({}, "ARG_MAX_WITH_SCORE"));
         EXPECT_TRUE(has({"--best-classes"}, "ARG_MAX_WITH_SCORE"));
       }},
      {"--device",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--device=nn:cpu"});
         EXPECT_EQ(report["nodes"][0]["op"], "nn:cpu");
       }},
      {"--device-option",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--device=nn:cpu",
                                 "--device-option=min_nodes=100"});
         EXPECT_EQ(report["nodes"][0]["op"], "CONV_2D");
       }},
      {"--driver-path", [&] { CheckDrivers(words); }},
      {"--device",
       [&] {
         const Json report = AsJson(
             json + Words{"--op-profile", "--device=" MUNJA_EXAMPLE_DELEGATE});
         EXPECT_EQ(report["nodes"][1]["op"], "delegate");
       }},
      {"--device-option",
       [&] {
         const Json report = AsJson(
             json + Words{"--op-profile", "--device=" MUNJA_EXAMPLE_DELEGATE,
                          "--device-option=operators=ADD"});
         EXPECT_EQ(report["nodes"][3]["op"], "MUL");
       }},
      {"--operators",
       [&] {
         const Words sine = {"bench", Example("sine.tflite"), "--runs=1",
                             "--shape=2"};
         EXPECT_EQ(Munja(sine).exit_code, 4);
         EXPECT_EQ(
             Munja(sine + Words{"--operators", MUNJA_SINE_OPERATOR}).exit_code,
             0);
       }},
      {"--precision",
       [&] {
         EXPECT_EQ(AsJson(json)["precision"], "fp32");
         EXPECT_THAT(AsJson(json + Words{"--precision=fp16"})["precision"]
                         .get<std::string>(),
                     StartsWith("fp16"));
       }},
      {"--no-winograd",
       [&] {
         EXPECT_EQ(AsJson(json + Words{"--no-winograd"})["precision"],
                   "fp32, no Winograd");
       }},
      {"--json",
       [&] { EXPECT_THAT(Munja(words).out, StartsWith("model   ")); }},
  };
  CheckOptions({"bench"}, {.words = words}, rows);
}

}  // namespace
}  // namespace munja::cli_test
