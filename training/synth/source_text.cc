#include "synth/source_text.h"

#include <algorithm>
#include <iterator>

namespace munja::train {
namespace {

constexpr int kLatin = 0, kKorean = 1;

bool HasHangul(std::u32string_view text) {
  return std::any_of(text.begin(), text.end(), [](char32_t c) {
    return (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x3131 && c <= 0x318E);
  });
}

// The first words of a text, at most `most` characters; one long word is cut.
std::u32string Cut(std::u32string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = text.rfind(U' ', most);
  if (end == std::u32string::npos || end == 0) end = most;
  text.resize(end);
  while (!text.empty() && text.back() == U' ') text.pop_back();
  return text;
}

}  // namespace

SourceText::SourceText(const Alphabet& alphabet, const FontSet& fonts,
                       const TextSource& source)
    : alphabet_(alphabet), fonts_(fonts), source_(source) {}

int SourceText::PickLanguage(Random& random) const {
  return HasHangul(source_.Make(random)) ? kKorean : kLatin;
}

std::u32string SourceText::Letters(int language) const {
  std::u32string letters;
  for (char32_t c :
       std::u32string_view(language == kKorean ? U"가나다한글0A" : U"0Aa")) {
    if (alphabet_.Has(c)) letters.push_back(c);
  }
  return letters;
}

std::u32string SourceText::Line(Random& random, int language) const {
  std::u32string line;
  for (int attempt = 0; attempt < 5; ++attempt) {
    line = source_.Make(random);
    // Korean pages hold some Latin lines as well, the others no Hangul.
    if (HasHangul(line) == (language == kKorean) ||
        (language == kKorean && random.Chance(0.12f)))
      break;
  }
  return line;
}

std::u32string SourceText::Running(Random& random, int language,
                                   size_t characters) const {
  std::u32string text;
  while (text.size() < characters) {
    const std::u32string line = Line(random, language);
    if (line.empty())
      break;  // The source's promise is broken; no endless loop for it.
    if (!text.empty()) text.push_back(U' ');
    text += line;
  }
  return Cut(std::move(text), characters + 40);
}

std::u32string SourceText::Phrase(Random& random, int language, size_t least,
                                  size_t most) const {
  std::u32string phrase;
  for (int attempt = 0; attempt < 4 && phrase.size() < least; ++attempt) {
    const std::u32string line = Line(random, language);
    if (!phrase.empty()) phrase.push_back(U' ');
    phrase += line;
    phrase = Cut(std::move(phrase), most);
  }
  return phrase;
}

std::u32string SourceText::Amount(Random& random, int language) const {
  if (random.Chance(0.2f)) {
    const std::u32string made = source_.MakeByRule("price", random);
    if (!made.empty() && made.size() <= 12) return made;
  }
  // 12.50, 1,234.00, 12,000, with or without a sign of currency.
  static constexpr std::u32string_view kLatinSigns[] = {U"$",  U"€",   U"£",
                                                        U"RM", U"RM ", U"USD "};
  static constexpr std::u32string_view kKoreanSigns[] = {U"₩", U"￦"};
  std::u32string digits;
  const bool cents = language == kLatin && random.Chance(0.85f);
  int count = random.Integer(1, cents ? 3 : 4);
  for (int i = 0; i < count; ++i)
    digits.push_back(U'0' +
                     static_cast<char32_t>(random.Integer(i == 0 ? 1 : 0, 9)));
  if (!cents && language == kKorean) digits += U"00";
  if (digits.size() > 3 && alphabet_.Has(U','))
    digits.insert(digits.size() - 3, U",");
  if (cents && alphabet_.Has(U'.')) {
    digits.push_back(U'.');
    digits.push_back(U'0' + static_cast<char32_t>(random.Integer(0, 9)));
    digits.push_back(U'0' + static_cast<char32_t>(random.Integer(0, 9)));
  }
  std::u32string amount = digits;
  if (random.Chance(0.25f)) {
    if (language == kLatin)
      amount =
          std::u32string(kLatinSigns[random.Below(std::size(kLatinSigns))]) +
          digits;
    else if (random.Chance(0.5f))
      amount =
          std::u32string(kKoreanSigns[random.Below(std::size(kKoreanSigns))]) +
          digits;
    else
      amount = digits + U"원";
  }
  if (alphabet_.Spells(amount)) return amount;
  if (alphabet_.Spells(digits)) return digits;
  return Phrase(random, language, 1, 6);  // An alphabet without digits.
}

std::u32string SourceText::Entry(Random& random, int language, size_t most,
                                 Scenery scenery) const {
  static constexpr const char* kRules[] = {
      "date",  "phone", "address", "code",    "url",
      "email", "time",  "number",  "company", "name"};
  static constexpr const char* kReceiptRules[] = {
      "receipt", "receiptline", "date", "phone", "address", "code", "time"};
  for (int attempt = 0; attempt < 3; ++attempt) {
    const char* rule =
        scenery == Scenery::kReceipt
            ? kReceiptRules[random.Below(std::size(kReceiptRules))]
            : kRules[random.Below(std::size(kRules))];
    std::u32string made = source_.MakeByRule(rule, random);
    if (made.empty() || HasHangul(made) > (language == kKorean)) continue;
    if (made.size() <= most) return made;
  }
  return Phrase(random, language, std::min<size_t>(most, 4), most);
}

}  // namespace munja::train
