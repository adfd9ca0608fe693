#include "reading/correct/script.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reading/correct/script_weights.h"
#include "text/unreadable.h"

namespace munja::ocr {
namespace {

constexpr int kNoLetter = 0;

// The least number of letters of a script, or of letters and digits of Latin,
// that is an alphabet and not a few signs of mathematics.
constexpr int kAlphabet = 60;
constexpr int kSyllables = 500;

constexpr std::array<float, 6> kProbabilities = {0.3f,  0.5f,  0.7f,
                                                 0.85f, 0.95f, 0.99f};

// Where the features begin.
constexpr size_t kPairs = 0;
constexpr size_t kLetters = ScriptJudge::kKinds * ScriptJudge::kKinds;
constexpr size_t kBins = kLetters + 62;
constexpr size_t kRunnerUps = kBins + kProbabilities.size() + 1;
constexpr size_t kOtherKind = kRunnerUps + 2;
constexpr size_t kUnsureBlanks = kOtherKind + 1;
constexpr size_t kScriptSteps = kUnsureBlanks + 1;
constexpr size_t kCount = kScriptSteps + 1;
constexpr size_t kBias = kCount + 1;
constexpr size_t kLeast = kBias + 1;
constexpr size_t kAllSure = kLeast + 1;
constexpr size_t kMeanDoubt = kAllSure + 1;
constexpr size_t kShort = kMeanDoubt + 1;
static_assert(kShort + 1 == ScriptJudge::kFeatures);

bool IsHan(const text::CharacterClass& c) {
  return c.block == text::Block::kHan || c.block == text::Block::kKana;
}

}  // namespace

std::string_view ScriptName(text::Script script) {
  constexpr std::string_view kNames[kScripts] = {
      "",    "cyrillic", "greek", "arabic",  "hebrew",
      "cjk", "hangul",   "other", "not text"};
  return kNames[static_cast<size_t>(script)];
}

ScriptJudge::Look ScriptJudge::LookOf(const text::CharacterClass& c) {
  using text::Block;
  if (c.category == text::Category::kNone) return {};
  if (const text::Script mark = text::ScriptOfMark(c.code_point);
      mark != text::Script::kKnown)
    return {kAny, 0, false, mark};
  if (c.code_point == U' ' || c.code_point == U'\u3000') return {kEdge};
  const auto letter = [&](char32_t first, int place) {
    return static_cast<uint8_t>(c.code_point - first +
                                static_cast<char32_t>(place));
  };
  if (c.IsAsciiSmall()) return {kSmall, letter(U'a', 1)};
  if (c.IsAsciiCapital()) return {kCapital, letter(U'A', 27)};
  if (c.IsAsciiDigit()) return {kDigit, letter(U'0', 53)};
  if (c.block == Block::kAscii) return {kSign};
  if (c.block == Block::kHangul) return {kHangulSyllable};
  if (c.block == Block::kJamo) return {Kind::kJamo};
  if (IsHan(c)) return {Kind::kHan};
  if (c.block == Block::kCjkSigns || c.block == Block::kFullWidth)
    return {Kind::kFullWidth};
  if (c.IsCasedLetter() &&
      (c.block == Block::kLatinSigns || c.block == Block::kLatin))
    return {kAccented};
  return {kAny, 0,
          c.IsCasedLetter() || c.category == text::Category::kOtherLetter};
}

ScriptJudge::ScriptJudge(const text::CharacterClasses& classes) {
  std::array<int, kScripts> letters{};
  std::array<bool, 63> latin{};
  bool has_kana = false;
  looks_.resize(static_cast<size_t>(classes.size()));
  for (int cls = kNoLetter + 1; cls < classes.size(); ++cls) {
    const text::CharacterClass& c = classes[cls];
    looks_[static_cast<size_t>(cls)] = LookOf(c);
    latin[looks_[static_cast<size_t>(cls)].letter] = true;
    if (c.category == text::Category::kNone) continue;
    has_kana = has_kana || c.IsBetween(0x3041, 0x30FF);
    const auto count = [&](bool is_of, text::Script script) {
      if (is_of) ++letters[static_cast<size_t>(script)];
    };
    count(c.block == text::Block::kCyrillic, text::Script::kCyrillic);
    // Letters of mathematics are in many alphabets: those with accents count.
    count(c.IsBetween(0x0384, 0x03FF), text::Script::kGreek);
    count(c.IsBetween(0x0600, 0x077F) || c.IsBetween(0xFB50, 0xFEFE),
          text::Script::kArabic);
    count(c.IsBetween(0x05D0, 0x05EF), text::Script::kHebrew);
    count(IsHan(c), text::Script::kCjk);
    count(c.block == text::Block::kHangul, text::Script::kHangul);
  }
  knows_latin_ = std::count(latin.begin() + 1, latin.end(), true) >= kAlphabet;
  const auto knows = [&](text::Script script, int least) {
    return letters[static_cast<size_t>(script)] >= least;
  };
  const auto set = [&](text::Script script, bool is_known) {
    is_known_[static_cast<size_t>(script)] = is_known;
  };
  set(text::Script::kCyrillic, knows(text::Script::kCyrillic, kAlphabet));
  set(text::Script::kGreek, knows(text::Script::kGreek, kAlphabet));
  set(text::Script::kArabic, knows(text::Script::kArabic, 28));
  set(text::Script::kHebrew, knows(text::Script::kHebrew, 22));
  set(text::Script::kCjk, has_kana && knows(text::Script::kCjk, kSyllables));
  set(text::Script::kHangul, knows(text::Script::kHangul, kSyllables));
}

void ScriptJudge::Measure(std::span<const text::CtcStep> steps,
                          std::vector<Feature>& features) const {
  features.clear();
  const auto add = [&](size_t index, float amount) {
    features.push_back({static_cast<uint16_t>(index), amount});
  };
  const auto look_of = [&](int cls) {
    return looks_[static_cast<size_t>(cls)];
  };
  Look last;
  size_t count = 0;
  float least = 1;
  float doubt = 0, blank_doubt = 0;
  for (size_t i = 0; i < steps.size();) {
    const int cls = steps[i].cls;
    size_t end = i + 1;
    while (end < steps.size() && steps[end].cls == cls) ++end;
    if (cls == kNoLetter) {
      for (; i < end; ++i) blank_doubt += 1 - steps[i].probability;
      continue;
    }
    const Look look = look_of(cls);
    float own = 0, other = 0;
    Look other_look = look;
    for (; i < end; ++i) {
      if (steps[i].probability <= own) continue;
      own = steps[i].probability;
      other = 0;
      for (const text::CtcChoice& choice : steps[i].others) {
        if (choice.cls == kNoLetter || choice.probability <= other) continue;
        other = choice.probability;
        other_look = look_of(choice.cls);
      }
    }
    add(kPairs + last.kind * kKinds + look.kind, 1);
    last = look;
    // A space is no letter that could be known.
    if (look.kind == kEdge) continue;
    ++count;
    if (look.letter > 0) add(kLetters + look.letter - 1, 1);
    const auto bin = static_cast<size_t>(
        std::upper_bound(kProbabilities.begin(), kProbabilities.end(), own) -
        kProbabilities.begin());
    add(kBins + bin, 1);
    if (other > 0.05f) add(kRunnerUps, 1);
    if (other > 0.2f) add(kRunnerUps + 1, 1);
    if (other > 0.05f && other_look.kind != look.kind) add(kOtherKind, 1);
    least = std::min(least, own);
    doubt += 1 - own;
  }
  if (count == 0) {
    features.clear();
    return;
  }
  add(kPairs + last.kind * kKinds + kEdge, 1);
  add(kUnsureBlanks, blank_doubt);
  add(kScriptSteps, static_cast<float>(steps.size()) / 10);
  add(kCount, static_cast<float>(count));
  // Long lines tell more, though not by as much as they are longer.
  const auto characters = static_cast<float>(count);
  const float scale = 1 / std::sqrt(characters);
  for (Feature& feature : features) feature.amount *= scale;
  add(kBias, 1);
  add(kLeast, least);
  if (least > 0.9f) add(kAllSure, 1);
  add(kMeanDoubt, doubt / characters);
  add(kShort, scale);
}

bool ScriptJudge::IsJudged(std::span<const text::CtcStep> steps) const {
  if (!knows_latin_) return false;
  size_t letters = 0, others = 0;
  int previous = kNoLetter;
  for (const text::CtcStep& step : steps) {
    const Look look = looks_[static_cast<size_t>(step.cls)];
    if (step.cls != previous && look.kind != kEdge) {
      ++letters;
      if (look.is_other_letter) ++others;
    }
    previous = step.cls;
  }
  return 2 * others < letters;
}

// Where the network itself says that it cannot read, nothing is guessed: a line
// of more marks than other letters and digits is in the script of most marks.
// One of fewer is judged by the looks of the rest.
std::optional<text::ScriptGuess> ScriptJudge::JudgeByMarks(
    std::span<const text::CtcStep> steps) const {
  std::array<int, kScripts> marks{};
  int letters = 0, previous = kNoLetter;
  for (const text::CtcStep& step : steps) {
    const Look look = looks_[static_cast<size_t>(step.cls)];
    if (step.cls != previous) {
      if (look.mark != text::Script::kKnown)
        ++marks[static_cast<size_t>(look.mark)];
      else if (look.kind != kEdge && look.kind != kSign && look.kind != kAny)
        ++letters;
    }
    previous = step.cls;
  }
  const int all = std::accumulate(marks.begin(), marks.end(), 0);
  if (all <= letters) return std::nullopt;
  const auto most = std::max_element(marks.begin(), marks.end());
  return text::ScriptGuess{1, static_cast<text::Script>(most - marks.begin())};
}

text::ScriptGuess ScriptJudge::Judge(std::span<const text::CtcStep> steps) {
  if (const auto guess = JudgeByMarks(steps)) return *guess;
  if (!IsJudged(steps)) return {};
  Measure(steps, features_);
  if (features_.empty()) return {};
  std::array<double, kScripts> odds{};
  for (size_t w = 1; w < kScripts; ++w) {
    double sum = 0;
    for (const Feature& feature : features_)
      sum += static_cast<double>(feature.amount) *
             kScriptWeights[w - 1][feature.index];
    odds[w] = is_known_[w] ? 0 : std::exp(std::min(sum * kScriptScale, 50.0));
  }
  odds[0] = 1;
  double all = 0;
  for (const double o : odds) all += o;
  const auto best = std::max_element(odds.begin() + 1, odds.end());
  return {static_cast<float>(1 - odds[0] / all),
          static_cast<text::Script>(best - odds.begin())};
}

}  // namespace munja::ocr
