#include "reading/correct/look_alikes.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace munja::ocr {
namespace {

// With their brackets and quotes.
bool IsCjk(const text::CharacterClass& c) {
  using enum text::Block;
  return c.block == kHan || c.block == kKana || c.block == kBopomofo ||
         c.block == kCjkExtended ||
         (c.block == kCjkSigns && c.code_point >= 0x3003);
}

// A digit behind letters is one if it is read with this probability: "player9".
constexpr float kDigitAtEnd = 0.6f;
// ASCII letters and digits of nearly one shape in small print.
constexpr std::string_view kTwins[] = {"0OoQDCc", "1lIiLJj7T", "2Zz", "4A",
                                       "5Ss",     "6Gb",       "8B",  "9gq"};

bool AreTwins(char32_t a, char32_t b) {
  if (utf8proc_tolower(static_cast<utf8proc_int32_t>(a)) ==
      utf8proc_tolower(static_cast<utf8proc_int32_t>(b)))
    return true;
  // Look-alikes in other scripts are not listed: that the network hesitates
  // between them is enough.
  if (a >= 0x80 || b >= 0x80) return true;
  const auto has = [](std::string_view group, char32_t c) {
    return group.find(static_cast<char>(c)) != std::string_view::npos;
  };
  return std::any_of(
      std::begin(kTwins), std::end(kTwins),
      [&](std::string_view group) { return has(group, a) && has(group, b); });
}

}  // namespace

LookAlikes::LookAlikes(const text::CharacterClasses& classes,
                       const Rules& rules)
    : classes_(&classes), rules_(rules) {
  for (int cls = classes.size(); --cls > kBlank;) {
    const text::CharacterClass& c = classes[cls];
    if (c.block == text::Block::kAscii && c.is_single)
      ascii_[c.code_point] = cls;
  }
}

LookAlikes::Look LookAlikes::LookOf(const text::CharacterClass& c) {
  using text::Block;
  if (c.category == text::Category::kNone) return {};
  if (c.code_point == U' ') return {kSpace};
  if (c.IsAsciiDigit()) return {kDigit};
  if (IsCjk(c)) return {kCjk};
  if (text::NarrowForm(c.code_point) != 0) return {kFullWidth};
  if (c.IsCasedLetter()) {
    Alphabet alphabet = kNone;
    if (c.block == Block::kAscii || c.block == Block::kLatinSigns ||
        c.block == Block::kLatin)
      alphabet = kLatin;
    if (c.block == Block::kGreek) alphabet = kGreek;
    if (c.block == Block::kCyrillic) alphabet = kCyrillic;
    if (alphabet == kNone) return {};
    return {c.category == text::Category::kSmall ? kSmall : kCapital, alphabet};
  }
  // General punctuation, currencies, arrows and others stand in any text.
  const bool is_sign = c.code_point < 0x0250 || c.block == Block::kPunctuation;
  return {is_sign ? kSign : kOther};
}

int LookAlikes::NarrowClass(int cls) const {
  return ascii_[text::NarrowForm((*classes_)[cls].code_point)];
}

void LookAlikes::FindCharacters(LineHypothesis& line) {
  characters_.clear();
  for (const ReadCharacter& c : line.characters())
    characters_.push_back({c.begin, c.end, LookOf((*classes_)[c.cls])});
}

// The context of a character is what is next to it, signs and digits aside: a
// comma belongs to the text before it, a bracket to that on either side.
bool LookAlikes::IsNarrow(size_t i) const {
  const auto decides = [](const Character& c) {
    return c.look.kind == kCjk || c.look.kind == kSmall ||
           c.look.kind == kCapital || c.look.kind == kOther;
  };
  const auto begin = characters_.begin();
  const auto at = begin + static_cast<ptrdiff_t>(i);
  const auto right = std::find_if(at, characters_.end(), decides);
  const auto left =
      std::find_if(std::make_reverse_iterator(at), characters_.rend(), decides);
  const bool is_cjk_left =
      left != characters_.rend() && left->look.kind == kCjk;
  const bool is_cjk_right =
      right != characters_.end() && right->look.kind == kCjk;
  if (is_cjk_left || is_cjk_right) {
    // "12:30" and "1,000" are written the same everywhere.
    const auto is_digit = [&](size_t j) {
      return j < characters_.size() && characters_[j].look.kind == kDigit;
    };
    return i > 0 && is_digit(i - 1) && is_digit(i + 1);
  }
  return true;
}

