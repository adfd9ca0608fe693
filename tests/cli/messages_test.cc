// The command's error messages name the fault, its place and the remedy, and
// the exit code tells its cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---- Files made here ----

// A .npy file of float32.
void WriteNpy(const std::string& path, const std::string& shape,
              const std::vector<float>& values) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()),
               values.size() * sizeof(float));
  WriteAll(path, bytes);
}

// The numbers of one; its header here is always of one block.
std::vector<float> ReadNpy(const std::string& path) {
  const std::string bytes = ReadAll(path);
  if (bytes.size() < 10) return {};
  const size_t start =
      10 + static_cast<uint8_t>(bytes[8]) +
      256 * static_cast<size_t>(static_cast<uint8_t>(bytes[9]));
  std::vector<float> values((bytes.size() - start) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + start,
              values.size() * sizeof(float));
  return values;
}

// Protocol buffers, as far as an ONNX file needs them.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}
std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Bytes(int field, const std::string& value) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(value.size()) +
         value;
}

// x [1, 3, 4, 4] + `weights` [1, 3, 1, 1] = y, as ONNX.
std::string OnnxSum(const std::vector<float>& weights) {
  const auto tensor = [](const std::string& name, std::vector<int> dims) {
    std::string shape;
    for (const int d : dims)
      shape += Bytes(1, Number(1, static_cast<uint64_t>(d)));
    return Bytes(1, name) + Bytes(2, Bytes(1, Number(1, 1) + Bytes(2, shape)));
  };
  const std::string node =
      Bytes(1, "x") + Bytes(1, "w") + Bytes(2, "y") + Bytes(4, "Add");
  const std::string constant =
      Number(1, 1) + Number(1, 3) + Number(1, 1) + Number(1, 1) + Number(2, 1) +
      Bytes(8, "w") +
      Bytes(9, std::string(reinterpret_cast<const char*>(weights.data()),
                           weights.size() * sizeof(float)));
  const std::string graph = Bytes(1, node) + Bytes(2, "g") +
                            Bytes(5, constant) +
                            Bytes(11, tensor("x", {1, 3, 4, 4})) +
                            Bytes(12, tensor("y", {1, 3, 4, 4}));
  return Number(1, 8) + Bytes(7, graph) + Bytes(8, Number(2, 13));
}

// The models that the tests of the interface share.
std::string Models() {
  const std::string folder = TestFolder() + "/models";
  if (!fs::exists(folder)) {
    fs::create_directories(folder);
    EXPECT_EQ(Run(MUNJA_EXAMPLE_MODELS, {folder}).exit_code, 0);
  }
  return folder;
}

std::string DefaultModel(const std::string& file) {
  return std::string(MUNJA_SOURCE_DIR) + "/models/default/" + file;
}

// A call that must fail with this code and say all of this.
void Refused(const std::vector<std::string>& arguments, int code,
             const std::vector<std::string>& said) {
  std::string line;
  for (const std::string& word : arguments) line += " " + word;
  SCOPED_TRACE(line);
  const Outcome outcome = Munja(arguments);
  EXPECT_EQ(outcome.exit_code, code) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("munja: "));
  for (const std::string& part : said)
    EXPECT_THAT(outcome.err, HasSubstr(part));
}

// ---- The command line ----

TEST(Messages, MisspelledWord_NamesTheNearest) {
  Refused({"reed", "x"}, 2, {"no command 'reed'", "did you mean 'read'?"});
  Refused({"models", "lst"}, 2, {"'models lst'", "did you mean 'list'?"});
  Refused({"read", "--modle", "x", "y.jpg"}, 2,
          {"no option '--modle'", "did you mean '--model'?",
           "'munja read --help'"});
  Refused({"read", "--format", "jsn", "y.jpg"}, 2,
          {"--format", "'jsn'", "text, json", "did you mean 'json'?"});
  Refused({"eval", "--labels", "x", "--task", "recognise"}, 2,
          {"did you mean 'recognize'?"});
  Refused({"read", "--precision", "mixd", "y.jpg"}, 2,
          {"did you mean 'mixed'?"});
  Refused({"quantize", "-o", "x", "--mode", "in8"}, 2, {"'int8'"});
  // A word that resembles no command gets no suggestion.
  const Outcome outcome = Munja({"frobnicate"});
  EXPECT_THAT(outcome.err, HasSubstr("commands are read, "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("did you mean")));
}

