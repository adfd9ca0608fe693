#include "train/schedule.h"

#include <gtest/gtest.h>

namespace munja::train {
namespace {

Schedule OfSteps(uint64_t steps) {
  Schedule s;
  s.steps = steps;
  s.learning_rate = 0.01f;
  s.final_rate = 0.1f;
  s.warmup_steps = 9;
  return s;
}

TEST(ScheduleTest, Rate_RisesToThePeakThenFallsByHalfACosine) {
  const Schedule s = OfSteps(1000);
  // Tolerances: the recipe's numbers are single precision.
  EXPECT_NEAR(s.LearningRate(0, 0), 0.001, 1e-6);
  EXPECT_NEAR(s.LearningRate(4, 0), 0.005, 1e-6);
  EXPECT_NEAR(s.LearningRate(9, 0), 0.01, 1e-5);
  EXPECT_NEAR(s.LearningRate(500, 0), 0.01 * (0.1 + 0.9 * 0.5), 1e-6);
  EXPECT_NEAR(s.LearningRate(1000, 0), 0.001, 1e-6);
  EXPECT_NEAR(s.LearningRate(5000, 0), 0.001, 1e-6);
}

TEST(ScheduleTest, Minutes_CountWhereNoStepsAreGiven) {
  Schedule s = OfSteps(0);
  s.minutes = 10;
  EXPECT_DOUBLE_EQ(s.Progress(123456, 300), 0.5);
  EXPECT_DOUBLE_EQ(s.Progress(0, 601), 1);
  EXPECT_DOUBLE_EQ(OfSteps(100).Progress(25, 1e9), 0.25);
}

TEST(ScheduleTest, Measure_IsExactlyOne) {
  Schedule s = OfSteps(10);
  EXPECT_TRUE(s.Validate("r").ok());
  s.minutes = 1;
  EXPECT_EQ(s.Validate("recognizer.training").message(),
            "recognizer.training wants either 'minutes' or 'steps'");
  EXPECT_EQ(OfSteps(0).Validate("r").code(), Code::kMalformed);
}

TEST(ScheduleTest, ValuesOutOfRange_AreNamed) {
  Schedule s = OfSteps(10);
  s.learning_rate = 7;
  EXPECT_EQ(s.Validate("r").message(), "r.learning_rate is 7, wants 0 to 1");
  OptimizerSettings o;
  o.average = 1;
  EXPECT_EQ(o.Validate("r").code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::train
