#include "reading/correct/spaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/median.h"

namespace munja::ocr {
namespace {

// The evidence for a space sums up as log odds: what the network gives a space
// in its steps, how wide the gap is, how far its neighbors are from each other,
// and what they are, for a sign brings white of its own and may stand with
// spaces or without. The weights are those of a logistic regression on drawn
// lines (docs/lab/accuracy.md).
struct Weights {
  double bias;
  double network;
  double gap;        // Beyond the usual one, in spaces.
  double distance;   // Beyond the usual one, in parts of it.
  double no_spaces;  // The network printed none in the line.
  // If a language model is asked: a bias, and the weight of its answer.
  double with_language, language;
};
constexpr Weights kAlphabetWeights = {-2.3, 0.92, 4.7, 3.8, 1.65, 1.3, 0.28};
// Syllables stand at one pitch, and spaces between them are narrow.
constexpr Weights kHangulWeights = {-1.16, 0.91, 2.5, 0.63, 0.78, 0.44, 0.39};
constexpr double kInNumberWeight = -3.0;  // Within "23.32" or "9:30".
constexpr double kTwoDigitsWeight = -3.2;
// By the characters before and behind the gap, in the order of
// SpaceCorrector::Shape.
constexpr struct {
  double before, behind;
} kShapeWeights[] = {
    {-0.8, -0.7},  // kLetter
    {-1.1, -1.1},  // kNarrowLetter
    {-0.2, 0.1},   // kCapital
    {1.4, 2.0},    // kDigit
    {0.4, 1.5},    // kOne
    {-2.0, -2.2},  // kApostrophe
    {1.3, -1.2},   // kDoubleQuote
    {-1.1, -1.8},  // kStop
    {-0.3, 0.5},   // kColon
    {-0.3, 0.4},   // kDash
    {1.8, 2.0},    // kOpening
    {-0.1, 0.8},   // kClosing
    {-0.2, -0.6},  // kBar
    {1.4, 1.2},    // kSlash
    {2.5, -1.9},   // kPercent
    {1.1, 0.8},    // kRaised
    {-1.3, 0.2},   // kMath
    {0.1, 2.1},    // kCurrency
    {-2.4, -1.2},  // kWide
    {-0.2, -0.9},  // kOtherSign
    {0, 0},        // kHangul
    {0, 0},        // kOther
};
static_assert(std::size(kShapeWeights) == SpaceCorrector::kOther + 1);
// The odds against what the network printed must be larger than this.
constexpr double kMinOdds = 1;
// The same between letters of which a language model was asked.
constexpr double kMinOddsInLanguage = 0.5;
// Cap on the language model's odds: it has no measure between letters that it
// knows together and those that it never saw.
constexpr float kMaxOfLanguage = 12;
// Gap and distance, as they count: what is not wider than this is whole.
constexpr double kVisiblyWider = 0.3;
// Less than this is as good as nothing.
constexpr double kMinProbability = 1e-4, kMaxProbability = 0.999;
// The network's odds where it printed no space, of one that tells no more.
constexpr double kUntoldOdds = -4;
// How much wider than the usual gap one with a space is, in usual distances,
// where the line does not tell.
constexpr double kSpaceDistances = 0.85;
// And what is left of what it tells.
constexpr double kMinSpace = 0.3, kMaxSpace = 1.0;
constexpr double kMinGaps = -1, kMaxGaps = 2;
constexpr double kMinDistances = -1, kMaxDistances = 1.5;

// Syllables whose gaps are this part of their widths and more are words of
// their own. Where they are less far apart this holds for lines of syllables
// only, and a language model may say otherwise.
constexpr double kFarSyllables = 0.60, kTwoFarSyllables = 0.7,
                 kSpreadSyllables = 0.27;
constexpr double kSpreadOdds = -2.5;

struct Group {
  std::u32string_view characters;
  SpaceCorrector::Shape shape;
};
constexpr Group kGroups[] = {
    {U"ilIjtfr", SpaceCorrector::kNarrowLetter},
    {U"1", SpaceCorrector::kOne},
    {U"'`\u2018\u2019", SpaceCorrector::kApostrophe},
    {U"\"\u201C\u201D", SpaceCorrector::kDoubleQuote},
    {U".,", SpaceCorrector::kStop},
    {U":;", SpaceCorrector::kColon},
    {U"-\u2013\u2014", SpaceCorrector::kDash},
    {U"([{", SpaceCorrector::kOpening},
    {U")]}", SpaceCorrector::kClosing},
    {U"!|", SpaceCorrector::kBar},
    {U"/\\", SpaceCorrector::kSlash},
    {U"%", SpaceCorrector::kPercent},
    {U"*\u00B0\u2122\u00AE^", SpaceCorrector::kRaised},
    {U"+=<>~\u00D7\u00F7\u00B1", SpaceCorrector::kMath},
    {U"$\u20AC\u00A3\u00A5#\u00A7", SpaceCorrector::kCurrency},
    {U"@&?", SpaceCorrector::kWide},
};

}  // namespace

SpaceCorrector::SpaceCorrector(const text::CharacterClasses& classes,
                               const text::Language& language,
                               const Rules& rules)
    : rules_(rules) {
  for (const auto& model : language.models)
    letters_.push_back({model, text::SymbolsOf(*model, classes)});
  for (int cls = classes.size(); --cls > kBlank && space_ < 0;)
    if (classes[cls].is_single && classes[cls].code_point == U' ') space_ = cls;
}

SpaceCorrector::Shape SpaceCorrector::ShapeOf(const text::CharacterClass& c) {
  using enum text::Block;
  if (c.category == text::Category::kNone) return Shape::kOther;
  for (const Group& group : kGroups)
    if (c.IsOneOf(group.characters)) return group.shape;
  if (c.IsAsciiDigit()) return kDigit;
  if (c.IsAsciiCapital()) return kCapital;
  if (c.IsAsciiSmall()) return kLetter;
  switch (c.block) {
    case kAscii:
    case kLatinSigns:
    case kPunctuation:
      return kOtherSign;
    case text::Block::kHangul:
      return Shape::kHangul;
    // Letters that join, or stand without spaces, are none of these.
    case kLatin:
    case kIpa:
    case kGreek:
    case kCyrillic:
    case kArmenian:
    case kGreekExtended:
      return kLetter;
    default:
      return Shape::kOther;
  }
}

// False: there is nothing to part.
bool SpaceCorrector::FindCharacters(LineHypothesis& line) {
  characters_.clear();
  pairs_.clear();
  bool has_space = false;
  for (const ReadCharacter& read : line.characters()) {
    if (read.cls == space_) {
      has_space = true;
      continue;
    }
    if (!characters_.empty())
      pairs_.push_back({characters_.size() - 1, has_space, 0, 0});
    const text::CharacterClass& c = line.ClassOf(read);
    characters_.push_back({read.begin, read.end, read.cls, ShapeOf(c),
                           c.is_single && c.IsOneOf(U".,:")});
    has_space = false;
  }
  // The usual gap is not known from two.
  return pairs_.size() > 1;
}

int SpaceCorrector::WidestGap(const std::vector<bool>& is_empty, int begin,
                              int end) {
  int widest = 0, run = 0;
  begin = std::max(begin, 0);
  end = std::min(end, static_cast<int>(is_empty.size()));
  for (int x = begin; x < end; ++x) {
    run = is_empty[static_cast<size_t>(x)] ? run + 1 : 0;
    widest = std::max(widest, run);
  }
  return widest;
}

// The gap behind this character is one of "23.32" or "9:30": displays and
// handwriting give points much room.
bool SpaceCorrector::IsInNumber(size_t left) const {
  const auto is_digit = [&](size_t i) {
    return i < characters_.size() && IsDigit(characters_[i]);
  };
  const bool is_before = left + 1 < characters_.size() &&
                         characters_[left + 1].is_point && is_digit(left) &&
                         is_digit(left + 2);
  const bool is_behind = left > 0 && characters_[left].is_point &&
                         is_digit(left - 1) && is_digit(left + 1);
  return is_before || is_behind;
}

// The log odds of a space in these steps, as the network has it.
double SpaceCorrector::OddsOfNetwork(
    std::span<const text::CtcStep> steps) const {
  double most = text::LargestProbability(steps, space_);
  if (!(most > 0) && !tells_others_) return kUntoldOdds;
  most = std::clamp(most, kMinProbability, kMaxProbability);
  return std::log(most / (1 - most));
}

SpaceCorrector::Evidence SpaceCorrector::Weigh(
    const Pair& pair, std::span<const text::CtcStep> steps) const {
  const Character& left = characters_[pair.left];
  const Character& right = characters_[pair.left + 1];
  const double gap =
      std::clamp((pair.gap - usual_.gap) / usual_.space, kMinGaps, kMaxGaps);
  const double distance = std::clamp(pair.distance / usual_.distance - 1,
                                     kMinDistances, kMaxDistances);
  const std::span<const text::CtcStep> between =
      steps.subspan(left.end - 1, right.begin + 2 - left.end);
  const Weights& weights =
      left.shape == kHangul ? kHangulWeights : kAlphabetWeights;
  double odds = weights.bias + weights.network * OddsOfNetwork(between) +
                weights.gap * gap;
  if (rules_.Has(Rule::kSpaceDistances)) odds += weights.distance * distance;
  if (rules_.Has(Rule::kShapeSpaces))
    odds = odds + kShapeWeights[left.shape].before +
           kShapeWeights[right.shape].behind;
  if (rules_.Has(Rule::kNumberSpaces) && IsInNumber(pair.left))
    odds += kInNumberWeight;
  if (rules_.Has(Rule::kDigitSpaces) && IsDigit(left) && IsDigit(right))
    odds += kTwoDigitsWeight;
  if (!usual_.has_space) odds += weights.no_spaces;
  return {odds, gap + distance >= kVisiblyWider};
}

const SpaceCorrector::Letters* SpaceCorrector::LettersOf(
    const Pair& pair) const {
  const Character& left = characters_[pair.left];
  const Character& right = characters_[pair.left + 1];
  if ((left.shape == kHangul) != (right.shape == kHangul)) return nullptr;
  // Names like "ShangHai" join words that would be as probable apart.
  if (rules_.Has(Rule::kCapitalSpaces) &&
      (left.shape == kLetter || left.shape == kNarrowLetter) &&
      right.shape == kCapital)
    return nullptr;
  for (const Letters& letters : letters_)
    if (letters.Of(left) != text::LanguageModel::kEdge &&
        letters.Of(right) != text::LanguageModel::kEdge)
      return &letters;
  return nullptr;
}

// False: they are of a code, with digits. Numbers in Korean text are not.
bool SpaceCorrector::FindWords(size_t pair, const Letters& letters) {
  before_.clear();
  behind_.clear();
  // Whether the word goes on behind this character.
  const auto add = [&](size_t character, auto& word) {
    const auto symbol = letters.Of(characters_[character]);
    if (symbol == text::LanguageModel::kEdge) return false;
    word.push_back(symbol);
    return true;
  };
  size_t begin = pair, end = pair + 1;
  while (add(begin, before_) && begin > 0 && !pairs_[begin - 1].has_space)
    --begin;
  std::reverse(before_.begin(), before_.end());
  while (add(end, behind_) && end < pairs_.size() && !pairs_[end].has_space)
    ++end;
  const bool is_code = IsDigit(characters_[begin]) || IsDigit(characters_[end]);
  return !is_code || characters_[pair].shape == kHangul;
}

bool SpaceCorrector::AddLanguageOdds(size_t pair, Evidence* evidence) {
  const Letters* const letters = LettersOf(pairs_[pair]);
  if (letters == nullptr) return false;
  const Weights& weights =
      characters_[pair].shape == kHangul ? kHangulWeights : kAlphabetWeights;
  const double odds = evidence->odds + weights.with_language;
  const double most = weights.language * kMaxOfLanguage + kMinOddsInLanguage;
  // Whatever the words are, nothing would come of it, nor of a code.
  if (std::abs(odds) >= most) return true;
  if (!FindWords(pair, *letters)) return false;
  evidence->odds =
      odds + weights.language *
                 std::clamp(text::WordBreak(*letters->model, before_, behind_),
                            -kMaxOfLanguage, kMaxOfLanguage);
  return true;
}

void SpaceCorrector::Measure() {
  const auto median_of = [&](int Pair::*value, bool has_space) {
    sorted_.clear();
    for (const Pair& pair : pairs_)
      if (pair.has_space == has_space) sorted_.push_back(pair.*value);
    return static_cast<double>(Median(sorted_));
  };
  usual_.gap = median_of(&Pair::gap, false);
  usual_.distance = std::max(median_of(&Pair::distance, false), 1.0);
  const double wider = median_of(&Pair::gap, true) - usual_.gap;
  usual_.has_space = wider > 0;
  usual_.space =
      usual_.distance * (usual_.has_space ? std::clamp(wider / usual_.distance,
                                                       kMinSpace, kMaxSpace)
                                          : kSpaceDistances);
}

SpaceCorrector::Spread SpaceCorrector::SpreadOfSyllables() {
  if (!rules_.Has(Rule::kSpreadSyllables)) return Spread::kUsual;
  sorted_.clear();
  int least = std::numeric_limits<int>::max();
  for (const Pair& pair : pairs_) {
    if (!IsOfSyllables(pair)) continue;
    least = std::min(least, pair.gap);
    sorted_.push_back(pair.distance - pair.gap);
  }
  if (sorted_.empty()) return Spread::kUsual;
  const size_t count = sorted_.size();
  const double gap = least / std::max<double>(Median(sorted_), 1);
  if (gap >= (count > 1 ? kFarSyllables : kTwoFarSyllables))
    return Spread::kFar;
  const bool is_wide = gap >= kSpreadSyllables && count == pairs_.size();
  return is_wide && count > 1 ? Spread::kWide : Spread::kUsual;
}

bool SpaceCorrector::Correct(LineHypothesis& line) {
  if (space_ < 0 || line.is_empty_column.empty() || !FindCharacters(line))
    return false;
  std::vector<text::CtcStep>& steps = line.steps;
  const int columns_per_step = line.columns_per_step;
  bool is_changed = false;
  // A character may begin or end half a step beyond its middle.
  const int reach = columns_per_step / 2;
  for (Pair& pair : pairs_) {
    const Character& left = characters_[pair.left];
    const Character& right = characters_[pair.left + 1];
    const auto middle = [&](const Character& c) {
      return static_cast<int>(c.begin + c.end) * columns_per_step / 2;
    };
    pair.distance = middle(right) - middle(left);
    pair.gap = WidestGap(line.is_empty_column, middle(left) - reach,
                         middle(right) + reach);
  }
  Measure();
  const Spread spread = SpreadOfSyllables();
  tells_others_ = std::any_of(
      steps.begin(), steps.end(),
      [](const text::CtcStep& step) { return step.others[0].probability > 0; });
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const Character& left = characters_[pair.left];
    const Character& right = characters_[pair.left + 1];
    if (left.shape == kOther || right.shape == kOther) continue;
    Evidence evidence = Weigh(pair, steps);
    const bool is_far = spread == Spread::kFar || LettersOf(pair) == nullptr;
    const bool is_spread = spread != Spread::kUsual && IsOfSyllables(pair) &&
                           (is_far || !pair.has_space);
    if (is_spread) evidence = {is_far ? kMinOdds : kSpreadOdds, true};
    const bool is_asked =
        (is_spread && is_far) ||
        (rules_.Has(Rule::kSpaceWords) && AddLanguageOdds(i, &evidence));
    const bool is_hangul = left.shape == kHangul || right.shape == kHangul;
    if (is_hangul && !rules_.Has(Rule::kHangulSpaces)) continue;
    const double least = !rules_.Has(Rule::kSpaceDoubt) ? 0
                         : is_asked                     ? kMinOddsInLanguage
                                                        : kMinOdds;
    const bool is_space = evidence.odds > 0;
    const bool is_sure = std::abs(evidence.odds) >= least;
    if (!is_sure || is_space == pair.has_space) continue;
    if (!is_space) {
      for (size_t k = left.end; k < right.begin; ++k)
        if (steps[k].cls == space_) steps[k].cls = kBlank;
      is_changed = true;
      continue;
    }
    if (rules_.Has(Rule::kWideSpaces) && !evidence.is_wide) continue;
    if (rules_.Has(Rule::kNumberSpaces) && IsInNumber(pair.left)) continue;
    if (left.end == right.begin) continue;  // No step is free.
    steps[(left.end + right.begin) / 2] = {
        space_,
        (steps[left.begin].probability + steps[right.begin].probability) / 2,
        {}};
    is_changed = true;
  }
  return is_changed;
}

}  // namespace munja::ocr