TEST(Messages, OptionWithNoOrAWrongValue_SaysWhatItTakes) {
  Refused({"read", "y.jpg", "--model"}, 2, {"--model needs a value"});
  Refused({"read", "--model", "a", "--model", "b", "y.jpg"}, 2,
          {"--model is given more than once"});
  Refused({"read", "--threads", "-5", "y.jpg"}, 2,
          {"--threads", "'-5' is not an integer from 0 to 1024"});
  Refused({"read", "--threads", "2.5", "y.jpg"}, 2, {"not an integer"});
  Refused({"read", "--min-confidence", "nan", "y.jpg"}, 2,
          {"--min-confidence", "a number from 0 to 1"});
  Refused({"quantize", "-o", "x", "--percentile", "200"}, 2,
          {"--percentile", "a number from 0 to 100"});
  Refused({"quantize", "-o", "x", "--max-pages", "-5"}, 2, {"--max-pages"});
  Refused({"--threads", "2", "read", "y.jpg"}, 2,
          {"'--threads' comes before the command"});
  Refused({"inspect"}, 2, {"MODEL is missing"});
  Refused({"read", ""}, 3, {"empty"});
}

TEST(Messages, Options_ThatNeedOrExcludeEachOther) {
  const std::string model = Models() + "/network.tflite";
  Refused({"inspect", model, "--explain"}, 2, {"--explain needs --partition"});
  Refused({"inspect", model, "--operators", "x"}, 2, {"--partition"});
  Refused({"inspect", model, "--dot", "--partition", "nn:cpu"}, 2,
          {"--dot and --partition"});
  Refused({"run", model, "--output-dir", "x", "--tolerance", "0.1"}, 2,
          {"--tolerance needs --compare-with"});
  Refused({"eval", "--labels", "x", "--from-results", "y", "--results", "z"}, 2,
          {"--results and --from-results cannot be given together"});
  Refused({"quantize", "-o", "x"}, 2, {"--calibrate PICTURES"});
  Refused({"quantize", "-o", "x", "--mode", "weights", "--integer-io"}, 2,
          {"--integer-io needs MODEL or --role"});
  Refused(
      {"convert", model, "-o", "x.tflite", "--check-with", ReceiptPicture()}, 2,
      {"--check-with"});
}

// Names of files are a stranger's: they neither change the terminal nor look
// like lines of the program.
TEST(Messages, NamesOfFiles_AreShownWithoutControlCharacters) {
  const struct {
    std::string name, shown;
  } cases[] = {{"a\033]0;owned\a.png", "a\\x1b]0;owned\\x07.png"},
               {"c\nmunja: all fine\n.png", "c\\nmunja: all fine\\n.png"},
               {"r\r.png", "r\\r.png"},
               {"b\x9b.png", "b\\x9b.png"},
               {"u\u009b.png", "u\\u009b.png"},
               {"t\u202egnp.png", "t\\u202egnp.png"},
               {"\u00e9\uac00.png", "\u00e9\uac00.png"}};
  for (const auto& c : cases) {
    const std::string file = TestFolder() + "/" + c.name;
    WriteAll(file, "no picture");
    const Outcome outcome = Munja({"read", file});
    EXPECT_THAT(outcome.err, HasSubstr("/" + c.shown + ": ")) << c.shown;
    if (c.name != c.shown) {
      EXPECT_THAT(outcome.err, Not(HasSubstr(c.name))) << c.shown;
    }
    fs::remove(file);
    fs::copy(ReceiptPicture(), file);
    EXPECT_THAT(Munja({"read", file, file}).out,
                HasSubstr("/" + c.shown + " <==\n"));
    fs::remove(file);
  }
}

// ---- Files of another kind ----

TEST(Messages, NetworkInsteadOfBundle_AndTheOtherWayRound) {
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"read", "--model", DefaultModel("detector.tflite"),
            ReceiptPicture()},
           {"models", "verify", DefaultModel("detector.tflite")},
           {"models", "path", DefaultModel("detector.tflite")},
           {"quantize", "--mode", "weights", "-o", "x", "--bundle",
            DefaultModel("detector.tflite")},
           {"bench-read", "--model", DefaultModel("detector.tflite"),
            ReceiptPicture()}})
    Refused(command, 5, {"single model", "munja convert --bundle"});
  Refused({"read", "--model", DefaultModel("bundle.json"), ReceiptPicture()}, 5,
          {"give the folder that holds it", "models/default"});
  Refused({"read", "--model", ReceiptPicture(), ReceiptPicture()}, 5,
          {"a bundle is a folder"});
  for (const char* command : {"inspect", "bench", "operators"})
    Refused({command, fs::path(DefaultModel("")).parent_path().string()}, 5,
            {"this is a bundle", "detector.tflite"});
  WriteAll(TestFolder() + "/net.onnx", OnnxSum({1, 2, 3}));
  Refused({"inspect", TestFolder() + "/net.onnx"}, 5, {"munja convert"});
}