bool LookAlikes::CorrectWidths(LineHypothesis& line) {
  std::vector<text::CtcStep>& steps = line.steps;
  const auto is_full_width = [&](const text::CtcStep& step) {
    return step.cls != kBlank &&
           LookOf((*classes_)[step.cls]).kind == kFullWidth;
  };
  if (std::none_of(steps.begin(), steps.end(), is_full_width)) return false;
  FindCharacters(line);
  bool is_changed = false;
  for (size_t i = 0; i < characters_.size(); ++i) {
    const Character& c = characters_[i];
    if (c.look.kind != kFullWidth || !IsNarrow(i)) continue;
    const int narrow = NarrowClass(steps[c.begin].cls);
    if (narrow == kBlank) continue;
    for (size_t s = c.begin; s < c.end; ++s) steps[s].cls = narrow;
    is_changed = true;
  }
  return is_changed;
}

bool LookAlikes::IsFirst(size_t i, size_t begin) const {
  return i == begin || characters_[i - 1].look.kind == kSign;
}

// Whether a character of this look is what the others of the word let expect
// in place i.
bool LookAlikes::Fits(const Look& look, size_t i, size_t begin, size_t end,
                      std::span<const text::CtcStep> steps) const {
  size_t others = 0;
  for (size_t j = begin; j < end; ++j) {
    const Look& other = characters_[j].look;
    if (other.kind == kSign || BecomesWith(j, i, look, steps)) continue;
    ++others;
    // "Johor", "@Johor": the first letter is any.
    const bool is_capital_first =
        look.kind == kSmall && other.kind == kCapital && IsFirst(j, begin);
    if (other.alphabet != look.alphabet ||
        (other.kind != look.kind && !is_capital_first))
      return false;
  }
  return others >= 2;
}

// Whether character j becomes what i does: where a digit becomes a capital, one
// shape in one word is one character. Small and capital letters stand side by
// side, and so do a digit and a small letter: "11th".
bool LookAlikes::BecomesWith(size_t j, size_t i, const Look& look,
                             std::span<const text::CtcStep> steps) const {
  const Character &a = characters_[i], &b = characters_[j];
  return i == j || (a.look.kind == kDigit && look.kind == kCapital &&
                    steps[a.begin].cls == steps[b.begin].cls);
}

bool LookAlikes::CanBecome(const Character& c, int cls,
                           std::span<const text::CtcStep> steps) {
  // Beside another one of its class it would not be read.
  if ((c.begin > 0 && steps[c.begin - 1].cls == cls) ||
      (c.end < steps.size() && steps[c.end].cls == cls))
    return false;
  return LargestChoice(c, cls, steps) > 0;
}

void LookAlikes::Become(Character& c, const Look& look, int cls,
                        std::vector<text::CtcStep>& steps) {
  c.look = look;
  is_changed_ = true;
  for (size_t s = c.begin; s < c.end; ++s) {
    const float other = text::ProbabilityOf(steps[s], cls);
    steps[s].cls = cls;
    steps[s].probability = std::max(steps[s].probability, other);
  }
}

void LookAlikes::CorrectWord(size_t begin, size_t end,
                             std::vector<text::CtcStep>& steps) {
  for (size_t i = begin; i < end; ++i) {
    const Character& c = characters_[i];
    const float own = LargestChoice(c, steps[c.begin].cls, steps);
    if (own >= kReliableCharacter || c.look.kind == kSign ||
        Fits(c.look, i, begin, end, steps))
      continue;
    if (c.look.kind == kDigit && i > begin && i + 1 == end &&
        own >= kDigitAtEnd)
      continue;
    int best = kBlank;
    float best_share = own / kContextPrior;
    for (size_t s = c.begin; s < c.end; ++s) {
      for (const text::CtcChoice& other : steps[s].others) {
        if (other.cls == kBlank || other.probability <= best_share) continue;
        const Look look = LookOf((*classes_)[other.cls]);
        if (look.kind > kDigit || !Fits(look, i, begin, end, steps)) continue;
        if (!AreTwins((*classes_)[steps[c.begin].cls].code_point,
                      (*classes_)[other.cls].code_point))
          continue;
        if (c.look.kind == kCapital && look.kind == kSmall && IsFirst(i, begin))
          continue;
        best = other.cls;
        best_share = other.probability;
      }
    }
    if (best == kBlank) continue;
    // All of them, or none: "F00D" is FOOD.
    const Look look = LookOf((*classes_)[best]);
    same_.clear();
    for (size_t j = begin; j < end; ++j)
      if (BecomesWith(j, i, look, steps)) same_.push_back(j);
    if (!std::all_of(same_.begin(), same_.end(), [&](size_t j) {
          return CanBecome(characters_[j], best, steps);
        }))
      continue;
    for (const size_t j : same_) Become(characters_[j], look, best, steps);
  }
}

