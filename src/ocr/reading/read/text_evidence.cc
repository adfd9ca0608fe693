#include "reading/read/text_evidence.h"

#include <algorithm>
#include <string_view>

#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Lines that are read with less confidence show nothing.
constexpr float kLeastReadable = 0.6f;

}  // namespace

float TextEvidence(const text::CtcLine& line) {
  if (line.confidence < kLeastReadable) return 0;
  float evidence = 0;
  const text::CtcMark* mark = line.marks.data();
  for (std::string_view character : text::CharactersOf(line)) {
    const float probability = (mark++)->probability;
    const text::CharacterClass c =
        text::Classify(text::NextCodePoint(character));
    if (c.IsLetter() || c.category == text::Category::kDecimal)
      evidence += std::max(2 * probability - 1, 0.0f);
  }
  return evidence;
}

}  // namespace munja::ocr