TEST(Messages, EmptyFile_IsCalledEmpty) {
  const std::string model = TestFolder() + "/empty.tflite";
  const std::string labels = TestFolder() + "/empty.jsonl";
  const std::string picture = TestFolder() + "/empty.jpg";
  for (const std::string& file : {model, labels, picture}) WriteAll(file, "");
  Refused({"inspect", model}, 5, {model + ": the file is empty"});
  Refused({"convert", model, "-o", TestFolder() + "/x.tflite"}, 3,
          {model + ": the file is empty"});
  Refused({"eval", "--labels", labels}, 3, {labels, "no labels"});
  Refused({"read", picture}, 3, {picture, "no bytes"});
}

TEST(Messages, ExitCode_BlamesWhatIsToBlame) {
  const std::string model = DefaultModel("recognizer.tflite");
  const std::string nowhere = TestFolder() + "/nowhere/x.tflite";
  // The output's folder is missing: not the input's fault.
  Refused({"convert", model, "-o", nowhere}, 7, {nowhere});
  Refused(
      {"quantize", "--role", "recognizer", "--mode", "weights", "-o", nowhere},
      7, {nowhere});
  // An input is a folder: not the output's fault.
  Refused({"convert", model, "-o", TestFolder() + "/x.tflite", "--dictionary",
           TestFolder()},
          3, {TestFolder()});
  Refused({"quantize", "--calibrate", "absent.jpg", "-o", TestFolder() + "/q"},
          3, {"absent.jpg"});
  Refused({"bench-read", "--count", "1", "absent.jpg"}, 3, {"absent.jpg"});
}

TEST(Messages, Command_NamesItsOptionsNotTheLibrarysFields) {
  const std::string out = TestFolder() + "/x.tflite";
  Refused({"convert", Models() + "/sine.tflite", "-o", out}, 4,
          {"--allow-custom-ops"});
  Refused({"convert", Models() + "/network.tflite", "-o", out, "--gpu-safe"}, 4,
          {"--gpu-safe"});
  Refused({"read", "--set", "detector.limit_side=-1", ReceiptPicture()}, 2,
          {"--set: detector.limit_side"});
}

// ---- Numbers that are none ----

TEST(Messages, NanWeights_AreNamedAndTheReportIsJson) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string source = TestFolder() + "/net.onnx";
  const std::string out = TestFolder() + "/out.tflite";
  WriteAll(source, OnnxSum({1, nan, infinity}));
  const Outcome text = Munja({"convert", source, "-o", out});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("1 NaN and 1 infinite"));
  const Outcome outcome = Munja({"convert", source, "-o", out, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << outcome.out;
  EXPECT_THAT(report["notes"].dump(), HasSubstr("constant tensor"));
  // The written model is a valid source, too.
  const Outcome again =
      Munja({"convert", out, "-o", TestFolder() + "/again.tflite"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("NaN"));
  // Numbers that are some are not warned of.
  WriteAll(source, OnnxSum({1, 2, 3}));
  EXPECT_THAT(Munja({"convert", source, "-o", out}).out,
              Not(HasSubstr("warning")));
}

// File names on Linux are bytes.
TEST(Messages, FileNamesThatAreNotUtf8_GiveJson) {
  const std::string folder = TestFolder() +
                             "/a\xff"
                             "b";
  fs::create_directories(folder + "/labels");
  fs::copy(ReceiptPicture(), folder + "/p.jpg");
  WriteAll(folder + "/labels/x.jsonl",
           R"({"image": "p.jpg", "lines": [{"poly": null, "text": "BAKERY"}]})"
           "\n");
  fs::copy(Models() + "/network.tflite", folder + "/n.tflite");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"read", "--format", "json", folder + "/p.jpg"},
           {"bench", "--json", "--runs", "1", folder + "/n.tflite"},
           {"eval", "--json", "--labels", folder + "/labels/x.jsonl"},
           {"convert", "--json", folder + "/n.tflite", "-o",
            folder + "/o.tflite"},
           {"quantize", "--json", "--mode", "weights", "--eval",
            folder + "/labels/x.jsonl", "-o", TestFolder() + "/q"}}) {
    const Outcome outcome = Munja(command);
    EXPECT_EQ(outcome.exit_code, 0) << command[0] << outcome.err;
    EXPECT_FALSE(json::parse(outcome.out, nullptr, false).is_discarded())
        << command[0] << outcome.out;
  }
}

// ---- run and bench ----