void LookAlikes::BecomeIfLikely(Character& c, const Look& look, char ascii,
                                std::vector<text::CtcStep>& steps) {
  const int cls = ascii_[static_cast<unsigned char>(ascii)];
  if (cls == kBlank || !CanBecome(c, cls, steps)) return;
  const float own = LargestChoice(c, steps[c.begin].cls, steps);
  if (IsReplacedByContext(own, LargestChoice(c, cls, steps)))
    Become(c, look, cls, steps);
}

bool LookAlikes::IsRead(size_t i, char ascii,
                        std::span<const text::CtcStep> steps) const {
  const int cls = ascii_[static_cast<unsigned char>(ascii)];
  return cls != kBlank && steps[characters_[i].begin].cls == cls;
}

// The first of "SHO1" and "#OO65": digits follow other O's, as far as the word
// or its next sign. Of such words in the documents of a Debian system, ISO8601
// and CO2 among them, one in 27 has an O there.
bool LookAlikes::IsZeroOfNumber(size_t i, size_t end,
                                std::span<const text::CtcStep> steps) const {
  const auto is_round = [&](size_t j) {
    return IsRead(j, 'O', steps) || IsRead(j, 'o', steps);
  };
  if (!is_round(i)) return false;
  while (i < end && is_round(i)) ++i;
  const size_t digits = i;
  while (i < end && characters_[i].look.kind == kDigit) ++i;
  return i > digits && (i == end || characters_[i].look.kind == kSign);
}

// 1.10, 1,234.50.
bool LookAlikes::IsAmount(size_t begin, size_t end,
                          std::span<const text::CtcStep> steps) const {
  constexpr size_t kCents = 3;  // With their point.
  if (end < begin + kCents + 1 || !IsRead(end - kCents, '.', steps))
    return false;
  for (size_t i = begin; i < end; ++i) {
    const bool is_comma = i > begin && IsRead(i, ',', steps);
    if (i != end - kCents && !is_comma && characters_[i].look.kind != kDigit)
      return false;
  }
  return true;
}

void LookAlikes::CorrectNumber(size_t begin, size_t end,
                               std::vector<text::CtcStep>& steps) {
  if (rules_.Has(Rule::kDollars) && IsRead(begin, 'S', steps) &&
      IsAmount(begin + 1, end, steps))
    BecomeIfLikely(characters_[begin], {kSign}, '$', steps);
  for (size_t i = begin; i < end; ++i)
    if (rules_.Has(Rule::kZeros) && IsZeroOfNumber(i, end, steps))
      BecomeIfLikely(characters_[i], {kDigit}, '0', steps);
}

bool LookAlikes::Correct(LineHypothesis& line) {
  std::vector<text::CtcStep>& steps = line.steps;
  const auto is_open = [](const text::CtcStep& step) {
    return step.cls != kBlank && step.probability < kReliableCharacter;
  };
  if (std::none_of(steps.begin(), steps.end(), is_open)) return false;
  FindCharacters(line);
  is_changed_ = false;
  const auto ends_word = [](const Character& c) {
    return c.look.kind == kSpace || c.look.kind == kFullWidth;
  };
  for (size_t i = 0; i < characters_.size();) {
    size_t end = i;
    while (end < characters_.size() && !ends_word(characters_[end])) ++end;
    if (end > i) CorrectNumber(i, end, steps);
    if (rules_.Has(Rule::kWordKinds)) CorrectWord(i, end, steps);
    i = end + 1;
  }
  return is_changed_;
}

}  // namespace munja::ocr
