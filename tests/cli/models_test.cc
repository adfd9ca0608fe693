// Models and bundles: convert, inspect, run, bench, verify, eval.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

// A float32 array in the .npy format, version 1.0.
std::string Npy(const std::string& shape, const std::vector<float>& values) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return file;
}

class Models : public testing::Test {
 protected:
  const std::string bundle_ = DefaultBundle();
};

// All but the detector and the second pass is the default bundle's own
// (tools/make-default-small).
TEST_F(Models, DefaultSmall_IsTheDefaultWithASmallerDetectorAndFewerPasses) {
  const std::string small =
      std::string(MUNJA_SOURCE_DIR) + "/models/default-small";
  const Outcome verified = Munja({"models", "verify", small});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  Json manifest = Json::parse(ReadAll(small + "/bundle.json"));
  Json whole = Json::parse(ReadAll(bundle_ + "/bundle.json"));
  EXPECT_EQ(manifest["name"], "default-small");
  EXPECT_LT(manifest["detector"]["bytes"].get<int>() * 3,
            whole["detector"]["bytes"].get<int>());
  for (const char* own : {"name", "description", "measured", "detector"}) {
    manifest.erase(own);
    whole.erase(own);
  }
  EXPECT_LT(manifest["contract"]["recognizer"]["second_look"],
            whole["contract"]["recognizer"]["second_look"]);
  for (Json* each : {&manifest, &whole}) {
    EXPECT_EQ((*each)["integer"].erase("detector"), 1u);
    EXPECT_EQ((*each)["contract"]["recognizer"].erase("second_look"), 1u);
  }
  EXPECT_EQ(manifest, whole);
  const Outcome read =
      Munja({"read", "--model", small, TestData("pictures/receipt.jpg")});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("BAKERY"));
}

