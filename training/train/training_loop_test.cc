#include "train/training_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/file.h"

namespace munja::train {
namespace {

class CountingTask : public TrainingTask {
 public:
  Result<StepReport> Step(double, uint64_t step) override {
    steps.push_back(step);
    if (stop && steps.size() == 5) *stop = true;
    StepReport report;
    report.loss = diverges ? NAN : 1.0;
    report.images = 4;
    return report;
  }
  Result<std::vector<SetFigures>> Evaluate() override {
    ++evaluations;
    return std::vector<SetFigures>{{"held-out", {{"accuracy", 0.5}}}};
  }
  Result<Checkpoint> Save() override {
    Checkpoint c;
    c.kind = "counting";
    c.progress = nlohmann::json::object();
    return c;
  }
  std::vector<uint64_t> steps;
  int evaluations = 0;
  bool diverges = false;
  std::atomic<bool>* stop = nullptr;
};

class TrainingLoopTest : public testing::Test {
 protected:
  TrainingLoopTest() {
    options_.checkpoint = testing::TempDir() + "training_loop_test.ckpt";
    std::remove(options_.checkpoint.c_str());
    schedule_.steps = 20;
  }
  Status Run(TrainingProgress from = {}) {
    auto log = TrainingLog::Open(options_.log, nullptr);
    EXPECT_TRUE(log.ok());
    return RunTraining(options_, schedule_, Pace(), from, task_, *log);
  }
  TrainOptions options_;
  Schedule schedule_;
  CountingTask task_;
};

TEST_F(TrainingLoopTest, End_IsEvaluated) {
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(task_.steps.size(), 20u);
  EXPECT_EQ(task_.evaluations, 1);
  auto checkpoint = ReadCheckpoint(options_.checkpoint);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_EQ(checkpoint->progress["training"]["step"], 20);
  EXPECT_EQ(checkpoint->progress["training"]["images"], 80);
}

TEST_F(TrainingLoopTest, Curves_AreDrawnAtEachEvaluation) {
  options_.log = testing::TempDir() + "training_loop_test.jsonl";
  options_.plot = testing::TempDir() + "training_loop_test.png";
  std::remove(options_.log.c_str());
  std::remove(options_.plot.c_str());
  ASSERT_TRUE(Run().ok());
  const auto bytes = ReadFile(options_.plot);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  ASSERT_GE(bytes->size(), 8u);
  EXPECT_EQ(std::string(bytes->begin() + 1, bytes->begin() + 4), "PNG");
}

TEST_F(TrainingLoopTest, SeveralRuns_AreOneTraining) {
  options_.steps = 12;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(task_.steps.size(), 12u);
  options_.resume = true;
  auto start = StartTraining(options_, "counting");
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(start->resumes);
  ASSERT_TRUE(Run(start->progress).ok());
  ASSERT_EQ(task_.steps.size(), 20u);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(task_.steps[i], i);
}

TEST_F(TrainingLoopTest, Stop_IsOrderly) {
  std::atomic<bool> stop = false;
  options_.stop = task_.stop = &stop;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(task_.steps.size(), 5u);
  EXPECT_EQ(task_.evaluations, 0);
  auto checkpoint = ReadCheckpoint(options_.checkpoint);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_EQ(checkpoint->progress["training"]["step"], 5);
}

TEST_F(TrainingLoopTest, NanLoss_EndsTheRunWithoutACheckpoint) {
  task_.diverges = true;
  EXPECT_EQ(Run().code(), Code::kInternal);
  EXPECT_EQ(ReadCheckpoint(options_.checkpoint).status().code(),
            Code::kNotFound);
}

TEST_F(TrainingLoopTest, Checkpoint_IsNotOverwrittenWithoutResume) {
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(StartTraining(options_, "counting").status().code(),
            Code::kInvalidArgument);
  options_.resume = true;
  const auto start = StartTraining(options_, "detector");
  ASSERT_FALSE(start.ok());
  EXPECT_EQ(start.status().message(),
            options_.checkpoint +
                " is the checkpoint of a counting, wants a detector");
  options_.checkpoint += ".new";
  auto fresh = StartTraining(options_, "detector");
  ASSERT_TRUE(fresh.ok());
  EXPECT_FALSE(fresh->resumes);
}

}  // namespace
}  // namespace munja::train
