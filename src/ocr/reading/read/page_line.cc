#include "reading/read/page_line.h"

#include "reading/find/line_place.h"
#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Fewer letters and digits are read in any texture.
constexpr int kMinCharacters = 4;

// A line that is shorter than this, in its heights, cannot hold that many.
constexpr int kMinHeights = 1;

}  // namespace

int LettersAndDigits(std::string_view text) {
  int count = 0;
  while (!text.empty()) {
    const text::CharacterClass c = text::Classify(text::NextCodePoint(text));
    if (c.IsLetter() || c.category == text::Category::kDecimal) ++count;
  }
  return count;
}

bool IsLowScoreSpeck(const TextBox& box, const RecognizerConfig& config) {
  return box.is_low_score &&
         LineWidth(box.quad, config) < kMinHeights * config.height;
}

bool IsText(const PageLine& line, const RecognizerConfig& config) {
  const text::CtcLine& text = line.reading.text;
  if (line.box.is_large && (text.confidence < config.faint_confidence ||
                            LettersAndDigits(text.text) == 0))
    return false;
  return !line.box.is_low_score ||
         (text.confidence >= config.faint_confidence &&
          (!config.rules.Has(Rule::kFaintLetters) ||
           LettersAndDigits(text.text) >= kMinCharacters));
}

}  // namespace munja::ocr
