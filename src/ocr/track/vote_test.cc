#include "track/vote.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace munja::track {
namespace {

std::string Voted(const std::vector<std::string>& readings) {
  return Vote(readings);
}

TEST(Vote, OfNone_IsEmpty) { EXPECT_EQ(Voted({}), ""); }

TEST(Vote, OfOne_IsTheReading) { EXPECT_EQ(Voted({"가나 漢"}), "가나 漢"); }

TEST(Vote, ErrorsInDifferentPlaces_AreOutvoted) {
  EXPECT_EQ(Voted({"he1lo world", "hello w0rld", "hello worid"}),
            "hello world");
}

TEST(Vote, MissingAndAddedCharacters_AreOutvoted) {
  EXPECT_EQ(Voted({"helo world", "hello world", "hello  world"}),
            "hello world");
  EXPECT_EQ(Voted({"xhello", "hello", "hellox"}), "hello");
}

TEST(Vote, Tie_TakesTheEarliest) { EXPECT_EQ(Voted({"cat", "cut"}), "cat"); }

TEST(Vote, CutReadings_DoNotShortenTheText) {
  EXPECT_EQ(Voted({"total 12.50", "total 12.50", "total"}), "total 12.50");
}

TEST(Similarity, OfTexts_IsOneLessTheShareOfEdits) {
  EXPECT_FLOAT_EQ(Similarity("", ""), 1);
  EXPECT_FLOAT_EQ(Similarity("abcd", "abcx"), 0.75f);
  EXPECT_FLOAT_EQ(Similarity("ab", "xy"), 0);
}

}  // namespace
}  // namespace munja::track
