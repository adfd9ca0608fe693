// Each option of the commands that work on models changes something that a user
// sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

class ModelOptions : public testing::Test {
 protected:
  static Json AsJson(const Words& words) {
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  // Whether the command has as many threads as it is told: more than it takes
  // by itself.
  static bool ObeysThreads(const Words& words) {
    const int many = static_cast<int>(std::thread::hardware_concurrency()) + 2;
    return HasThreads(words + Words{"--threads", std::to_string(many)}, many);
  }
  // --drivers of a command that runs a model.
  void CheckDrivers(const Words& words) {
    const std::string folder = TestFolder() + "/drivers";
    fs::create_directories(folder);
    WriteAll(folder + "/libbroken.so", "no library");
    const Outcome outcome =
        Munja(words + Words{"--accelerator=nn:broken", "--drivers=" + folder});
    EXPECT_EQ(outcome.exit_code, 8);
    EXPECT_THAT(outcome.err, HasSubstr("libbroken.so"));
  }
  // Models that the example programs use, too.
  std::string Example(const std::string& name) {
    const std::string folder = TestFolder() + "/examples";
    if (!fs::exists(folder)) {
      fs::create_directories(folder);
      EXPECT_EQ(cli_test::Run(MUNJA_EXAMPLE_MODELS, {folder}).exit_code, 0);
    }
    return folder + "/" + name;
  }
  // Light paper with dark bars, or noise.
  std::string Drawn(bool is_noise) {
    std::string ppm = "P6 160 96 255\n";
    uint32_t state = 1;
    for (int y = 0; y < 96; ++y) {
      for (int x = 0; x < 160; ++x) {
        const bool is_bar = y % 32 > 12 && y % 32 < 22 && x > 20 && x < 130;
        for (int c = 0; c < 3; ++c) {
          state = state * 1664525u + 1013904223u;
          ppm += static_cast<char>(is_noise ? state >> 24
                                   : is_bar ? 30 + 20 * c
                                            : 250 - x / 2 - y / 3);
        }
      }
    }
    const std::string path =
        TestFolder() + (is_noise ? "/noise.ppm" : "/bars.ppm");
    WriteAll(path, ppm);
    return path;
  }
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
};

TEST_F(ModelOptions, Convert) {
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
      {"-o,--output",
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
      {"--value",
       [&] {
         const Words onnx = {"convert", TestData("models/quantized.onnx"), "-o",
                             TestFolder() + "/switched.tflite"};
         Munja(onnx);
         EXPECT_THAT(Munja({"inspect", onnx.back()}).out, HasSubstr("'x'"));
         Munja(onnx + Words{"--value", "x=0.5"});
         EXPECT_THAT(Munja({"inspect", onnx.back()}).out,
                     Not(HasSubstr("'x'")));
         EXPECT_EQ(Munja(onnx + Words{"--value", "x"}).exit_code, 2);
         EXPECT_EQ(Munja(words + Words{"--value", "x=1"}).exit_code, 4)
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
      {"--parity",
       [&] {
         EXPECT_EQ(AsJson(words + Words{"--json", "--parity",
                                        picture})["parity"]["input"],
                   Json({picture}));
         EXPECT_EQ(make({"--parity", picture})["detector"]["parity"]["input"],
                   Json({picture}));
       }},
      {"--eval",
       [&] {
         const Json report = make({"--eval", labels});
         EXPECT_EQ(report["text"]["labels"], labels);
         EXPECT_EQ(report["text"]["bundle"]["lines"], 22);
         EXPECT_FALSE(report["text"].contains("exact"));
       }},
      {"--no-compare",
       [&] {
         EXPECT_TRUE(usual.contains("parity"));
         EXPECT_FALSE(AsJson(words + Words{"--json", "--no-compare"})
                          .contains("parity"));
         EXPECT_FALSE(make({"--no-compare"})["detector"].contains("parity"));
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

TEST_F(ModelOptions, Quantize) {
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
                       "--lines",
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
      {"--lines",
       [&] {
         EXPECT_EQ(AsJson(lines)["calibration_lines"], 1);
         Words pages = lines;
         std::erase(pages, "--lines");
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
      {"-o,--output,--out",
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
      {"--nearest", differs({"--nearest"})},
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
      {"--keep", differs({"--keep", "e"})},
      {"--kept",
       [&] {
         EXPECT_TRUE(made({"--keep=e", "--kept=int16x8"}) !=
                     made({"--keep=e"}));
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
      {"--keep-float",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--keep-float"}).exit_code, 2);
         const std::string folder = whole.back();
         ASSERT_EQ(Munja(whole + Words{"--keep-float"}).exit_code, 0);
         const Words read = {"read", TestData("pictures/receipt.jpg"),
                             "--model"};
         const Outcome both =
             Munja(read + Words{folder, "--precision", "auto"});
         EXPECT_EQ(both.exit_code, 0) << both.err;
         EXPECT_THAT(both.out, HasSubstr("TOTAL"));
         // In float it is the bundle that it was made of.
         EXPECT_EQ(Munja(read + Words{folder}).out,
                   Munja(read + Words{DefaultBundle()}).out);
         const Outcome single =
             Munja(read + Words{DefaultBundle(), "--precision", "auto"});
         EXPECT_EQ(single.exit_code, 5);
         EXPECT_THAT(single.err, HasSubstr("--keep-float"));
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

TEST_F(ModelOptions, InspectAndOperators) {
  const std::string model = Example("network.tflite");
  const Words words = {"inspect", model};
  const Words sample = words + Words{"--partition", "sample"};
  const Rows rows = {
      {"--dot",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--dot"}).out, StartsWith("digraph"));
       }},
      {"--partition",
       [&] {
         EXPECT_THAT(Munja(sample).out, HasSubstr("sample     5 of 6 nodes"));
       }},
      {"--delegate-option",
       [&] {
         EXPECT_THAT(
             Munja(sample + Words{"--delegate-option", "operators=ADD"}).out,
             HasSubstr("sample     2 of 6 nodes"));
       }},
      {"--operators",
       [&] {
         const Words sine = {"inspect", Example("sine.tflite"), "--partition",
                             "sample"};
         EXPECT_THAT(Munja(sine).out, HasSubstr("none       1 of 2 nodes"));
         EXPECT_THAT(
             Munja(sine + Words{"--operators", MUNJA_SINE_OPERATOR}).out,
             Not(HasSubstr("none ")));
       }},
      {"--why",
       [&] {
         EXPECT_THAT(Munja(sample).out, Not(HasSubstr("not supported")));
         EXPECT_THAT(Munja(sample + Words{"--why"}).out,
                     HasSubstr("the operator is not supported"));
       }},
  };
  CheckOptions({"inspect"}, {.words = words, .no_memory = 0}, rows);
  CheckOptions({"operators"}, {.words = {"operators", model}, .no_memory = 0},
               {});
  // Notes, too, are left out with --quiet.
  const Words failing = sample + Words{"--delegate-option", "fail_in=compile"};
  EXPECT_THAT(Munja(failing).err, HasSubstr("munja: warning: "));
  EXPECT_EQ(Munja(failing + Words{"--quiet"}).err, "");
}

TEST_F(ModelOptions, Run) {
  const std::string model = Example("network.tflite");
  const std::string array = Array("1, 4, 4, 2", 32);
  const std::string out = TestFolder() + "/out";
  const Words words = {"run", model, "--input", array, "--output-dir", out};
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
         EXPECT_EQ(Munja({"run", model, "--output-dir", out}).exit_code, 2);
         EXPECT_EQ(Munja({"run", model, "--output-dir", out, "--input",
                          "image=" + array})
                       .exit_code,
                   0);
         EXPECT_EQ(Munja({"run", model, "--output-dir", out, "--input",
                          "picture=" + array})
                       .exit_code,
                   2);
       }},
      {"--signature",
       [&] {
         const Words sine = {"run",          Example("sine.tflite"),
                             "--operators",  MUNJA_SINE_OPERATOR,
                             "--input",      Array("2,", 2),
                             "--output-dir", out};
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
      {"--output-dir",
       [&] {
         const std::string other = TestFolder() + "/other";
         Munja({"run", model, "--input", array, "--output-dir", other});
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
      {"--accelerator",
       [&] {
         EXPECT_THAT(
             Munja(words + Words{"--compare-with=cpu", "--accelerator=nn:cpu"})
                 .out,
             StartsWith("nn:cpu and cpu: 0 of 1"));
         EXPECT_EQ(Munja(words + Words{"--accelerator=nn:absent"}).exit_code,
                   3);
       }},
      {"--accelerator-option",
       [&] {
         EXPECT_EQ(Munja(words + Words{"--accelerator=nn:cpu",
                                       "--accelerator-option=priority=none"})
                       .exit_code,
                   2);
       }},
      {"--drivers", [&] { CheckDrivers(words); }},
      {"--delegate",
       [&] {
         EXPECT_THAT(
             Munja(words + Words{"--compare-with=cpu", "--delegate=sample"})
                 .out,
             StartsWith("sample and cpu: 0 of 1"));
         EXPECT_EQ(Munja(words + Words{"--delegate=absent.so"}).exit_code, 8);
       }},
      {"--delegate-option",
       [&] {
         EXPECT_THAT(Munja(words + Words{"--delegate=sample",
                                         "--delegate-option=fail_in=eval"})
                         .err,
                     HasSubstr("told to fail in eval"));
       }},
      {"--operators",
       [&] {
         const Words sine = {"run",          Example("sine.tflite"), "--input",
                             Array("2,", 2), "--output-dir",         out};
         EXPECT_EQ(Munja(sine).exit_code, 4);
         EXPECT_EQ(
             Munja(sine + Words{"--operators", MUNJA_SINE_OPERATOR}).exit_code,
             0);
         Array("1, 4, 4, 2", 32);
       }},
      {"--precision",
       [&] {
         const Json report =
             AsJson({"bench", detector, "--shape", "1x32x32x3", "--runs=1",
                     "--json", "--precision=reduced"});
         const bool has_halves = report["precision"].get<std::string>().find(
                                     "none") == std::string::npos;
         const std::string large = Array("1, 64, 64, 3", 3 * 64 * 64);
         EXPECT_EQ(
             Munja({"run", detector, "--input", large, "--precision=reduced",
                    "--compare-with=cpu", "--tolerance=0"})
                 .exit_code,
             has_halves ? 1 : 0);
         for (const char* const precision : {"fp32", "direct"}) {
           EXPECT_EQ(Munja({"run", detector, "--input", large, "--precision",
                            precision, "--compare-with=cpu", "--tolerance=0"})
                         .exit_code,
                     precision == std::string("direct") ? 1 : 0);
         }
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

TEST_F(ModelOptions, Bench) {
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
         // Rows of classes become a class and its value: there is no softmax.
         const auto has = [&](const Words& more, const char* op) {
           const Json report = AsJson(read + more);
           for (const Json& row : report["operators"])
             if (row["op"] == op) return true;
           return false;
         };
         EXPECT_TRUE(has({}, "SOFTMAX"));
         EXPECT_FALSE(has({"--best-classes"}, "SOFTMAX"));
       }},
      {"--accelerator",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--accelerator=nn:cpu"});
         EXPECT_EQ(report["nodes"][0]["op"], "nn:cpu");
       }},
      {"--accelerator-option",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--accelerator=nn:cpu",
                                 "--accelerator-option=min_nodes=100"});
         EXPECT_EQ(report["nodes"][0]["op"], "CONV_2D");
       }},
      {"--drivers", [&] { CheckDrivers(words); }},
      {"--delegate",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--delegate=sample"});
         EXPECT_EQ(report["nodes"][0]["op"], "sample");
       }},
      {"--delegate-option",
       [&] {
         const Json report =
             AsJson(json + Words{"--op-profile", "--delegate=sample",
                                 "--delegate-option=operators=ADD"});
         EXPECT_EQ(report["nodes"][0]["op"], "CONV_2D");
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
         EXPECT_EQ(AsJson(json + Words{"--precision=direct"})["precision"],
                   "direct (fp32)");
         EXPECT_THAT(AsJson(json + Words{"--precision=reduced"})["precision"]
                         .get<std::string>(),
                     StartsWith("reduced"));
       }},
      {"--json",
       [&] { EXPECT_THAT(Munja(words).out, StartsWith("model   ")); }},
  };
  CheckOptions({"bench"}, {.words = words}, rows);
}

}  // namespace
}  // namespace munja::cli_test
