#include "synth/make_language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "synth/testing.h"
#include "text/language_model.h"

namespace munja::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A recipe with these sources, of the letters a to e.
LanguageJob JobOf(const std::string& sources, const std::string& more = "") {
  test_files::Write("letters.txt", "a\nb\nc\nd\ne\nA\n'\n");
  LanguageJob job;
  job.recipe = test_files::Write(
      "language.json",
      "{\"alphabet\": \"letters.txt\", \"language\": {\"order\": 3, "
      "\"bytes\": 4000, \"letters\": [\"a-e\"]" +
          more + ", \"sources\": [" + sources + "]}}");
  job.out = job.recipe + ".lm";
  return job;
}

std::vector<uint8_t> BytesOf(const LanguageJob& job, LanguageReport* report) {
  const Status status = MakeLanguage(job, report);
  EXPECT_TRUE(status.ok()) << status.message();
  return ReadFile(job.out).value();
}

TEST(MakeLanguage, WordsAndTexts_AreCounted) {
  test_files::Write("w.txt", "bad\ncab\nAce\nzoo\n");
  test_files::Write("t.txt", "bad bad cab bad");
  LanguageReport report;
  const auto listed =
      BytesOf(JobOf("{\"words\": [\"w.txt\", \"absent.txt\"]}"), &report);
  EXPECT_EQ(report.words, 3u);  // The alphabet has no z.
  ASSERT_EQ(report.missing.size(), 1u);
  EXPECT_THAT(report.missing[0], HasSubstr("absent.txt"));
  EXPECT_EQ(report.bytes, listed.size());
  const auto model = text::LanguageModel::Parse(listed, nullptr);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ((*model)->order(), 3);
  EXPECT_EQ((*model)->letters(), 5u);
  EXPECT_EQ((*model)->size(), report.n_grams);

  const auto told = BytesOf(JobOf("{\"prose\": [\"t.txt\"]}"), &report);
  EXPECT_EQ(report.words, 4u);
  const auto spoken = text::LanguageModel::Parse(told, nullptr);
  const std::vector<text::LanguageModel::Symbol> start = {0};
  const auto b = (*spoken)->SymbolOf(U'b'), c = (*spoken)->SymbolOf(U'c');
  EXPECT_GT((*spoken)->LogProbability(start, b),
            (*spoken)->LogProbability(start, c));
  // Again, the same.
  EXPECT_EQ(BytesOf(JobOf("{\"prose\": [\"t.txt\"]}"), &report), told);
}

TEST(MakeLanguage, Shares_AreOfAllWords) {
  test_files::Write("b.txt", "bad\nbed\nbee\nbad\n");
  test_files::Write("c.txt", "cab\n");
  LanguageReport report;
  const auto p = [&](const char* shares_of_c, char32_t letter) {
    const auto bytes =
        BytesOf(JobOf("{\"words\": [\"b.txt\"]}, {\"words\": [\"c.txt\"], "
                      "\"share\": " +
                      std::string(shares_of_c) + "}"),
                &report);
    const auto model = text::LanguageModel::Parse(bytes, nullptr);
    const std::vector<text::LanguageModel::Symbol> start = {0};
    return (*model)->LogProbability(start, (*model)->SymbolOf(letter));
  };
  EXPECT_GT(p("3", U'c'), p("3", U'b'));
  EXPECT_LT(p("0.2", U'c'), p("0.2", U'b'));
}

TEST(MakeLanguage, WordsToMeasureOn_AreOmitted) {
  test_files::Write("w.txt", "bad\ncab\nAce\n");
  LanguageJob job = JobOf("{\"words\": [\"w.txt\"]}");
  job.without = test_files::Write("held.txt", "a Cab, (ace) x");
  LanguageReport report;
  BytesOf(job, &report);
  EXPECT_EQ(report.words, 1u);
  EXPECT_EQ(report.left_out, 2u);
}

TEST(MakeLanguage, WordsOfASource_AreLimited) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += i < 50 ? "bad\n" : "cab\n";
  test_files::Write("w.txt", words);
  LanguageReport report;
  BytesOf(JobOf("{\"words\": [\"w.txt\"], \"count\": 10}"), &report);
  EXPECT_EQ(report.words, 10u);
}

TEST(MakeLanguage, Mistakes_AreNamed) {
  test_files::Write("w.txt", "bad\n");
  const auto why = [](const LanguageJob& job) {
    LanguageReport report;
    const Status status = MakeLanguage(job, &report);
    EXPECT_FALSE(status.ok());
    return std::string(status.message());
  };
  const std::string good = "{\"words\": [\"w.txt\"]}";
  EXPECT_THAT(why(JobOf("")), HasSubstr("language.sources"));
  EXPECT_THAT(why(JobOf("{}")), HasSubstr("one of words, prose, rule"));
  EXPECT_THAT(why(JobOf("{\"word\": []}")), HasSubstr("sources[0].word"));
  EXPECT_THAT(why(JobOf(good, ", \"order\": 9")), HasSubstr("order"));
  EXPECT_THAT(why(JobOf(good, ", \"letters\": [\"가\"]")),
              HasSubstr("language.letters"));
  EXPECT_THAT(why(JobOf(good, ", \"order\": 6, \"bytes\": 100")),
              HasSubstr("at least"));
  EXPECT_THAT(why(JobOf("{\"words\": [\"absent.txt\"]}")),
              HasSubstr("no words"));
  LanguageJob job = JobOf(good);
  job.recipe = "/absent.json";
  EXPECT_THAT(why(job), HasSubstr("/absent.json"));
}

}  // namespace
}  // namespace munja::train
