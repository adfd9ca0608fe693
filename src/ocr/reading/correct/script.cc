#include "reading/correct/script.h"

#include <utf8proc.h>

#include <algorithm>
#include <cmath>

#include "reading/correct/script_weights.h"
#include "text/utf8.h"

namespace munja::text {
namespace {

constexpr int kNoLetter = 0;

// So many letters of a script, or letters and digits of Latin, are an alphabet,
// not a few signs of mathematics.
constexpr int kAlphabet = 60;
constexpr int kSyllables = 500;

constexpr std::array<float, 6> kProbabilities = {0.3f,  0.5f,  0.7f,
                                                 0.85f, 0.95f, 0.99f};

// Where the features begin.
constexpr size_t kPairs = 0;
constexpr size_t kLetters = WritingJudge::kKinds * WritingJudge::kKinds;
constexpr size_t kBins = kLetters + 62;
constexpr size_t kRunnerUps = kBins + kProbabilities.size() + 1;
constexpr size_t kOtherKind = kRunnerUps + 2;
constexpr size_t kUnsureBlanks = kOtherKind + 1;
constexpr size_t kSteps = kUnsureBlanks + 1;
constexpr size_t kCount = kSteps + 1;
constexpr size_t kBias = kCount + 1;
constexpr size_t kLeast = kBias + 1;
constexpr size_t kAllSure = kLeast + 1;
constexpr size_t kMeanDoubt = kAllSure + 1;
constexpr size_t kShort = kMeanDoubt + 1;
static_assert(kShort + 1 == WritingJudge::kFeatures);

bool IsHan(char32_t c) {
  return (c >= 0x2E80 && c <= 0x2FDF) || (c >= 0x3040 && c <= 0x30FF) ||
         (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace

std::string_view WritingName(Writing writing) {
  constexpr std::string_view kNames[kWritings] = {
      "",    "cyrillic", "greek", "arabic",  "hebrew",
      "cjk", "hangul",   "other", "not text"};
  return kNames[static_cast<size_t>(writing)];
}

WritingJudge::Look WritingJudge::LookOf(std::string_view symbol) {
  if (symbol.empty()) return {};
  const char32_t c = NextCodePoint(symbol);
  if (c == U' ' || c == U'\u3000') return {kEdge};
  const auto letter = [](char32_t offset) {
    return static_cast<uint8_t>(offset);
  };
  if (c >= U'a' && c <= U'z') return {kSmall, letter(c - U'a' + 1)};
  if (c >= U'A' && c <= U'Z') return {kCapital, letter(c - U'A' + 27)};
  if (c >= U'0' && c <= U'9') return {kDigit, letter(c - U'0' + 53)};
  if (c < 0x80) return {kSign};
  if (c >= 0xAC00 && c <= 0xD7A3) return {kHangulSyllable};
  if (c >= 0x3130 && c <= 0x318F) return {kJamo};
  if (IsHan(c)) return {kHan};
  if ((c >= 0x3000 && c < 0x3040) || (c >= 0xFF00 && c <= 0xFFEF))
    return {kFullWidth};
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  const bool is_letter =
      category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LU;
  if (is_letter && (c < 0x0250 || (c >= 0x1E00 && c < 0x1F00)))
    return {kAccented};
  return {kAny, 0, is_letter || category == UTF8PROC_CATEGORY_LO};
}

WritingJudge::WritingJudge(const Dictionary& dictionary) {
  std::array<int, kWritings> letters{};
  std::array<bool, 63> latin{};
  bool has_kana = false;
  looks_.resize(static_cast<size_t>(dictionary.classes()));
  for (int cls = kNoLetter + 1; cls < dictionary.classes(); ++cls) {
    std::string_view symbol = dictionary.symbol(cls);
    looks_[static_cast<size_t>(cls)] = LookOf(symbol);
    latin[looks_[static_cast<size_t>(cls)].letter] = true;
    if (symbol.empty()) continue;
    const char32_t c = NextCodePoint(symbol);
    has_kana = has_kana || (c >= 0x3041 && c <= 0x30FF);
    const auto count = [&](bool is_of, Writing writing) {
      if (is_of) ++letters[static_cast<size_t>(writing)];
    };
    count(c >= 0x0400 && c < 0x0530, Writing::kCyrillic);
    // Letters of mathematics are in many alphabets: those with accents count.
    count(c >= 0x0384 && c < 0x0400, Writing::kGreek);
    count((c >= 0x0600 && c < 0x0780) || (c >= 0xFB50 && c < 0xFEFF),
          Writing::kArabic);
    count(c >= 0x05D0 && c < 0x05F0, Writing::kHebrew);
    count(IsHan(c), Writing::kCjk);
    count(c >= 0xAC00 && c <= 0xD7A3, Writing::kHangul);
  }
  knows_latin_ = std::count(latin.begin() + 1, latin.end(), true) >= kAlphabet;
  const auto knows = [&](Writing writing, int least) {
    return letters[static_cast<size_t>(writing)] >= least;
  };
  const auto set = [&](Writing writing, bool is_known) {
    is_known_[static_cast<size_t>(writing)] = is_known;
  };
  set(Writing::kCyrillic, knows(Writing::kCyrillic, kAlphabet));
  set(Writing::kGreek, knows(Writing::kGreek, kAlphabet));
  set(Writing::kArabic, knows(Writing::kArabic, 28));
  set(Writing::kHebrew, knows(Writing::kHebrew, 22));
  set(Writing::kCjk, has_kana && knows(Writing::kCjk, kSyllables));
  set(Writing::kHangul, knows(Writing::kHangul, kSyllables));
}

void WritingJudge::Measure(std::span<const CtcStep> steps,
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
      for (const CtcChoice& choice : steps[i].others) {
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
  add(kSteps, static_cast<float>(steps.size()) / 10);
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

bool WritingJudge::IsJudged(std::span<const CtcStep> steps) const {
  if (!knows_latin_) return false;
  size_t letters = 0, others = 0;
  int previous = kNoLetter;
  for (const CtcStep& step : steps) {
    const Look look = looks_[static_cast<size_t>(step.cls)];
    if (step.cls != previous && look.kind != kEdge) {
      ++letters;
      if (look.is_other_letter) ++others;
    }
    previous = step.cls;
  }
  return 2 * others < letters;
}

WritingGuess WritingJudge::Judge(std::span<const CtcStep> steps) {
  if (!IsJudged(steps)) return {};
  Measure(steps, features_);
  if (features_.empty()) return {};
  std::array<double, kWritings> odds{};
  for (size_t w = 1; w < kWritings; ++w) {
    double sum = 0;
    for (const Feature& feature : features_)
      sum += static_cast<double>(feature.amount) *
             kWritingWeights[w - 1][feature.index];
    odds[w] = is_known_[w] ? 0 : std::exp(std::min(sum * kWritingScale, 50.0));
  }
  odds[0] = 1;
  double all = 0;
  for (const double o : odds) all += o;
  const auto best = std::max_element(odds.begin() + 1, odds.end());
  return {static_cast<float>(1 - odds[0] / all),
          static_cast<Writing>(best - odds.begin())};
}

}  // namespace munja::text
