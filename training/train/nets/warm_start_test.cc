#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/half_storage.h"
#include "text/hangul_letters.h"
#include "text/utf8.h"
#include "train/nets/export.h"
#include "train/nets/testing.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;
using testing::LargestDifference;
using testing::RandomizeNormalization;
using testing::RandomPictures;
using testing::SmallRecognizer;

// Folding and unfolding a normalization is float arithmetic on weights.
constexpr double kFoldingTolerance = 1e-4;

RecognizerNet Trained(int classes) {
  torch::manual_seed(5);
  RecognizerNet net(SmallRecognizer(), classes);
  RandomizeNormalization(*net);
  net->eval();
  return net;
}

TEST(InitializeFrom, Recognizer_GivesWhatTheModelGives) {
  torch::NoGradGuard no_gradients;
  RecognizerNet old = Trained(5);
  const std::vector<std::string> alphabet = {"a", "b", "c"};
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(SmallRecognizer(), 5);
  net->eval();
  const Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(2, 32, 128);
  EXPECT_LT(LargestDifference(net->forward(pictures), old->forward(pictures)),
            kFoldingTolerance);
}

TEST(InitializeFrom, FurtherContextBlocks_ChangeNothingUntilTrained) {
  RecognizerNet old = Trained(5);
  const std::vector<std::string> alphabet = {"a", "b", "c"};
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerConfig deeper = SmallRecognizer();
  deeper.context_blocks += 2;
  RecognizerNet net(deeper, 5);
  net->eval();
  const Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(2, 32, 128);
  const torch::Tensor scores = net->forward(pictures);
  EXPECT_LT(LargestDifference(scores, old->forward(pictures)),
            kFoldingTolerance);
  // The new blocks learn: their last layer has a gradient.
  scores.square().sum().backward();
  for (const auto& parameter : net->context.back()->project->parameters())
    if (parameter.dim() == 1) {
      EXPECT_GT(parameter.grad().abs().max().item<float>(), 0.0f);
    }
}

TEST(InitializeFrom, Fp16Weights_AreReadToo) {
  torch::NoGradGuard no_gradients;
  RecognizerNet old = Trained(5);
  const std::vector<std::string> alphabet = {"a", "b", "c"};
  auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_GT(graph::StoreAsHalf(&*graph), 5);
  auto session = testing::MakeSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status().message();
  RecognizerNet net(SmallRecognizer(), 5);
  net->eval();
  const Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor picture = RandomPictures(1, 32, 128);
  const auto expected = testing::RunPicture(**session, picture);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  EXPECT_LT(
      LargestDifference(torch::softmax(net->forward(picture), 2), *expected),
      kFoldingTolerance);
}

TEST(InitializeFrom, RowsOfTheHead_GoByCharacter) {
  torch::NoGradGuard no_gradients;
  RecognizerNet old = Trained(5);
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(SmallRecognizer(), 6);
  net->eval();
  const Status status =
      InitializeFrom(net, *graph, {"a", "b", "c"}, {"c", "new", "b", "a"});
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(1, 32, 128);
  const torch::Tensor before = old->forward(pictures);
  const torch::Tensor after = net->forward(pictures);
  // New class -> old class: blank, c, b, a, space.
  const int64_t pairs[][2] = {{0, 0}, {1, 3}, {3, 2}, {4, 1}, {5, 4}};
  for (const auto& [now, then] : pairs)
    EXPECT_LT(LargestDifference(after.select(2, now), before.select(2, then)),
              kFoldingTolerance);
  // The new character is never the best one.
  EXPECT_EQ((after.argmax(2) == 2).sum().item<int64_t>(), 0);
}

std::vector<std::string> WithAllSyllables(std::vector<std::string> alphabet) {
  for (char32_t c = U'가'; c <= U'힣'; ++c)
    alphabet.push_back(text::EncodeUtf8(std::u32string(1, c)));
  return alphabet;
}