TEST(Messages, Run_TakesInputsByPositionAndWithoutNames) {
  const std::string folder = TestFolder();
  WriteNpy(folder + "/a.npy", "2,", {5, 7});
  WriteNpy(folder + "/b.npy", "2,", {1, 2});
  WriteNpy(folder + "/long.npy", "3,", {1, 2, 3});
  const std::string model = Models() + "/unnamed.tflite";
  const Outcome outcome =
      Munja({"run", model, "--input", folder + "/a.npy", "--input",
             folder + "/b.npy", "--output-dir", folder});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ReadNpy(folder + "/difference.npy"), (std::vector<float>{4, 5}));
  Refused({"run", model, "--input", folder + "/a.npy", "--output-dir", folder},
          2, {"input 1 of the model is missing", "in order", "float32 2"});
  Refused({"run", model, "--input", folder + "/a.npy", folder + "/b.npy",
           folder + "/a.npy", "--output-dir", folder},
          2, {"one too many"});
  Refused({"run", model, "--input", "x=" + folder + "/a.npy", "--output-dir",
           folder},
          2, {"names no input", "float32 2"});
  // The array that does not fit is named, not the model.
  Refused({"run", model, "--input", folder + "/a.npy", folder + "/long.npy",
           "--output-dir", folder},
          3, {folder + "/long.npy: "});
}

TEST(Messages, Run_ChoosesASignature) {
  const std::string folder = TestFolder();
  WriteNpy(folder + "/a.npy", "2,", {5, 7});
  const std::string model = Models() + "/signatures.tflite";
  const std::vector<std::pair<std::string, std::vector<float>>> expected = {
      {"twice", {10, 14}}, {"square", {25, 49}}};
  for (const auto& [signature, values] : expected) {
    const Outcome outcome =
        Munja({"run", model, "--signature", signature, "--input",
               "value=" + folder + "/a.npy", "--output-dir", folder});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(ReadNpy(folder + "/result.npy"), values) << signature;
  }
  Refused({"run", model, "--signature", "root", "--input", folder + "/a.npy",
           "--output-dir", folder},
          2, {"--signature", "'root'", "twice, square"});
  Refused({"run", model, "--signature", "square", "--input", folder + "/a.npy",
           "--compare-with", "reference"},
          2, {"--compare-with"});
}

TEST(Messages, Bench_FillsTheBatchAndAdvisesFromTheModelsShape) {
  const Outcome outcome = Munja(
      {"bench", Models() + "/free_batch.tflite", "--runs", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["inputs"][0]["shape"], "1x32x32x3");
  Refused({"bench", Models() + "/line_reader_32.tflite"}, 2,
          {"--shape line=1x32x320x3"});
  Refused({"bench", Models() + "/free_batch.tflite", "--shape", "1x8x8x3"}, 2,
          {"--shape: ", "?x32x32x3"});
}

// Both executors compute with the same integers; what differs in the last bit
// before is a step apart after, in a few of a million numbers.
TEST(Messages, Comparing_KnowsStepsOfActivationsQuantizedDuringTheRun) {
  const std::string folder = TestFolder();
  std::vector<float> x(65536 * 16);
  uint32_t state = 1;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-21f - 4;
  }
  WriteNpy(folder + "/x.npy", "65536, 16", x);
  const std::vector<std::string> command = {"run",
                                            Models() + "/hybrid.tflite",
                                            "--input",
                                            folder + "/x.npy",
                                            "--compare-with",
                                            "reference"};
  const Outcome outcome = Munja(command);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  // An explicit tolerance takes precedence.
  std::vector<std::string> strict = command;
  strict.insert(strict.end(), {"--tolerance", "0"});
  EXPECT_EQ(Munja(strict).exit_code, 1);
}

// ---- Bundles ----

// A bundle made by hand of these files, whatever they are.
std::string Bundle(const std::string& detector, const std::string& recognizer,
                   const std::string& dictionary, const std::string& contract) {
  const std::string folder = TestFolder() + "/by_hand";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::string manifest = R"({"format": 1, "name": "by_hand")";
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"detector", detector},
      {"recognizer", recognizer},
      {"dictionary", dictionary}};
  for (const auto& [role, path] : parts) {
    const std::string file = role + fs::path(path).extension().string();
    fs::copy(path, folder + "/" + file);
    const Outcome sum = Run("/usr/bin/sha256sum", {path});
    EXPECT_EQ(sum.exit_code, 0);
    manifest += ", \"" + role + R"(": {"file": ")" + file + R"(", "bytes": )" +
                std::to_string(fs::file_size(path)) + R"(, "sha256": ")" +
                sum.out.substr(0, 64) + "\"}";
  }
  WriteAll(folder + "/bundle.json",
           manifest + ", \"contract\": " + contract + "}");
  return folder;
}

