#include "reading/read/page_line.h"

#include <algorithm>
#include <cstddef>

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

geometry::Quad OutlineOf(const PageLine& line) {
  const geometry::Quad& polygon = line.reading.polygon;
  if (!line.box.outline) return polygon;
  size_t start = 0;
  for (size_t i = 0; i < 4; ++i) {
    if (line.box.quad[i] == polygon[0] &&
        line.box.quad[(i + 1) % 4] == polygon[1]) {
      start = i;
      break;
    }
  }
  geometry::Quad outline = *line.box.outline;
  std::rotate(outline.begin(), outline.begin() + static_cast<ptrdiff_t>(start),
              outline.end());
  return outline;
}

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