RecognizerConfig WithLetters() {
  RecognizerConfig config = SmallRecognizer();
  config.hangul_letters = true;
  return config;
}

TEST(InitializeFrom, LettersOfLetters_GiveWhatTheModelGives) {
  torch::NoGradGuard no_gradients;
  torch::manual_seed(5);
  constexpr int kWhole = 5;  // Blank, a, b, any syllable, space.
  RecognizerNet old(WithLetters(), kWhole + text::HangulLetters::kLetters);
  RandomizeNormalization(*old);
  old->eval();
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(WithLetters(), old->classes());
  net->eval();
  const Status status = InitializeFrom(
      net, *graph, WithAllSyllables({"a", "b"}), WithAllSyllables({"b", "a"}));
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(1, 32, 128);
  const torch::Tensor before = old->forward(pictures);
  torch::Tensor after = net->forward(pictures);
  after = after.index_select(
      2, torch::cat({torch::tensor({0, 2, 1}),
                     torch::arange(3, old->classes(), torch::kLong)}));
  EXPECT_LT(LargestDifference(after, before), kFoldingTolerance);
}

// Where the rows of syllables are sums of their letters' rows, so are those
// that are found: the differences of two syllables' scores stay.
TEST(InitializeFrom, SyllablesAsSumsOfLetters_BecomeTheseLetters) {
  torch::NoGradGuard no_gradients;
  using Letters = text::HangulLetters;
  const std::vector<std::string> alphabet = WithAllSyllables({"a"});
  RecognizerNet old = Trained(static_cast<int>(alphabet.size()) + 2);
  const int64_t channels = old->head->weight.size(1);
  const torch::Tensor initials =
                          torch::randn({Letters::kInitials, 1, 1, channels}),
                      vowels = torch::randn({1, Letters::kVowels, 1, channels}),
                      finals = torch::randn({1, 1, Letters::kFinals, channels});
  old->head->weight.slice(0, 2, 2 + Letters::kSyllables)
      .copy_((initials + vowels + finals)
                 .reshape({Letters::kSyllables, channels, 1, 1}));
  old->head->bias.zero_();
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(WithLetters(), 4 + Letters::kLetters);
  net->eval();
  const Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(1, 32, 128);
  const torch::Tensor before = old->forward(pictures);
  const torch::Tensor after = net->forward(pictures);
  // 각 against 감 differs by the final letter alone: ㄱ and ㅁ.
  const int64_t finals_at = 4 + Letters::kInitials + Letters::kVowels;
  const torch::Tensor wanted =
      before.select(2, 2 + 1) - before.select(2, 2 + 16);
  const torch::Tensor got =
      after.select(2, finals_at + 1) - after.select(2, finals_at + 16);
  // The equations have a small ridge, which moves sums by a thousandth.
  EXPECT_LT(LargestDifference(got, wanted),
            0.01 * wanted.abs().max().item<double>());
}

TEST(InitializeFrom, LettersForANetworkWithoutThem_AreRefused) {
  RecognizerNet old(WithLetters(), 5 + text::HangulLetters::kLetters);
  old->eval();
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(SmallRecognizer(), 5);
  const Status status = InitializeFrom(
      net, *graph, WithAllSyllables({"a", "b"}), {"a", "b", "각"});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("hangul_letters"));
}

TEST(InitializeFrom, AlphabetWithoutHangul_LeavesTheLettersOut) {
  torch::NoGradGuard no_gradients;
  torch::manual_seed(6);
  RecognizerNet old(WithLetters(), 5 + text::HangulLetters::kLetters);
  RandomizeNormalization(*old);
  old->eval();
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerNet net(SmallRecognizer(), 5);
  net->eval();
  const Status status = InitializeFrom(
      net, *graph, WithAllSyllables({"a", "b"}), {"b", "new", "a"});
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(1, 32, 128);
  const torch::Tensor before = old->forward(pictures);
  const torch::Tensor after = net->forward(pictures);
  // New class -> old class: blank, b, a, space, behind any syllable.
  const int64_t pairs[][2] = {{0, 0}, {1, 2}, {3, 1}, {4, 4}};
  for (const auto& [now, then] : pairs)
    EXPECT_LT(LargestDifference(after.select(2, now), before.select(2, then)),
              kFoldingTolerance);
}

