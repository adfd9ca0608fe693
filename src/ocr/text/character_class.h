// The kind of character that a symbol is: the one classification that all
// corrections of text start from.
#ifndef MUNJA_TEXT_CHARACTER_CLASS_H_
#define MUNJA_TEXT_CHARACTER_CLASS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/dictionary.h"

namespace munja::text {

// General categories of Unicode, those that are treated alike as one.
enum class Category : uint8_t {
  kNone,  // There is no character: the blank.
  kSmall,
  kCapital,
  kOtherLetter,  // In scripts without capitals.
  kModifier,     // Letters that change others, digraphs in title case.
  kMark,         // Accents and vowel signs of their own.
  kDecimal,      // Digits of any script.
  kOtherNumber,
  kSpace,
  kSign,  // All others.
};

// Ranges of code points that no correction tells apart by more than their
// category.
enum class Block : uint8_t {
  kOther,
  kAscii,
  kLatinSigns,  // U+0080 to U+00BF.
  kLatin,       // U+00C0 to U+024F and U+1E00 to U+1EFF.
  kIpa,         // U+0250 to U+036F: phonetic letters, combining marks.
  kGreek,
  kCyrillic,
  kArmenian,
  kGreekExtended,
  kPunctuation,  // U+2000 to U+2BFF: punctuation, currencies, arrows, others.
  kHan,
  kCjkSigns,  // U+3000 to U+303F.
  kKana,
  kBopomofo,
  kJamo,
  kCjkExtended,  // U+31A0 to U+31FF.
  kHangul,       // Syllables.
  kFullWidth,    // U+FF00 to U+FFEF.
};

Block BlockOf(char32_t c);

struct CharacterClass {
  char32_t code_point = 0;  // The first one.
  bool is_single = false;   // There is no other.
  Category category = Category::kNone;
  Block block = Block::kOther;

  bool IsOneOf(std::u32string_view characters) const {
    return category != Category::kNone &&
           characters.find(code_point) != std::u32string_view::npos;
  }
  bool IsBetween(char32_t first, char32_t last) const {
    return code_point >= first && code_point <= last;
  }
  bool IsAsciiDigit() const { return IsBetween(U'0', U'9'); }
  bool IsAsciiSmall() const { return IsBetween(U'a', U'z'); }
  bool IsAsciiCapital() const { return IsBetween(U'A', U'Z'); }
  // A small letter or a capital.
  bool IsCasedLetter() const {
    return category == Category::kSmall || category == Category::kCapital;
  }
  bool IsLetter() const {
    return category >= Category::kSmall && category <= Category::kModifier;
  }
  // Han, Kana and Hangul, which also run in columns of upright characters.
  bool IsWrittenInColumns() const {
    return block == Block::kHan || block == Block::kKana ||
           block == Block::kHangul;
  }
};

CharacterClass Classify(char32_t code_point);
// Classifies a symbol of a dictionary, which may have several code points or
// none.
CharacterClass Classify(std::string_view symbol);

// The character classes of all symbols of a dictionary, by their indices.
class CharacterClasses {
 public:
  explicit CharacterClasses(const Dictionary& dictionary);
  const CharacterClass& operator[](int cls) const {
    return classes_[static_cast<size_t>(cls)];
  }
  int size() const { return static_cast<int>(classes_.size()); }

 private:
  std::vector<CharacterClass> classes_;
};

// The ASCII form of a full-width sign, digit or letter, of the wide space, and
// of the full stop and comma of Chinese and Japanese text; 0 for others.
char32_t NarrowForm(char32_t c);

}  // namespace munja::text

#endif  // MUNJA_TEXT_CHARACTER_CLASS_H_
