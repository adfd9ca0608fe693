#include "train/line_feeder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "train/testing.h"

namespace munja::train {
namespace {

LineFeedSettings Settings() {
  LineFeedSettings s;
  s.batch_columns = 512;
  s.max_batch = 8;
  s.chunk_lines = 32;
  s.max_width = 128;
  return s;
}

class LineFeederTest : public testing::Test {
 protected:
  std::vector<LineBatch> Take(size_t count, int threads, FeedPosition start,
                              FeedPosition* end = nullptr) {
    LineFeeder feeder(BarLines(3), &classes_, Settings(), 9, threads, start);
    std::vector<LineBatch> batches;
    for (size_t i = 0; i < count; ++i) {
      auto batch = feeder.Next();
      EXPECT_TRUE(batch.ok());
      batches.push_back(std::move(batch).value());
    }
    if (end) *end = feeder.position();
    return batches;
  }

  static void ExpectSame(const LineBatch& a, const LineBatch& b) {
    EXPECT_EQ(a.width, b.width);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_TRUE(a.pixels == b.pixels);
  }

  CharacterClasses classes_ =
      std::move(CharacterClasses::Create(BarAlphabet())).value();
};

TEST_F(LineFeederTest, Batches_DoNotDependOnTheNumberOfThreads) {
  const auto one = Take(30, 1, {}), four = Take(30, 4, {});
  for (size_t i = 0; i < one.size(); ++i) ExpectSame(one[i], four[i]);
}

TEST_F(LineFeederTest, Resumed_GoesOnWhereAnotherOneStopped) {
  const auto whole = Take(20, 2, {});
  FeedPosition middle;
  Take(13, 2, {}, &middle);
  EXPECT_GT(middle.chunk, 0u);
  EXPECT_GT(middle.batch, 0u);
  const auto rest = Take(7, 2, middle);
  for (size_t i = 0; i < rest.size(); ++i) ExpectSame(rest[i], whole[13 + i]);
}

TEST_F(LineFeederTest, ReusedLines_ComeAsOftenAsAsked) {
  LineFeedSettings settings = Settings();
  settings.reuse = 3;
  LineFeeder feeder(BarLines(3), &classes_, settings, 9, 2, {});
  size_t lines = 0;
  while (feeder.position().chunk == 0 && lines <= 96) {
    auto batch = feeder.Next();
    ASSERT_TRUE(batch.ok());
    if (feeder.position().chunk == 0) lines += batch->labels.size();
  }
  EXPECT_EQ(lines, 96u);  // The batch that is too much is of chunk 1.
}

TEST_F(LineFeederTest, FailuresOfTheMaker_AreHandedOn) {
  const auto broken = [](uint64_t index) -> Result<LineSample> {
    if (index == 5) return NotFound("font gone");
    return BarLines(1)(index);
  };
  LineFeeder feeder(broken, &classes_, Settings(), 1, 2, {});
  auto batch = feeder.Next();
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().message(), "sample 5: font gone");
}

TEST_F(LineFeederTest, SamplesOutsideOfTheAlphabet_AreSkippedAndCounted) {
  const auto mixed = [](uint64_t index) -> Result<LineSample> {
    auto sample = BarLines(1)(index);
    if (sample.ok() && index % 4 == 0) sample->text = "x";
    return sample;
  };
  LineFeeder feeder(mixed, &classes_, Settings(), 1, 1, {});
  size_t lines = 0;
  while (lines < 24) {
    auto batch = feeder.Next();
    ASSERT_TRUE(batch.ok());
    lines += batch->labels.size();
  }
  EXPECT_EQ(lines, 24u);  // 8 of the first 32 are left out.
  EXPECT_GE(feeder.skipped(), 8u);
  const auto none = [](uint64_t index) -> Result<LineSample> {
    auto sample = BarLines(1)(index);
    if (sample.ok()) sample->text = "x";
    return sample;
  };
  LineFeeder hopeless(none, &classes_, Settings(), 1, 1, {});
  EXPECT_EQ(hopeless.Next().status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::train
