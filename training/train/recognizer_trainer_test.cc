#include "train/recognizer_trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "base/file.h"
#include "train/character_classes.h"
#include "train/checkpoint.h"
#include "train/export_checkpoint.h"
#include "train/line_teacher.h"
#include "train/testing.h"
#include "train/training_log.h"

namespace munja::train {
namespace {

constexpr char kRecipe[] = R"({"recognizer": {
  "network": {"channels": [8, 16, 24, 32], "blocks": [0, 0, 0],
              "context_blocks": 1, "dropout": 0.1},
  "training": {"steps": STEPS, "learning_rate": 0.008, "warmup_steps": 10,
               "batch_columns": 2048, "max_batch": 32, "chunk_lines": 256,
               "max_width": 128, "held_out": 200, "average": 0.95}}})";

class RecognizerTrainerTest : public testing::Test {
 protected:
  RecognizerTrainerTest() {
    data_.alphabet = BarAlphabet();
    data_.training = BarLines(1);
    data_.open_held_out = [] { return Result<LineFeeder::Maker>(BarLines(2)); };
    // Sums of one thread come in one order, so that runs can be compared.
    options_.threads = 1;
  }
  std::string Path(const std::string& name) {
    const std::string path = testing::TempDir() + "recognizer_trainer_" + name;
    std::remove(path.c_str());
    return path;
  }
  void UseRecipe(int steps) {
    std::string text = kRecipe;
    text.replace(text.find("STEPS"), 5, std::to_string(steps));
    options_.recipe = Path("recipe.json");
    ASSERT_TRUE(WriteFile(options_.recipe, text).ok());
  }
  TrainOptions options_;
  RecognizerData data_;
};

class RecognizerThreadsTest : public RecognizerTrainerTest,
                              public testing::WithParamInterface<int> {};

// One thread computes in bfloat16 where the processor has instructions for it,
// two never do.
INSTANTIATE_TEST_SUITE_P(Threads, RecognizerThreadsTest, testing::Values(1, 2));

TEST_P(RecognizerThreadsTest, Training_LearnsToReadAndLogsHowWell) {
  UseRecipe(250);
  options_.threads = GetParam();
  options_.checkpoint = Path("learns.ckpt");
  options_.log = Path("learns.jsonl");
  const Status status = TrainRecognizer(options_, data_);
  ASSERT_TRUE(status.ok()) << status.message();
  auto log = ReadTrainingLog(options_.log);
  ASSERT_TRUE(log.ok());
  ASSERT_FALSE(log->empty());
  const nlohmann::json& last = log->back();
  EXPECT_EQ(last["set"], "held-out");
  EXPECT_EQ(last["step"], 250);
  EXPECT_EQ(last["lines"], 200);
  // Clean patterns of bars; trainings end near 1.
  EXPECT_GT(last["accuracy"], 0.9);
  EXPECT_LT(last["cer"], 0.03);
}

TEST_F(RecognizerTrainerTest, InterruptedTraining_EndsAsOneThatWasNot) {
  UseRecipe(12);
  options_.checkpoint = Path("whole.ckpt");
  ASSERT_TRUE(TrainRecognizer(options_, data_).ok());
  auto whole = ReadCheckpoint(options_.checkpoint);
  ASSERT_TRUE(whole.ok());

  options_.checkpoint = Path("parts.ckpt");
  options_.resume = true;
  options_.steps = 5;
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(TrainRecognizer(options_, data_).ok());
  auto parts = ReadCheckpoint(options_.checkpoint);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts->progress["training"]["step"], 12);
  EXPECT_EQ(parts->progress["feed"], whole->progress["feed"]);
  ASSERT_EQ(parts->tensors.size(), whole->tensors.size());
  for (const auto& [name, tensor] : whole->tensors)
    EXPECT_TRUE(tensor.values == parts->tensors[name].values) << name;
}