std::string ThreeLetters() {
  const std::string path = TestFolder() + "/letters.txt";
  WriteAll(path, "a\nb\nc\n");
  return path;
}

TEST(Messages, SwappedNetworks_AreCalledSwapped) {
  const std::string detector = DefaultModel("detector.tflite");
  const std::string recognizer = DefaultModel("recognizer.tflite");
  Refused({"convert", "--bundle", "--no-check", "--detector", recognizer,
           "--recognizer", detector, "--dictionary",
           DefaultModel("dictionary.txt"), "-o", TestFolder() + "/b"},
          3, {"swapped", "recognizer"});
  const std::string bundle =
      Bundle(recognizer, detector, DefaultModel("dictionary.txt"), "{}");
  Refused({"read", "--model", bundle, ReceiptPicture()}, 5,
          {bundle + "/detector.tflite", "looks like a recognizer", "swapped"});
  // One of them in both roles.
  const std::string twice =
      Bundle(detector, detector, DefaultModel("dictionary.txt"), "{}");
  Refused({"read", "--model", twice, ReceiptPicture()}, 5,
          {twice + "/recognizer.tflite", "looks like a detector"});
}

// A fault that only shows while a picture is read is not the picture's.
TEST(Messages, FaultOfTheModel_NamesItsFile) {
  // Gives numbers where a map is expected.
  const std::string wrong =
      Bundle(Models() + "/free_batch.tflite", DefaultModel("recognizer.tflite"),
             DefaultModel("dictionary.txt"), "{}");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"read", "--model", wrong, ReceiptPicture()},
           {"models", "verify", wrong},
           {"bench-read", "--count", "1", "--model", wrong, ReceiptPicture()}})
    Refused(command, 5, {wrong + "/detector.tflite", "a map"});
  // A node that fails at the values of a run.
  const std::string fails = Bundle(Models() + "/failing_detector.tflite",
                                   DefaultModel("recognizer.tflite"),
                                   DefaultModel("dictionary.txt"), "{}");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"read", "--model", fails, ReceiptPicture()},
           {"bench-read", "--count", "1", "--model", fails, ReceiptPicture()}})
    Refused(command, 5,
            {fails + "/detector.tflite: ", "GATHER",
             "(while reading " + ReceiptPicture() + ")"});
}

TEST(Messages, RecognizerOfAnotherHeight_IsBundled) {
  const std::string bundle = TestFolder() + "/height32";
  const Outcome made = Munja({"convert", "--bundle", "--no-check", "--detector",
                              DefaultModel("detector.tflite"), "--recognizer",
                              Models() + "/line_reader_32.tflite",
                              "--dictionary", ThreeLetters(), "-o", bundle});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("recognizer.height is 32"));
  const Outcome settings =
      Munja({"read", "--model", bundle, "--print-settings"});
  ASSERT_EQ(settings.exit_code, 0) << settings.err;
  EXPECT_EQ(json::parse(settings.out)["recognizer"]["height"], 32);
  EXPECT_EQ(Munja({"read", "--model", bundle, ReceiptPicture()}).exit_code, 0);
  // A contract that says otherwise is told what to say.
  const std::string other =
      Bundle(DefaultModel("detector.tflite"),
             Models() + "/line_reader_32.tflite", ThreeLetters(), "{}");
  Refused(
      {"read", "--model", other, ReceiptPicture()}, 5,
      {other + "/recognizer.tflite", "32 pixels high", "recognizer.height"});
  EXPECT_EQ(Munja({"read", "--model", other, "--set", "recognizer.height=32",
                   ReceiptPicture()})
                .exit_code,
            0);
}

TEST(Messages, Dictionary_IsNamedByTheFileThatWasGiven) {
  const std::string empty = TestFolder() + "/empty.txt";
  WriteAll(empty, "");
  const auto convert = [](const std::string& dictionary) {
    return std::vector<std::string>{"convert",
                                    "--bundle",
                                    "--no-check",
                                    "--detector",
                                    DefaultModel("detector.tflite"),
                                    "--recognizer",
                                    DefaultModel("recognizer.tflite"),
                                    "--dictionary",
                                    dictionary,
                                    "-o",
                                    TestFolder() + "/b"};
  };
  Refused(convert(empty), 3, {empty + ": the file is empty"});
  Refused(convert(ReceiptPicture()), 3,
          {ReceiptPicture() + ": dictionary line 1"});
}

}  // namespace
}  // namespace munja::cli_test
