#include "reading/retry/line_retries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace munja::ocr {
namespace {

TEST(Grow, MovesEachSideByAFractionOfTheShorterOne) {
  const geometry::Quad quad = {{{10, 10}, {110, 10}, {110, 30}, {10, 30}}};
  const geometry::Quad grown = Grow(quad, 0.1f);
  const geometry::Quad wanted = {{{8, 8}, {112, 8}, {112, 32}, {8, 32}}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(grown[i].x, wanted[i].x, 1e-4);
    EXPECT_NEAR(grown[i].y, wanted[i].y, 1e-4);
  }
  const geometry::Quad point = {{{5, 5}, {5, 5}, {5, 5}, {5, 5}}};
  EXPECT_EQ(Grow(point, 0.1f), point);
}

Reading Read(const char* text, float confidence, float x) {
  return {{text, confidence}, {{{x, 0}, {x, 0}, {x, 0}, {x, 0}}}};
}

TEST(SecondLook, TheSurestCutCountsAndKeepsTheBox) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  text::CtcLine worse = {"b", 0.5f}, better = {"c", 0.51f};
  EXPECT_FALSE(TakeCut(worse, first, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_FALSE(TakeCut(better, first, reading));
  EXPECT_EQ(reading.text.text, "c");
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

TEST(SecondLook, ATextThatComesTwiceStandsAgainstASurerOne) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  text::CtcLine surer = {"b", 0.8f}, same = {"a", 0.4f};
  EXPECT_FALSE(TakeCut(surer, first, reading));
  EXPECT_EQ(reading.text.text, "b");
  EXPECT_TRUE(TakeCut(same, first, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.5f);
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

// All orders of confidence of a first reading, a third one and one that agrees
// with the first: what comes twice is the text.
TEST(SecondLook, ATextThatComesTwiceStandsWhateverTheConfidences) {
  for (const float first_sure : {0.4f, 0.6f, 0.8f}) {
    for (const float third_sure : {0.3f, 0.5f, 0.7f, 0.9f}) {
      for (const float same_sure : {0.35f, 0.55f, 0.65f, 0.85f}) {
        Reading reading = Read("a", first_sure, 7);
        const text::CtcLine first = reading.text;
        text::CtcLine third = {"b", third_sure}, same = {"a", same_sure};
        EXPECT_FALSE(TakeCut(third, first, reading));
        EXPECT_TRUE(TakeCut(same, first, reading));
        EXPECT_EQ(reading.text.text, "a")
            << first_sure << ", " << third_sure << ", " << same_sure;
        EXPECT_FLOAT_EQ(reading.text.confidence,
                        std::max(first_sure, same_sure));
      }
    }
  }
}

TEST(SecondLook, ASureCutEndsTheLooking) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  text::CtcLine nearly = {"b", 0.94f}, sure = {"c", 0.95f};
  EXPECT_FALSE(TakeCut(nearly, first, reading));
  EXPECT_TRUE(TakeCut(sure, first, reading));
  EXPECT_EQ(reading.text.text, "c");
}

TEST(SecondLook, ATextThatComesTwiceHasTheBetterConfidence) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  text::CtcLine same = {"a", 0.7f};
  EXPECT_TRUE(TakeCut(same, first, reading));
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.7f);
}

TEST(SecondLook, OtherCutsAreForWhatIsNearlyText) {
  EXPECT_TRUE(MayBecomeText(Read("a", 0.4f, 0)));
  EXPECT_FALSE(MayBecomeText(Read("a", 0.39f, 0)));
  EXPECT_FALSE(MayBecomeText(Read("", 0.0f, 0)));
}

TEST(SecondLook, AWholePageOfDoubtIsUnknownWriting) {
  EXPECT_TRUE(IsUnknownWriting(8, 8));
  EXPECT_TRUE(IsUnknownWriting(30, 40));
  EXPECT_FALSE(IsUnknownWriting(29, 40));
  EXPECT_FALSE(IsUnknownWriting(7, 7));
  EXPECT_FALSE(IsUnknownWriting(0, 0));
}

TEST(SecondLook, TheNarrowestLineWithEnoughLettersTellsMost) {
  constexpr int kHeight = 48;
  EXPECT_TRUE(TellsMore(240, 1000, kHeight));
  EXPECT_FALSE(TellsMore(1000, 240, kHeight));
  EXPECT_TRUE(TellsMore(1000, 239, kHeight));
  EXPECT_TRUE(TellsMore(239, 100, kHeight));
}

TEST(SecondLook, TakesTheClearlyBetterReadingUpsideDown) {
  Reading reading = Read("a", 0.5f, 7), turned = Read("b", 0.9f, 8);
  EXPECT_TRUE(TakeIfUpsideDown(turned, reading));
  EXPECT_EQ(reading.text.text, "b");
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.9f);
  EXPECT_EQ(reading.polygon[0], (geometry::Point{8, 0}));
}

TEST(SecondLook, StaysUprightWithoutAClearMargin) {
  Reading reading = Read("a", 0.5f, 7), turned = Read("b", 0.55f, 8);
  EXPECT_FALSE(TakeIfUpsideDown(turned, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

TEST(SecondLook, ManyLinesThatReadWellShowThatAPageIsUpright) {
  std::vector<Reading> page(8, Read("Total", 0.9f, 0));
  EXPECT_TRUE(StandsUpright(page));
  page.resize(16, Read("lejo", 0.89f, 0));
  EXPECT_TRUE(StandsUpright(page));
  page.push_back(Read("pod", 0.7f, 0));
  EXPECT_FALSE(StandsUpright(page));
  // Few lines, and those that may be read either way.
  EXPECT_FALSE(StandsUpright(std::vector<Reading>(7, Read("Total", 0.9f, 0))));
  EXPECT_FALSE(StandsUpright(std::vector<Reading>(9, Read("69", 0.99f, 0))));
}

TEST(SecondLook, WhatIsSureIsNotReadUpsideDown) {
  // Nothing could be clearly surer than 0.95.
  EXPECT_FALSE(MayBeUpsideDown(Read("a", 0.95f, 0)));
  EXPECT_TRUE(MayBeUpsideDown(Read("a", 0.9f, 0)));
  EXPECT_TRUE(MayBeUpsideDown(Read("a", 0.3f, 0)));
}

}  // namespace
}  // namespace munja::ocr
