#include "reading/page_document.h"

#include <gtest/gtest.h>

#include <utility>

namespace munja::ocr {
namespace {

// An image that is taken for one line may hold no text at all.
TEST(MakeDocument, GuessedLine_NeedsConfidenceWhateverTheLimit) {
  auto dictionary = text::Dictionary::Parse("a\n", false);
  ASSERT_TRUE(dictionary.ok());
  PageLine line;
  line.box.quad = {{{0, 0}, {20, 0}, {20, 10}, {0, 10}}};
  line.reading.polygon = line.box.quad;
  line.reading.text.text = "a";
  line.reading.text.marks = {{.text_end = 1, .end = 1, .cls = 1}};
  const auto lines = [&](bool is_guess, float confidence) {
    line.box.is_guess = is_guess;
    line.reading.text.confidence = confidence;
    return MakeDocument(Config(), *dictionary, {&line, 1}, 0.0f).lines.size();
  };
  EXPECT_EQ(lines(true, 0.59f), 0u);
  EXPECT_EQ(lines(true, 0.61f), 1u);
  EXPECT_EQ(lines(false, 0.59f), 1u);
}

// Letters that are guessed in the wrong script are no characters of the line.
TEST(MakeDocument, LineInUnknownScript_HasNoTextAndNoCharacters) {
  auto dictionary = text::Dictionary::Parse("a\n", false);
  ASSERT_TRUE(dictionary.ok());
  PageLine line;
  line.box.quad = {{{0, 0}, {20, 0}, {20, 10}, {0, 10}}};
  line.reading.polygon = line.box.quad;
  line.reading.text.text = "a";
  line.reading.text.confidence = 0.9f;
  line.reading.text.marks = {{.text_end = 1, .end = 1, .cls = 1}};
  const auto characters = [&](text::Script script) {
    line.reading.text.guess = {0.9f, script};
    const document::Document page =
        MakeDocument(Config(), *dictionary, {&line, 1}, 0.0f);
    EXPECT_EQ(page.lines.size(), 1u);
    EXPECT_EQ(page.lines[0].text.size(), page.lines[0].characters.size());
    return page.lines[0].characters.size();
  };
  EXPECT_EQ(characters(text::Script::kKnown), 1u);
  EXPECT_EQ(characters(text::Script::kCyrillic), 0u);
}

}  // namespace
}  // namespace munja::ocr
