#include "train/nets/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/half_storage.h"
#include "text/hangul_letters.h"
#include "tflite/read.h"
#include "tflite/write.h"
#include "train/nets/testing.h"

namespace munja::train {
namespace {

using testing::LargestDifference;
using testing::MakeSession;
using testing::MultiplyAccumulates;
using testing::RandomizeNormalization;
using testing::RandomPictures;
using testing::RunPicture;

// The alphabet of Latin and Korean, with blank and space.
constexpr int kManyClasses = 2800;

// The difference of probabilities that the training kit allows for an export.
constexpr double kTolerance = 1e-4;
// Halves round weights by 2^-11 of their size; over ten layers of random
// weights that moved probabilities by less than this.
constexpr double kHalfTolerance = 1e-2;

RecognizerNet RandomRecognizer(const RecognizerConfig& config, int classes) {
  torch::manual_seed(7);
  RecognizerNet net(config, classes);
  RandomizeNormalization(*net);
  net->eval();
  return net;
}

DetectorNet RandomDetector(const DetectorConfig& config) {
  torch::manual_seed(8);
  DetectorNet net(config);
  RandomizeNormalization(*net);
  net->eval();
  return net;
}

// The graph that a reader of the written file gets.
Result<graph::Graph> Written(const graph::Graph& graph) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         tflite::Write(graph));
  MUNJA_ASSIGN_OR_RETURN(const auto read, tflite::Read(bytes, nullptr));
  return *read;
}

