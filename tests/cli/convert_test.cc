// munja convert as a person calls it: every source, its options, its report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class Convert : public testing::Test {
 protected:
  static std::vector<std::string> Bundle(std::vector<std::string> more) {
    std::vector<std::string> words = {"convert",
                                      "--bundle",
                                      "--no-check",
                                      "--detector",
                                      DefaultBundle() + "/detector.tflite",
                                      "--recognizer",
                                      DefaultBundle() + "/recognizer.tflite",
                                      "--dictionary",
                                      DefaultBundle() + "/dictionary.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // The report of a conversion that must work.
  static json Report(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convert");
    arguments.insert(arguments.end(), {"-o", Output(), "--json"});
    const Outcome outcome = Munja(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  static std::string Output() { return TestFolder() + "/out.tflite"; }
};

TEST_F(Convert, PublishedModels_TakeOneCommand) {
  if (Shared("models/cls_v2/paddle").empty())
    GTEST_SKIP() << "no published models here";
  for (const char* source :
       {"cls_v2/paddle", "cls_v2/paddle/inference.pdmodel",
        "cls_v2/onnx/ch_ppocr_mobile_v2.0_cls_infer_fp16.onnx", "cls_v2/ncnn",
        "textline_ori/paddle_pir", "textline_ori/paddle_pir/inference.json",
        "textline_ori/onnx", "ppocrv3_det/paddle", "rec_crnn_v2/onnx",
        "ppocrv2/ncnn/pdocrv2.0_rec-op.param"}) {
    SCOPED_TRACE(source);
    const json report = Report({Shared(std::string("models/") + source)});
    ASSERT_TRUE(report.is_object());
    ASSERT_TRUE(report.contains("parity")) << report;
    EXPECT_TRUE(report["parity"]["first_difference"].is_null()) << report;
    EXPECT_GT(report["parity"]["tensors"].get<int>(), 30);
    EXPECT_LT(report["max_difference"].get<double>(), 1e-3);
  }
}

// The same network from a file, from its folder, and once more as .tflite.
TEST_F(Convert, FilesAndFolders_GiveTheSameModel) {
  const std::string folder = TestFolder() + "/source";
  fs::create_directories(folder);
  const std::string file = WriteNcnn(folder);
  std::vector<std::string> models;
  for (const std::string& source : {file, folder}) {
    const json report = Report({source});
    ASSERT_TRUE(report.contains("parity")) << report;
    EXPECT_TRUE(report["parity"]["first_difference"].is_null()) << report;
    EXPECT_EQ(report["parity"]["tensors"], 5);
    EXPECT_LT(report["max_difference"].get<double>(), 1e-6);
    EXPECT_EQ(report["parameters"], 216 + 8 + 128 + 4 + 4 + 1);
    models.push_back(ReadAll(Output()));
  }
  EXPECT_EQ(models[0], models[1]);
}

TEST_F(Convert, Shapes_AreFixedForGood) {
  const std::string source = WriteNcnn(TestFolder());
  Report({source, "--shape", "in0=1x64x96x3"});
  EXPECT_THAT(Munja({"inspect", Output()}).out, HasSubstr("1x64x96x3"));
  // A .tflite with free sizes is a source, too.
  const std::string open = TestFolder() + "/open.tflite";
  ASSERT_EQ(Munja({"convert", source, "-o", open, "--no-check"}).exit_code, 0);
  Report({open, "--shape", "1x32x64x3"});
  const std::string fixed = Munja({"inspect", Output()}).out;
  EXPECT_THAT(fixed, HasSubstr("1x32x64x3"));
  EXPECT_THAT(fixed, testing::Not(HasSubstr("SHAPE  %")));
  const Outcome wrong =
      Munja({"convert", source, "-o", Output(), "--shape", "y=1x64x96x3"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("'y'"));
}

TEST_F(Convert, GpuSafe_SaysWhatItDid) {
  const json report = Report({WriteNcnn(TestFolder()), "--gpu-safe"});
  const std::string notes = report["notes"].dump();
  EXPECT_THAT(notes, HasSubstr("1 hard sigmoids"));
  EXPECT_THAT(notes, HasSubstr("1 transposed convolutions"));
  EXPECT_FALSE(report["operators"].contains("TRANSPOSE_CONV"));
  EXPECT_TRUE(report["operators"].contains("DEPTH_TO_SPACE"));
  EXPECT_LT(report["max_difference"].get<double>(), 1e-3);
  EXPECT_NE(Munja({"convert", Output(), "-o", TestFolder() + "/again.tflite",
                   "--gpu-safe"})
                .exit_code,
            0);
}

// Convolution, mean and product between pairs of QuantizeLinear and
// DequantizeLinear. The expected numbers are those of ONNX Runtime 1.30 without
// its optimizations: what it makes of such pairs adds bytes in 16 bits, which
// overflow, where the processor has no better instruction.
TEST_F(Convert, QuantizedNetwork_ComputesWithItsIntegers) {
  const json report = Report({TestData("models/quantized.onnx")});
  EXPECT_TRUE(report["parity"]["first_difference"].is_null()) << report;
  EXPECT_THAT(report["notes"].dump(),
              HasSubstr("operators compute with its integers, 0 in float"));
  // Floats come in and go out.
  EXPECT_EQ(report["operators"]["QUANTIZE"], 1) << report;
  EXPECT_EQ(report["operators"]["DEQUANTIZE"], 1) << report;
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i * 7 % 32) / 16 - 1;
  const std::string input = SaveArray("x.npy", "1, 4, 4, 2", x);
  const Outcome run = Munja(
      {"run", Output(), "--input", "x=" + input, "--output-dir", TestFolder()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<float> y = LoadArray(TestFolder() + "/y.npy");
  const float step = 0.015686275f;
  const std::vector<float> expected = {47, 20, 15, -13, 55};
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i] / step, expected[i], 1.01) << i;
}

TEST_F(Convert, Parity_OnImages) {
  const std::string source = WriteNcnn(TestFolder());
  const json report =
      Report({source, "--check-with", TestData("pictures/receipt.jpg")});
  EXPECT_THAT(report["parity"]["input"].dump(), HasSubstr("receipt.jpg"));
  EXPECT_TRUE(report["parity"]["first_difference"].is_null()) << report;
  const Outcome people = Munja({"convert", source, "-o", Output(), "--fp16"});
  EXPECT_EQ(people.exit_code, 0);
  EXPECT_THAT(people.out, HasSubstr("tensors"));
  const std::string broken = TestFolder() + "/broken.png";
  WriteAll(broken, "no picture");
  EXPECT_NE(Munja({"convert", source, "-o", Output(), "--check-with", broken})
                .exit_code,
            0);
}

TEST_F(Convert, BrokenSources_AreNamed) {
  const std::string folder = TestFolder() + "/broken";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto fails = [&](const std::string& source, const char* with) {
    const Outcome outcome = Munja({"convert", source, "-o", Output()});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr(with));
  };
  fails(folder, "no model in this directory");
  const std::string net = WriteNcnn(folder);
  const std::string weights = folder + "/net.ncnn.bin",
                    bytes = ReadAll(weights);
  WriteAll(weights, bytes.substr(0, bytes.size() / 2));
  fails(net, "the weights end at byte");
  WriteAll(weights, bytes + "more");
  fails(net, "4 bytes more");
  fs::remove(weights);
  fails(net, "net.ncnn.bin");
  WriteAll(folder + "/other.param", "7767517\n");
  fails(folder, "several models in this folder");
}

TEST_F(Convert, BrokenPublishedSources_AreNamed) {
  const std::string from = Shared("models/textline_ori/paddle_pir");
  if (from.empty()) GTEST_SKIP() << "no published models here";
  const std::string folder = TestFolder() + "/broken";
  fs::create_directories(folder);
  const auto fails = [&](const std::string& source, const char* with) {
    const Outcome outcome = Munja({"convert", source, "-o", Output()});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr(with));
  };
  fs::copy(from + "/inference.json", folder + "/inference.json");
  fails(folder, "inference.pdiparams");
  const std::string parameters = ReadAll(from + "/inference.pdiparams");
  WriteAll(folder + "/inference.pdiparams",
           parameters.substr(0, parameters.size() / 2));
  fails(folder, "parameter '");
  WriteAll(folder + "/inference.pdiparams", parameters + "more");
  fails(folder, "4 bytes follow");
}

TEST_F(Convert, Bundle_TakesTheConfigurationNextToAPaddleModel) {
  if (Shared("models/ppocrv6_tiny").empty())
    GTEST_SKIP() << "no published models here";
  const std::string ncnn = Shared("models/ppocrv6_tiny/ncnn");
  const std::string bundle = TestFolder() + "/bundle";
  const Outcome outcome = Munja(
      {"convert", "--bundle", "--no-check", "--detector",
       Shared("models/ppocrv3_det/paddle"), "--recognizer",
       ncnn + "/rec.ncnn.param", "--dictionary", ncnn + "/keys.txt",
       "--classifier", Shared("models/textline_ori/paddle_pir"), "-o", bundle});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json made = json::parse(ReadAll(bundle + "/bundle.json"));
  EXPECT_EQ(made["contract"]["classifier"]["width"], 160);
  EXPECT_EQ(made["contract"]["classifier"]["height"], 80);
  EXPECT_EQ(made["contract"]["name"], "inference.yml");
}

// Upright lines alone would teach a classifier that all lines are.
TEST_F(Convert, Classifier_IsCalibratedOnTurnedLinesToo) {
  if (Shared("models/ppocrv6_tiny").empty())
    GTEST_SKIP() << "no published models here";
  const std::string ncnn = Shared("models/ppocrv6_tiny/ncnn");
  const std::string bundle = TestFolder() + "/bundle";
  Outcome outcome =
      Munja({"convert", "--bundle", "--no-check", "--detector",
             ncnn + "/det.ncnn.param", "--recognizer", ncnn + "/rec.ncnn.param",
             "--dictionary", ncnn + "/keys.txt", "--classifier",
             Shared("models/textline_ori/paddle_pir"), "-o", bundle});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = Munja({"quantize", "--bundle", bundle, "--role", "classifier",
                   "--calibrate", TestData("pictures/receipt.jpg"),
                   "--rounding=nearest", "--no-bias-tuning", "--json", "-o",
                   Output()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_GT(report["calibration_lines"].get<int>(), 5);
  EXPECT_EQ(report["samples"].get<int>(),
            2 * report["calibration_lines"].get<int>());
}

// The networks of a bundle are sources like any other.
TEST_F(Convert, BundleOfNetworks_Reads) {
  const std::string bundle = TestFolder() + "/bundle";
  const Outcome outcome = Munja(Bundle({"--name", "again", "--description",
                                        "two words", "--json", "-o", bundle}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // Operations are counted on a page, and on a line as high as the recognizer
  // reads them.
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["detector"]["shape"], "1x640x640x3");
  EXPECT_EQ(report["recognizer"]["shape"], "1x48x320x3");
  const json made = json::parse(ReadAll(bundle + "/bundle.json"));
  EXPECT_EQ(made["name"], "again");
  EXPECT_EQ(made["description"], "two words");
  EXPECT_EQ(Munja({"models", "verify", bundle}).exit_code, 0);
  const Outcome read =
      Munja({"read", "--model", bundle, TestData("pictures/receipt.jpg")});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("Tel. 555 0142"));
}

TEST_F(Convert, Eval_SaysWhatTheOptionsDoToText) {
  const std::string labels = TestData("labels/pictures.jsonl");
  const std::string bundle = TestFolder() + "/bundle";
  const Outcome outcome =
      Munja(Bundle({"--fp16", "--eval", labels, "--json", "-o", bundle}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json text = json::parse(outcome.out)["text"];
  EXPECT_EQ(text["labels"], labels);
  // These networks were made for other settings than those of PP-OCRv6, with
  // which they are bundled here; what counts is that both are scored.
  const Outcome eval =
      Munja({"eval", "--model", bundle, "--labels", labels, "--json"});
  for (const char* figure : {"char_f1", "det_hmean", "boxes"})
    EXPECT_EQ(text["bundle"][figure], json::parse(eval.out)[figure]) << figure;
  EXPECT_GT(text["exact"]["char_f1"].get<double>(), 0.3);
  EXPECT_FALSE(fs::exists(bundle + ".exact"));
  EXPECT_NE(Munja({"convert", WriteNcnn(TestFolder()), "-o", Output(), "--eval",
                   labels})
                .exit_code,
            0);
}

}  // namespace
}  // namespace munja::cli_test
