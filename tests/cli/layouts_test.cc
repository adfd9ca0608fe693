// Layouts that rules of reading once broke: small drawn pages, read with the
// bundle of the sources and, where there is one, with published models.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

// The share of its words that are found on a page of the test data.
double WordsFound(const std::string& page, const std::string& bundle) {
  const Outcome outcome =
      Munja({"eval", "--json", "--quiet", "--model", bundle, "--labels",
             TestData("labels/" + page + ".jsonl")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  if (outcome.exit_code != 0) return 0;
  return nlohmann::json::parse(outcome.out)["word_f1"].get<double>();
}

void ExpectFound(const std::string& page, double least) {
  EXPECT_GE(WordsFound(page, DefaultBundle()), least) << "default model";
  const std::string published = PublishedBundle();
  if (published.empty()) return;
  EXPECT_GE(WordsFound(page, published), least) << "published model";
}

void ExpectText(const std::string& page, const std::string& text) {
  const Outcome outcome = Munja({"read", "--quiet", "--model", DefaultBundle(),
                                 TestData("pictures/" + page + ".png")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, text);
}

// Its columns are found as tall boxes, which are no lines on their sides.
TEST(Layouts, TightTableOfNumbers_KeepsItsCells) {
  ExpectFound("tight_table", 0.95);
}

// No box is long enough to show by its shape how the page lies.
TEST(Layouts, PageOfShortCells_IsTurnedAsItsTextReads) {
  ExpectFound("short_cells", 0.95);
}

TEST(Layouts, LineUpsideDown_IsReadAmongUprightOnes) {
  ExpectFound("upside_down_line", 0.99);
}

// Each line alone may be read upside down; together they say how they lie.
TEST(Layouts, NoteOnItsSide_IsReadInItsOrder) {
  ExpectText("note_on_its_side",
             "Thank you for coming\nOrder number 99-1022 B\n");
}

// The box of a narrow digit is higher than wide, but no line on its side.
TEST(Layouts, SingleDigits_StandAsTheLinesBesideThem) {
  ExpectFound("single_digits", 0.999);
}

// A box, or the room between two ticks, for each character of a word.
TEST(Layouts, CombFields_AreWords) {
  EXPECT_GE(WordsFound("comb_fields", DefaultBundle()), 0.999);
}

// The detector takes a seal and the lines under it for one line.
TEST(Layouts, LinesUnderAStamp_AreReadWithoutIt) {
  EXPECT_GE(WordsFound("stamp", DefaultBundle()), 0.999);
}

// Korean that runs downwards, in columns from the right.
TEST(Layouts, KoreanColumns_AreReadDownwardsFromTheRight) {
  ExpectText("korean_columns",
             "봄이 오면 산에 들에 핀다\n강물은 바다로 흘러 간다\n"
             "오래된 나무가 서 있다\n");
}

// The detector finds pieces of words, and single letters have no case.
TEST(Layouts, LettersWideApart_AreWords) {
  ExpectText("spaced_letters",
             "Half of the onions, fried with bay\n"
             "litre for 1 day. Add 2 litres to\n"
             "and curry and salt go to the pot.\n");
}

}  // namespace
}  // namespace munja::cli_test
