#include "reading/correct/units.h"

#include <cstddef>

#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::ocr {

bool DropLettersOfUnits(LineHypothesis& line) {
  const auto characters = line.characters();
  const auto is_text = [&](size_t i) {
    if (i >= characters.size()) return false;
    const text::CharacterClass& c = line.ClassOf(characters[i]);
    return c.IsAsciiDigit() || c.IsLetter();
  };
  bool is_changed = false;
  for (size_t i = 0; i + 1 < characters.size(); ++i) {
    const text::CharacterClass& sign = line.ClassOf(characters[i]);
    // U+3371 to U+33DF: units of several letters in one square.
    if (!sign.is_single || !sign.IsBetween(0x3371, 0x33DF)) continue;
    const std::u32string letters =
        text::Nfkc(text::EncodeUtf8({&sign.code_point, 1}));
    const ReadCharacter& next = characters[i + 1];
    if (line.ClassOf(next).code_point != letters.back() || is_text(i + 2))
      continue;
    for (size_t k = next.begin; k < next.end; ++k) line.steps[k].cls = kBlank;
    is_changed = true;
  }
  return is_changed;
}

}  // namespace munja::ocr