TEST_F(Models, BothFormatsOfTheDetector_GiveTheSameValues) {
  const std::string published = PublishedBundle();
  if (published.empty()) GTEST_SKIP() << "no published models here";
  const std::string onnx =
      Shared("models/ppocrv6_tiny/onnx/PP-OCRv6_tiny_det.from_ncnn.onnx");
  const std::string converted = TestFolder() + "/onnx.tflite";
  const Outcome made = Munja(
      {"convert", onnx, "-o", converted, "--shape", "1x64x96x3", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json report = Json::parse(made.out);
  // The same arithmetic in another order: float32 rounding only.
  EXPECT_LT(report["max_difference"].get<double>(), 1e-4);
  EXPECT_GT(report["parameters"].get<int64_t>(), 400000);
  EXPECT_GT(report["multiply_accumulates"].get<int64_t>(), 10000000);

  std::vector<float> values(64 * 96 * 3);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 7919 % 2000) / 1000.0f - 1.0f;
  const std::string input = TestFolder() + "/x.npy";
  WriteAll(input, Npy("1, 64, 96, 3", values));
  std::vector<std::string> outputs;
  for (const std::string& model : {converted, published + "/detector.tflite"}) {
    const std::string folder =
        TestFolder() + "/" + std::to_string(outputs.size());
    const Outcome run =
        Munja({"run", model, "--input", input, "--output-dir", folder});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    outputs.push_back(ReadAll(fs::directory_iterator(folder)->path().string()));
  }
  ASSERT_EQ(outputs[0].size(), outputs[1].size());
  ASSERT_EQ(outputs[0].size(), 128 + 64 * 96 * sizeof(float));
  float largest = 0;
  for (size_t i = 128; i < outputs[0].size(); i += 4) {
    float a, b;
    std::memcpy(&a, &outputs[0][i], 4);
    std::memcpy(&b, &outputs[1][i], 4);
    largest = std::max(largest, std::abs(a - b));
  }
  // Probabilities; the ONNX file was made from the other to 2e-4.
  EXPECT_LT(largest, 1e-3f);
}

TEST_F(Models, HalfPrecision_HalvesTheFile) {
  // Nearly all of it are weights.
  const std::string source = WriteNcnn(TestFolder(), 512);
  const std::string full = TestFolder() + "/full.tflite";
  const std::string half = TestFolder() + "/half.tflite";
  ASSERT_EQ(Munja({"convert", source, "-o", full, "--no-check"}).exit_code, 0);
  ASSERT_EQ(
      Munja({"convert", source, "-o", half, "--no-check", "--fp16"}).exit_code,
      0);
  EXPECT_LT(fs::file_size(half), fs::file_size(full) * 6 / 10);
}

TEST_F(Models, Inspect_PrintsGraphAndGraphviz) {
  const Outcome text = Munja({"inspect", bundle_ + "/detector.tflite"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("CONV_2D"));
  const Outcome dot = Munja({"inspect", "--dot", bundle_ + "/detector.tflite"});
  ASSERT_EQ(dot.exit_code, 0) << dot.err;
  EXPECT_THAT(dot.out, testing::StartsWith("digraph"));
}

TEST_F(Models, Bench_ReportsTimesMemoryAndOperators) {
  const std::string model = bundle_ + "/detector.tflite";
  const Outcome outcome = Munja({"bench", model, "--shape", "1x64x64x3",
                                 "--runs", "3", "--threads", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json r = Json::parse(outcome.out);
  EXPECT_EQ(r["runs"], 3);
  EXPECT_THAT(r["simd"],
              testing::AnyOf("avx3", "avx2", "sse4", "neon", "scalar"));
  EXPECT_GT(r["cold_ms"]["total"].get<double>(), 0);
  EXPECT_LE(r["warm_ms"]["min"].get<double>(),
            r["warm_ms"]["median"].get<double>());
  EXPECT_LE(r["warm_ms"]["median"].get<double>(),
            r["warm_ms"]["max"].get<double>());
  EXPECT_GT(r["memory"]["peak_bytes"].get<double>(), 1e6);
  EXPECT_GT(r["memory"]["arena_bytes"].get<double>(), 0);
  ASSERT_GT(r["operators"].size(), 3u);
  double share = 0;
  for (const Json& row : r["operators"]) share += row["share"].get<double>();
  EXPECT_NEAR(share, 1.0, 1e-6);
  // Sizes that the model leaves free must be given.
  const Outcome no_shape = Munja({"bench", model});
  EXPECT_EQ(no_shape.exit_code, 2);
  EXPECT_THAT(no_shape.err, HasSubstr("--shape"));
}

TEST_F(Models, Verify_FindsEveryDamage) {
  EXPECT_EQ(Munja({"models", "verify", bundle_}).exit_code, 0);
  const std::string copy = TestFolder() + "/copy";
  for (const char* file : {"detector.tflite", "recognizer.tflite",
                           "dictionary.txt", "bundle.json"}) {
    fs::remove_all(copy);
    fs::copy(bundle_, copy);
    std::string bytes = ReadAll(copy + "/" + file);
    bytes[bytes.size() / 2] ^= 0x40;
    WriteAll(copy + "/" + file, bytes);
    const Outcome changed = Munja({"models", "verify", copy});
    EXPECT_EQ(changed.exit_code, 5) << file << changed.err;
    EXPECT_THAT(changed.err, HasSubstr(file));
    fs::remove(copy + "/" + file);
    const Outcome missing = Munja({"models", "verify", copy});
    EXPECT_EQ(missing.exit_code, 5) << file;
    EXPECT_THAT(missing.err, HasSubstr(file));
  }
}

TEST_F(Models, DictionaryThatDoesNotFit_IsRefused) {
  const std::string dictionary = TestFolder() + "/short.txt";
  WriteAll(dictionary, "a\nb\nc\n");
  const Outcome outcome =
      Munja({"convert", "--bundle", "--no-check", "--detector",
             bundle_ + "/detector.tflite", "--recognizer",
             bundle_ + "/recognizer.tflite", "--dictionary", dictionary, "-o",
             TestFolder() + "/bundle"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("all 11,172 syllables"));
  EXPECT_FALSE(fs::exists(TestFolder() + "/bundle/bundle.json"));
}

TEST_F(Models, TruncatedModels_AreRefused) {
  const std::string whole = ReadAll(bundle_ + "/recognizer.tflite");
  const std::string path = TestFolder() + "/cut.tflite";
  for (int part = 0; part < 64; ++part) {
    WriteAll(path, whole.substr(0, whole.size() * part / 64));
    const Outcome outcome = Munja({"inspect", path});
    EXPECT_EQ(outcome.exit_code, 5) << part << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(path));
  }
}

TEST_F(Models, List_FindsWhatTheSearchPathHolds) {
  const std::string folder = TestFolder() + "/models";
  fs::create_directories(folder);
  fs::copy(bundle_, folder + "/mine");
  Json manifest = Json::parse(ReadAll(folder + "/mine/bundle.json"));
  manifest["measured"] = {{"page_ms", 12.3}, {"word_f1", 75.0}, {"on", "mine"}};
  WriteAll(folder + "/mine/bundle.json", manifest.dump());
  uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder + "/mine")) {
    const std::string name = file.path().filename();
    if (name != "bundle.json" && name != "MODEL_CARD.md")
      bytes += file.file_size();
  }
  const Call call = {.environment = {"MUNJA_MODELS=" + folder,
                                     "XDG_DATA_HOME=" + TestFolder()}};
  const Outcome list = Munja({"models", "list", "--json"}, call);
  ASSERT_EQ(list.exit_code, 0) << list.err;
  const Json mine = Json::parse(list.out)[0];
  EXPECT_EQ(mine["name"], "mine");
  EXPECT_EQ(mine["bytes"], bytes);
  EXPECT_EQ(mine["measured"], manifest["measured"]);
  // Below 6 MB, as the default has to be.
  EXPECT_THAT(Munja({"models", "list"}, call).out,
              testing::MatchesRegex("mine\t" + folder +
                                    "/mine\t[^\t\n]+\t[345]\\.[0-9] MB\t"
                                    "12 ms a page\tword F1 75\\.0 %\n.*"));
  EXPECT_EQ(Munja({"models", "path", "mine"}, call).out, folder + "/mine\n");
  const Outcome read = Munja({"read", TestData("pictures/receipt.jpg")}, call);
  EXPECT_EQ(read.exit_code, 0) << read.err;
}

// Pages, boxes alone and single lines are scored against the labels of the
// sample.
TEST_F(Models, Eval_ScoresPagesBoxesAndLines) {
  const std::string labels = TestData("labels/pictures.jsonl");
  const auto eval = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"eval", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  };
  const std::string results = TestFolder() + "/results.jsonl";
  const Json page =
      eval({"--model", bundle_, "--labels", labels, "--results", results});
  EXPECT_EQ(page["images"], 1);
  EXPECT_EQ(page["lines"], 22);
  EXPECT_GT(page["line_recall"], 0.9);
  // Scored from the file, the figures are the same.
  const Json again = eval({"--from-results", results, "--labels", labels});
  EXPECT_EQ(again["missing_results"], 0);
  for (const char* figure : {"det_hmean", "line_recall", "cer_matched",
                             "word_f1", "char_f1", "boxes"})
    EXPECT_EQ(again[figure], page[figure]) << figure;
  const Json boxes =
      eval({"--model", bundle_, "--labels", labels, "--task", "detect"});
  // Boxes in which nothing can be read are among them; no page is turned.
  const Json lying = eval(
      {"--model", bundle_, "--labels", labels, "--set", "turn_pages=false"});
  EXPECT_EQ(boxes["det_recall"], lying["det_recall"]);
  EXPECT_GT(boxes["det_precision"], 0.9);
  // A picture of a single line, labeled twice, the second time with three other
  // letters of sixteen characters.
  const std::string set = TestFolder() + "/set";
  ASSERT_EQ(Munja({"read", "--model", bundle_, "--dump-stages", set,
                   TestData("pictures/receipt.jpg")})
                .exit_code,
            0);
  fs::create_directory(set + "/labels");
  WriteAll(set + "/labels/lines.jsonl",
           "{\"image\": \"4-line-001.png\", \"text\": \"BAKERY NORTHWIND\"}\n"
           "{\"image\": \"4-line-001.png\", \"text\": \"BAKERY NORTHWEST\"}\n");
  const Json lines = eval({"--model", bundle_, "--labels",
                           set + "/labels/lines.jsonl", "--task", "recognize"});
  EXPECT_EQ(lines["accuracy"], 0.5);
  EXPECT_NEAR(lines["cer"].get<double>(), 3 / 32.0, 1e-9) << lines;
}

// The sample with two unreadable labels gives the figures of the
// sample where these say "ignore", whichever way it is scored.
TEST_F(Models, Eval_IgnoresTheLabelsOfAGivenText) {
  std::string sets[2];
  for (const bool says_ignore : {false, true}) {
    Json label = Json::parse(ReadAll(TestData("labels/pictures.jsonl")));
    label["image"] = TestData("pictures/receipt.jpg");
    for (const size_t i : {0, 5}) {
      label["lines"][i]["text"] = i == 0 ? "###" : "*";
      if (says_ignore) label["lines"][i]["ignore"] = true;
    }
    sets[says_ignore] =
        TestFolder() + (says_ignore ? "/ignoring.jsonl" : "/marked.jsonl");
    WriteAll(sets[says_ignore], label.dump() + "\n");
  }
  const auto eval = [&](bool says_ignore, std::vector<std::string> more) {
    std::vector<std::string> words = {"eval", "--json", "--labels",
                                      sets[says_ignore]};
    if (!says_ignore)
      words.insert(words.end(), {"--ignore-text", "###", "--ignore-text", "*"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Munja(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Json figures = Json::parse(outcome.out, nullptr, false);
    for (const char* own :
         {"ms_per_image", "ms_per_image_median", "peak_memory_bytes"})
      figures.erase(own);
    return figures;
  };
  const std::string results = TestFolder() + "/results.jsonl",
                    page = TestFolder() + "/page.html";
  const Json figures = eval(false, {"--results", results, "--html", page});
  EXPECT_EQ(figures["lines"], 20);
  EXPECT_GT(figures["det_precision"], 0.9) << "their boxes are not wrong";
  EXPECT_EQ(figures, eval(true, {}));
  EXPECT_THAT(ReadAll(page), HasSubstr("of 20 labeled lines"));
  EXPECT_EQ(eval(false, {"--from-results", results}),
            eval(true, {"--from-results", results}));
  const Json boxes = eval(false, {"--task=detect"});
  EXPECT_EQ(boxes["lines"], 20);
  EXPECT_EQ(boxes, eval(true, {"--task=detect"}));
  EXPECT_EQ(
      Json::parse(
          Munja({"eval", "--json", "--labels", sets[false]}).out)["lines"],
      22);
}

// Pictures of single lines are neither read nor scored, nor do they lack.
TEST_F(Models, Eval_OmitsCropsOfAGivenText) {
  const std::string labels = TestFolder() + "/labels.jsonl";
  const std::string results = TestFolder() + "/results.jsonl";
  WriteAll(labels,
           "{\"image\": \"absent.png\", \"text\": \"###\"}\n"
           "{\"image\": \"a.png\", \"text\": \"abcd\"}\n");
  WriteAll(results, "{\"source\": \"a.png\", \"text\": \"abxd\"}\n");
  const std::vector<std::string> words = {
      "eval",      "--json",         "--labels", labels,          "--task",
      "recognize", "--from-results", results,    "--ignore-text", "###"};
  const Outcome outcome = Munja(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json figures = Json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(figures["images"], 1);
  EXPECT_EQ(figures["missing_results"], 0);
  EXPECT_EQ(figures["cer"], 0.25);
  WriteAll(labels, "{\"image\": \"absent.png\", \"text\": \"###\"}\n");
  const Outcome none = Munja(
      {"eval", "--labels", labels, "--task=recognize", "--ignore-text=###"});
  EXPECT_EQ(none.exit_code, 0) << none.err;
}

// The figures are those of the reference script, run on what was read.
TEST_F(Models, Eval_AgreesWithTheReferenceScript) {
  const std::string script = Shared("tools/score.py");
  if (script.empty() || std::system("python3 --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no reference script or no python3 here";
  for (const std::string& labels : std::vector<std::string>{
           TestData("labels/pictures.jsonl"),
           Shared("images/labels/photos_en.jsonl"),
           Shared("images/labels/crops_mixed_words.jsonl")}) {
    if (labels.empty()) continue;
    const std::string results = TestFolder() + "/results.jsonl";
    const Outcome eval = Munja({"eval", "--model", bundle_, "--labels", labels,
                                "--results", results, "--json"});
    ASSERT_EQ(eval.exit_code, 0) << eval.err;
    const std::string expected = TestFolder() + "/expected.json";
    ASSERT_EQ(std::system(("python3 " + script + " " + labels + " " + results +
                           " --json > " + expected)
                              .c_str()),
              0);
    const Json ours = Json::parse(eval.out);
    const Json theirs = Json::parse(ReadAll(expected));
    EXPECT_EQ(theirs["missing_results"], 0);
    for (const auto& [name, value] : theirs.items()) {
      ASSERT_TRUE(ours.contains(name)) << name;
      // Doubles from the same integer counts; coordinates in the results file
      // are rounded, which could only matter for a box at the very limit.
      EXPECT_NEAR(ours[name].get<double>(), value.get<double>(), 1e-9)
          << labels << ": " << name;
    }
    EXPECT_GT(ours["ms_per_image"].get<double>(), 0);
    EXPECT_GT(ours["peak_memory_bytes"].get<double>(), 1e6);
    // Scored from the file, the figures are the same.
    const Outcome again = Munja(
        {"eval", "--from-results", results, "--labels", labels, "--json"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    const Json rescored = Json::parse(again.out);
    for (const auto& [name, value] : theirs.items())
      EXPECT_EQ(rescored[name], ours[name]) << name;
  }
}

}  // namespace
}  // namespace munja::cli_test