void ExpectRecognizersAgree(const RecognizerConfig& config, int classes) {
  torch::NoGradGuard no_gradients;
  RecognizerNet net = RandomRecognizer(config, classes);
  auto graph = ExportRecognizer(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  auto written = Written(*graph);
  ASSERT_TRUE(written.ok()) << written.status().message();
  auto session = MakeSession(*written);
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (const int width : {96, 320}) {
    const torch::Tensor pictures = RandomPictures(1, config.height, width);
    const auto got = RunPicture(**session, pictures);
    ASSERT_TRUE(got.ok()) << got.status().message();
    const torch::Tensor expected = net->Probabilities(net->forward(pictures));
    EXPECT_LT(LargestDifference(*got, expected), kTolerance) << width;
    // A comparison of near-constants would show nothing.
    EXPECT_GT(expected.std(1).max().item<double>(), 10 * kTolerance);
  }
}

TEST(ExportRecognizer, Outputs_AreThoseOfTheNetwork) {
  ExpectRecognizersAgree(RecognizerConfig(), 300);
}

TEST(ExportRecognizer, OtherLayersAtAnotherHeight_GiveTheSame) {
  RecognizerConfig config;
  config.height = 48;
  config.channels = {8, 12, 16, 20};
  config.blocks = {0, 2, 1};
  config.context_blocks = 1;
  config.context_kernel = 5;
  config.context_expand = 3;
  config.bottleneck = 12;
  config.activation = Activation::kHardSwish;
  ExpectRecognizersAgree(config, 40);
}

TEST(ExportRecognizer, HangulByLetters_GivesTheSame) {
  RecognizerConfig config;
  config.bottleneck = 12;
  config.hangul_letters = true;
  ExpectRecognizersAgree(config, 40 + text::HangulLetters::kLetters);
}

TEST(ExportRecognizer, OtherHeights_Run) {
  torch::NoGradGuard no_gradients;
  RecognizerNet net = RandomRecognizer(RecognizerConfig(), 50);
  auto graph = ExportRecognizer(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  auto session = MakeSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const torch::Tensor pictures = RandomPictures(1, 48, 200);
  const auto got = RunPicture(**session, pictures);
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_LT(LargestDifference(*got, torch::softmax(net->forward(pictures), 2)),
            kTolerance);
}

TEST(ExportRecognizer, SizeAndCost_StaySmall) {
  RecognizerNet net = RandomRecognizer(RecognizerConfig(), kManyClasses);
  auto graph = ExportRecognizer(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto macs = MultiplyAccumulates(*graph, 48, 320);
  ASSERT_TRUE(macs.ok()) << macs.status().message();
  EXPECT_LT(*macs, 150'000'000);
  graph::StoreAsHalf(&*graph);
  const auto bytes = tflite::Write(*graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_LT(bytes->size(), 3'000'000u);
  RecordProperty("multiply_accumulates", std::to_string(*macs));
  RecordProperty("bytes", std::to_string(bytes->size()));
}

TEST(ExportRecognizer, Fp16_ChangesProbabilitiesLittle) {
  torch::NoGradGuard no_gradients;
  RecognizerNet net = RandomRecognizer(RecognizerConfig(), 300);
  auto graph = ExportRecognizer(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_GT(graph::StoreAsHalf(&*graph), 10);
  auto written = Written(*graph);
  ASSERT_TRUE(written.ok()) << written.status().message();
  auto session = MakeSession(*written);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const torch::Tensor pictures = RandomPictures(1, 32, 256);
  const auto got = RunPicture(**session, pictures);
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_LT(LargestDifference(*got, torch::softmax(net->forward(pictures), 2)),
            kHalfTolerance);
}

void ExpectDetectorsAgree(const DetectorConfig& config) {
  torch::NoGradGuard no_gradients;
  DetectorNet net = RandomDetector(config);
  auto graph = ExportDetector(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  auto written = Written(*graph);
  ASSERT_TRUE(written.ok()) << written.status().message();
  auto session = MakeSession(*written);
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (const auto& [height, width] : {std::pair(64, 160), std::pair(224, 96)}) {
    const torch::Tensor pages = RandomPictures(1, height, width);
    const auto got = RunPicture(**session, pages);
    ASSERT_TRUE(got.ok()) << got.status().message();
    const torch::Tensor expected =
        torch::sigmoid(net->forward(pages).probability);
    EXPECT_LT(LargestDifference(*got, expected.permute({0, 2, 3, 1})),
              kTolerance)
        << height << " x " << width;
    EXPECT_GT(expected.std().item<double>(), 100 * kTolerance);
  }
}

TEST(ExportDetector, Outputs_AreThoseOfTheNetwork) {
  ExpectDetectorsAgree(DetectorConfig());
}

TEST(ExportDetector, OtherLayers_GiveTheSame) {
  DetectorConfig config;
  config.channels = {8, 12, 16, 20, 24};
  config.blocks = {0, 2, 0, 1};
  config.context_kernel = 0;
  config.pyramid_channels = 10;
  config.head_channels = 6;
  config.activation = Activation::kHardSwish;
  ExpectDetectorsAgree(config);
}

TEST(ExportDetector, SizeAndCost_StaySmall) {
  DetectorNet net = RandomDetector(DetectorConfig());
  auto graph = ExportDetector(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const auto macs = MultiplyAccumulates(*graph, 640, 640);
  ASSERT_TRUE(macs.ok()) << macs.status().message();
  EXPECT_LT(*macs, 1'500'000'000);
  graph::StoreAsHalf(&*graph);
  const auto bytes = tflite::Write(*graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_LT(bytes->size(), 1'000'000u);
  RecordProperty("multiply_accumulates", std::to_string(*macs));
  RecordProperty("bytes", std::to_string(bytes->size()));
}

TEST(ExportDetector, Fp16_ChangesProbabilitiesLittle) {
  torch::NoGradGuard no_gradients;
  DetectorNet net = RandomDetector(DetectorConfig());
  auto graph = ExportDetector(net);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_GT(graph::StoreAsHalf(&*graph), 10);
  auto session = MakeSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const torch::Tensor pages = RandomPictures(1, 128, 128);
  const auto got = RunPicture(**session, pages);
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_LT(
      LargestDifference(*got, torch::sigmoid(net->forward(pages).probability)
                                  .permute({0, 2, 3, 1})),
      kHalfTolerance);
}

}  // namespace
}  // namespace munja::train
