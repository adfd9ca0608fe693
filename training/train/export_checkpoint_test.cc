#include "train/export_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/files.h"
#include "tflite/read.h"
#include "train/checkpoint.h"
#include "train/nets/detector_net.h"
#include "train/nets/recognizer_net.h"
#include "train/nets/testing.h"
#include "train/trained_module.h"

namespace munja::train {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kRecipe[] = R"({
  "recognizer": {"network": {"channels": [8, 12, 16, 20]}, "training": {"steps": 1}},
  "detector": {"network": {"channels": [8, 12, 16, 20, 24]}, "training": {"steps": 1}}})";

class ExportCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/munja_export_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    torch::manual_seed(9);
  }

  std::string Save(torch::nn::Module& net, const std::string& kind) {
    testing::RandomizeNormalization(net);
    net.eval();
    TrainedModule trained(net, torch::kCPU);
    trained.ResetAverage();
    Checkpoint checkpoint;
    checkpoint.kind = kind;
    checkpoint.recipe = kRecipe;
    checkpoint.recipe_path = "recipe.json";
    checkpoint.progress = nlohmann::json::object();
    if (kind == "recognizer") checkpoint.alphabet = {"a", "b", "c"};
    trained.Save(&checkpoint);
    const std::string path = folder_ + "/" + kind + ".checkpoint";
    const Status status = WriteCheckpoint(path, checkpoint);
    EXPECT_TRUE(status.ok()) << status.message();
    return path;
  }

  std::string Recognizer() {
    RecognizerConfig config;
    config.channels = {8, 12, 16, 20};
    recognizer_ = RecognizerNet(config, 5);
    return Save(*recognizer_, "recognizer");
  }

  std::string Detector() {
    DetectorConfig config;
    config.channels = {8, 12, 16, 20, 24};
    detector_ = DetectorNet(config);
    return Save(*detector_, "detector");
  }

  std::string folder_;
  RecognizerNet recognizer_{nullptr};
  DetectorNet detector_{nullptr};
};

TEST_F(ExportCheckpointTest, File_ComputesWithTheAveragedWeights) {
  const std::string checkpoint = Recognizer();
  const std::string path = folder_ + "/out.tflite";
  ExportOptions options;
  options.half = false;
  const Status status = ExportCheckpoint(checkpoint, path, options);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto graph = tflite::ReadFile(path);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ((*graph)->associated_files.at("dictionary.txt"),
            (std::vector<uint8_t>{'a', '\n', 'b', '\n', 'c', '\n'}));
  const auto session = testing::MakeSession(**graph);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const torch::Tensor picture = testing::RandomPictures(1, 32, 96);
  const auto got = testing::RunPicture(**session, picture);
  ASSERT_TRUE(got.ok()) << got.status().message();
  torch::NoGradGuard no_gradients;
  // The promise of munja-train export.
  EXPECT_LT(testing::LargestDifference(
                *got, torch::softmax(recognizer_->forward(picture), 2)),
            1e-4);
}

TEST_F(ExportCheckpointTest, Fp16_IsHalfTheSize) {
  const std::string checkpoint = Detector();
  const std::string whole = folder_ + "/whole.tflite";
  const std::string half = folder_ + "/half.tflite";
  ASSERT_TRUE(ExportCheckpoint(checkpoint, whole, {.half = false}).ok());
  ASSERT_TRUE(ExportCheckpoint(checkpoint, half, {.half = true}).ok());
  EXPECT_LT(fs::file_size(half), fs::file_size(whole) * 7 / 10);
}

TEST_F(ExportCheckpointTest, Bundle_LoadsAndHasTheAlphabet) {
  BundleSources sources;
  sources.detector = Detector();
  sources.recognizer = Recognizer();
  sources.description = "of random weights";
  sources.contract = R"({"detector": {"unclip_ratio": 1.7}})";
  const std::string folder = folder_ + "/mine";
  const Status status = ExportBundle(sources, folder, {});
  ASSERT_TRUE(status.ok()) << status.message();
  const auto bundle = bundle::LoadBundle(bundle::FolderFiles(folder));
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  EXPECT_EQ(bundle->manifest.name, "mine");
  EXPECT_EQ(bundle->dictionary, "a\nb\nc\n");
  const ocr::Config& contract = bundle->manifest.config;
  EXPECT_EQ(contract.recognizer.height, 32);
  EXPECT_EQ(contract.recognizer.width_multiple, 4);
  EXPECT_EQ(contract.recognizer.normalization.order, ocr::ChannelOrder::kRgb);
  EXPECT_FLOAT_EQ(contract.detector.unclip_ratio, 1.7f);
  const auto pipeline = bundle::CreatePipeline(*bundle, contract, nullptr);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();

  // Another bundle from this one's recognizer and its dictionary.
  sources.recognizer = folder + "/recognizer.tflite";
  const std::string second = folder_ + "/second";
  const Status again = ExportBundle(sources, second, {});
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(*ReadFile(second + "/recognizer.tflite"),
            *ReadFile(folder + "/recognizer.tflite"));

  // And one from an exported file, whose dictionary is packed with it.
  sources.recognizer = folder_ + "/packed.tflite";
  ASSERT_TRUE(ExportCheckpoint(Recognizer(), sources.recognizer, {}).ok());
  const std::string third = folder_ + "/third";
  const Status packed = ExportBundle(sources, third, {});
  ASSERT_TRUE(packed.ok()) << packed.message();
  const auto from_packed = bundle::LoadBundle(bundle::FolderFiles(third));
  ASSERT_TRUE(from_packed.ok()) << from_packed.status().message();
  EXPECT_EQ(from_packed->dictionary, "a\nb\nc\n");
}

TEST_F(ExportCheckpointTest, Mistakes_AreNamed) {
  const std::string detector = Detector();
  BundleSources sources;
  sources.detector = sources.recognizer = detector;
  Status status = ExportBundle(sources, folder_ + "/mine", {});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("not of a recognizer"));
  status = ExportCheckpoint(folder_ + "/absent", folder_ + "/out.tflite", {});
  EXPECT_EQ(status.code(), Code::kNotFound);
  sources.recognizer = Recognizer();
  sources.contract = R"({"detector": {"unclip": 2}})";
  status = ExportBundle(sources, folder_ + "/mine", {});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("unclip"));
}

}  // namespace
}  // namespace munja::train