TEST(InitializeFrom, BottleneckAsWideAsTheHeadsRank_ChangesNothing) {
  torch::NoGradGuard no_gradients;
  RecognizerNet old = Trained(5);
  const std::vector<std::string> alphabet = {"a", "b", "c"};
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerConfig config = SmallRecognizer();
  config.bottleneck = 6;  // Five classes have a rank of five at most.
  RecognizerNet net(config, 5);
  net->eval();
  Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pictures = RandomPictures(2, 32, 128);
  EXPECT_LT(LargestDifference(net->forward(pictures), old->forward(pictures)),
            kFoldingTolerance);

  // And from a model that has one.
  const auto split = ExportRecognizer(net);
  ASSERT_TRUE(split.ok()) << split.status().message();
  RecognizerNet again(config, 5);
  again->eval();
  status = InitializeFrom(again, *split, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_LT(LargestDifference(again->forward(pictures), net->forward(pictures)),
            kFoldingTolerance);
}

TEST(InitializeFrom, NarrowBottleneck_KeepsTheMostThatItCan) {
  torch::NoGradGuard no_gradients;
  RecognizerNet old = Trained(9);
  const std::vector<std::string> alphabet = {"a", "b", "c", "d", "e", "f", "g"};
  const auto graph = ExportRecognizer(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  RecognizerConfig config = SmallRecognizer();
  config.bottleneck = 3;
  RecognizerNet net(config, 9);
  const Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  ASSERT_TRUE(status.ok()) << status.message();
  // The loss is the rest of the singular values (Eckart and Young 1936).
  const torch::Tensor before = old->head->weight.flatten(1);
  const torch::Tensor now =
      net->head->weight.flatten(1).matmul(net->bottleneck->weight.flatten(1));
  const torch::Tensor rest = torch::linalg_svdvals(before).slice(0, 3);
  EXPECT_NEAR((now - before).norm().item<double>(), rest.norm().item<double>(),
              kFoldingTolerance);
}

TEST(InitializeFrom, Detector_GivesWhatTheModelGives) {
  torch::NoGradGuard no_gradients;
  torch::manual_seed(6);
  DetectorNet old((DetectorConfig()));
  RandomizeNormalization(*old);
  old->eval();
  const auto graph = ExportDetector(old);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  DetectorNet net((DetectorConfig()));
  net->eval();
  const Status status = InitializeFrom(net, *graph);
  ASSERT_TRUE(status.ok()) << status.message();
  const torch::Tensor pages = RandomPictures(1, 96, 64);
  EXPECT_LT(LargestDifference(net->forward(pages).probability,
                              old->forward(pages).probability),
            kFoldingTolerance);
}

TEST(InitializeFrom, LayerThatDoesNotFit_IsNamed) {
  const auto graph = ExportRecognizer(Trained(5));
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const std::vector<std::string> alphabet = {"a", "b", "c"};
  RecognizerConfig wider = SmallRecognizer();
  wider.channels[2] = 24;
  RecognizerNet net(wider, 5);
  Status status = InitializeFrom(net, *graph, alphabet, alphabet);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("column3"));
  RecognizerConfig shallower = SmallRecognizer();
  --shallower.context_blocks;
  RecognizerNet shallow(shallower, 5);
  status = InitializeFrom(shallow, *graph, alphabet, alphabet);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("head"));
  RecognizerNet same(SmallRecognizer(), 5);
  status = InitializeFrom(same, *graph, {"a", "b"}, alphabet);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("5 classes"));
  status = InitializeFrom(same, *graph, alphabet, {"a"});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  DetectorNet detector((DetectorConfig()));
  EXPECT_EQ(InitializeFrom(detector, *graph).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::train