// A teacher at the start of its own training: what it says is in no label.
TEST_F(RecognizerTrainerTest, Teacher_IsLearnedOfAsItReads) {
  const auto trained = [&](const std::string& name, const std::string& member,
                           int steps) {
    UseRecipe(steps);
    if (!member.empty()) {
      std::string text = kRecipe;
      text.replace(text.find("STEPS"), 5, std::to_string(steps) + member);
      EXPECT_TRUE(WriteFile(options_.recipe, text).ok());
    }
    options_.checkpoint = Path(name);
    const Status status = TrainRecognizer(options_, data_);
    EXPECT_TRUE(status.ok()) << status.message();
    const std::string model = Path(name + ".tflite");
    EXPECT_TRUE(ExportCheckpoint(options_.checkpoint, model, {}).ok());
    return model;
  };
  const std::string teacher = trained("teacher", "", 3);
  const std::string member =
      R"(, "distillation": {"weight": 20, "teacher": ")" + teacher + R"("})";
  const std::string taught = trained("taught", member, 40);
  const std::string alone = trained("alone", "", 40);
  const auto classes = CharacterClasses::Create(BarAlphabet());
  ASSERT_TRUE(classes.ok());
  LineFeeder feeder(BarLines(3), &*classes, {}, 1, 1, {});
  const Result<LineBatch> batch = feeder.Next();
  ASSERT_TRUE(batch.ok());
  const auto distance = [&](const std::string& model) {
    auto a = LineTeacher::Load(teacher, BarAlphabet(), 1);
    auto b = LineTeacher::Load(model, BarAlphabet(), 1);
    EXPECT_TRUE(a.ok() && b.ok());
    const auto x = a->Read(*batch), y = b->Read(*batch);
    EXPECT_TRUE(x.ok() && y.ok());
    double sum = 0;
    for (size_t i = 0; i < x->size(); ++i) sum += std::abs((*x)[i] - (*y)[i]);
    return sum;
  };
  EXPECT_LT(distance(taught), 0.5 * distance(alone));

  data_.alphabet.push_back("x");
  options_.checkpoint = Path("other_teacher.ckpt");
  std::string text = kRecipe;
  text.replace(text.find("STEPS"), 5, "1" + member);
  ASSERT_TRUE(WriteFile(options_.recipe, text).ok());
  const Status status = TrainRecognizer(options_, data_);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("reads another alphabet"), std::string::npos)
      << status.message();
}

TEST_F(RecognizerTrainerTest, CheckpointsOfOtherNetworks_AreRefusedByName) {
  UseRecipe(2);
  options_.checkpoint = Path("other.ckpt");
  ASSERT_TRUE(TrainRecognizer(options_, data_).ok());
  options_.resume = true;
  data_.alphabet.push_back("x");
  Status status = TrainRecognizer(options_, data_);
  EXPECT_EQ(status.message(),
            options_.checkpoint + " was trained with another alphabet");
  data_.alphabet.pop_back();
  std::string text = kRecipe;
  text.replace(text.find("STEPS"), 5, "4");
  text.replace(text.find("24, 32"), 6, "24, 40");
  ASSERT_TRUE(WriteFile(options_.recipe, text).ok());
  status = TrainRecognizer(options_, data_);
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_NE(status.message().find("belongs to another network"),
            std::string::npos)
      << status.message();
}

TEST_F(RecognizerTrainerTest, MistakesInTheRecipe_AreNamed) {
  options_.recipe = Path("wrong.json");
  options_.checkpoint = Path("wrong.ckpt");
  const auto message = [&](const std::string& text) {
    EXPECT_TRUE(WriteFile(options_.recipe, text).ok());
    return std::string(TrainRecognizer(options_, data_).message());
  };
  EXPECT_EQ(message("{}"),
            options_.recipe + ": there is no section 'recognizer'");
  EXPECT_NE(message(R"({"recognizer": {"training": {"stepz": 3}}})")
                .find("recognizer.training.stepz"),
            std::string::npos);
  EXPECT_NE(message(R"({"recognizer": {"training":
                    {"steps": 3, "changes": {"noise": 2}}}})")
                .find("recognizer.training.changes.noise is 2"),
            std::string::npos);
  EXPECT_FALSE(IsRegularFile(options_.checkpoint));
}

}  // namespace
}  // namespace munja::train
