#include "text/character_class.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "text/utf8.h"

namespace munja::text {
namespace {

// Blocks by their first code points, ascending.
struct Range {
  char32_t first;
  Block block;
};
constexpr Range kRanges[] = {
    {0, Block::kAscii},
    {0x0080, Block::kLatinSigns},
    {0x00C0, Block::kLatin},
    {0x0250, Block::kIpa},
    {0x0370, Block::kGreek},
    {0x0400, Block::kCyrillic},
    {0x0530, Block::kArmenian},
    {0x0590, Block::kOther},
    {0x1E00, Block::kLatin},
    {0x1F00, Block::kGreekExtended},
    {0x2000, Block::kPunctuation},
    {0x2C00, Block::kOther},
    {0x2E80, Block::kHan},
    {0x2FE0, Block::kOther},
    {0x3000, Block::kCjkSigns},
    {0x3040, Block::kKana},
    {0x3100, Block::kBopomofo},
    {0x3130, Block::kJamo},
    {0x3190, Block::kOther},
    {0x31A0, Block::kCjkExtended},
    {0x3200, Block::kOther},
    {0x3400, Block::kHan},
    {0xA000, Block::kOther},
    {0xAC00, Block::kHangul},
    {0xD7A4, Block::kOther},
    {0xF900, Block::kHan},
    {0xFB00, Block::kOther},
    {0xFF00, Block::kFullWidth},
    {0xFFF0, Block::kOther},
    {0x20000, Block::kHan},
    {0x40000, Block::kOther},
};

Category CategoryOf(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  if (category == UTF8PROC_CATEGORY_LL) return Category::kSmall;
  if (category == UTF8PROC_CATEGORY_LU) return Category::kCapital;
  if (category == UTF8PROC_CATEGORY_ND) return Category::kDecimal;
  if (category == UTF8PROC_CATEGORY_ZS) return Category::kSpace;
  const auto is_between = [&](int first, int last) {
    return category >= first && category <= last;
  };
  if (category == UTF8PROC_CATEGORY_LO) return Category::kOtherLetter;
  if (is_between(UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM))
    return Category::kModifier;
  if (is_between(UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME))
    return Category::kMark;
  if (is_between(UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO))
    return Category::kOtherNumber;
  return Category::kSign;
}

}  // namespace

Block BlockOf(char32_t c) {
  const auto next = std::upper_bound(
      std::begin(kRanges), std::end(kRanges), c,
      [](char32_t code_point, const Range& r) { return code_point < r.first; });
  return std::prev(next)->block;
}

CharacterClass Classify(char32_t code_point) {
  return {code_point, true, CategoryOf(code_point), BlockOf(code_point)};
}

CharacterClass Classify(std::string_view symbol) {
  if (symbol.empty()) return {};
  CharacterClass result = Classify(NextCodePoint(symbol));
  result.is_single = symbol.empty();
  return result;
}

CharacterClasses::CharacterClasses(const Dictionary& dictionary) {
  for (int cls = 0; cls < dictionary.classes(); ++cls)
    classes_.push_back(Classify(dictionary.symbol(cls)));
}

char32_t NarrowForm(char32_t c) {
  // Full-width forms lie as the ASCII signs do.
  if (c >= U'\uFF01' && c <= U'\uFF5E') return c - U'\uFF01' + U'!';
  if (c == U'\u3000') return U' ';
  if (c == U'\u3002') return U'.';
  if (c == U'\u3001') return U',';
  return 0;
}

}  // namespace munja::text
