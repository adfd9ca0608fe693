#include "reading/correct/language_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace munja::ocr {
namespace {

constexpr size_t kNoModel = ~size_t{0};

// A character read with this probability is what it is.
constexpr float kSureRead = 0.95f;
// Choices below are not looked at.
constexpr float kMinChoiceProbability = 0.01f;
// Shorter words say too little, and are often not words.
constexpr size_t kMinLetters = 3;
// A model gives a letter of a word that it knows at least this logarithm, on
// the average. Words of other languages get less: what a model makes of them is
// rather one of its own words than what stands there.
constexpr float kKnownLetter = -2.9f;
// The mean probability of its characters from which on a word is seen so well
// that this counts.
constexpr float kClearWord = 0.93f;

// Signs of addresses, prices, formulas and codes.
constexpr std::u32string_view kCodeSigns = U"@#/\\_$€£¥₩%+=*<>|~^&";

}  // namespace

LanguageSearch::LanguageSearch(const text::CharacterClasses& classes,
                               const text::Language& language,
                               const LanguageWeights& weights)
    : language_(language), weights_(weights) {
  if (!(weights_.model > 0)) language_.models.clear();
  for (int cls = 0; cls < classes.size(); ++cls)
    classes_.push_back(ClassOf(classes[cls]));
  for (const auto& model : language_.models)
    symbols_.push_back(text::SymbolsOf(*model, classes));
}

LanguageSearch::Class LanguageSearch::ClassOf(const text::CharacterClass& c) {
  using text::Category;
  if (c.category == Category::kNone) return {kBlank, 0};
  if (!c.is_single) return {kLetter, 0};
  switch (c.category) {
    case Category::kSpace:
      return {kSpace, c.code_point};
    case Category::kSmall:
      return {kSmall, c.code_point};
    case Category::kCapital:
      return {kCapital, c.code_point};
    case Category::kOtherLetter:
    case Category::kModifier:
    case Category::kMark:
      return {kLetter, c.code_point};
    case Category::kDecimal:
    case Category::kOtherNumber:
      return {kDigit, c.code_point};
    default:
      return {c.IsOneOf(kCodeSigns) ? kCodeSign : kSign, c.code_point};
  }
}

bool LanguageSearch::FindCharacters(std::span<const text::CtcStep> steps,
                                    std::span<const ReadCharacter> word,
                                    size_t begin, size_t end) {
  const auto is_open = [&](const text::CtcStep& step, float sure) {
    return sure < kSureRead &&
           step.others[0].probability >= kMinChoiceProbability;
  };
  bool is_any_open = false;
  for (size_t i = begin; i < end; ++i)
    is_open_[i] = is_open(steps[i], steps[i].probability);
  characters_.clear();
  for (const ReadCharacter& c : word) {
    if (classes_[static_cast<size_t>(c.cls)].kind == kBlank) continue;
    float probability = 0;
    for (size_t i = c.begin; i < c.end; ++i)
      probability = std::max(probability, steps[i].probability);
    for (size_t i = c.begin; i < c.end; ++i)
      is_open_[i] = is_open(steps[i], probability);
    characters_.push_back({c, probability});
  }
  for (size_t i = begin; i < end; ++i)
    is_any_open = is_any_open || is_open_[i] != 0;
  small_ = capital_ = 0;
  for (size_t i = 1; i < characters_.size(); ++i) {
    if (characters_[i].probability < kSureRead) continue;
    const Kind kind = classes_[static_cast<size_t>(characters_[i].cls)].kind;
    if (kind == kSmall) ++small_;
    if (kind == kCapital) ++capital_;
  }
  return is_any_open;
}

size_t LanguageSearch::FindModel() const {
  if (is_of_another_) return kNoModel;
  size_t letters = 0;
  for (size_t i = 0; i < characters_.size(); ++i) {
    const Class& c = classes_[static_cast<size_t>(characters_[i].cls)];
    if ((c.kind == kDigit || c.kind == kCodeSign) &&
        weights_.rules.Has(Rule::kCodes))
      return kNoModel;
    if (c.kind != kSign) ++letters;
    // "example.com"; what ends a sentence has a space behind it.
    const bool is_inside =
        i > 0 && i + 1 < characters_.size() && weights_.rules.Has(Rule::kCodes);
    if (is_inside && (c.code_point == U'.' || c.code_point == U':') &&
        classes_[static_cast<size_t>(characters_[i + 1].cls)].kind != kSign)
      return kNoModel;
  }
  if (letters < kMinLetters) return kNoModel;
  for (size_t model = 0; model < language_.models.size(); ++model) {
    const auto is_its = [&](const Character& character) {
      const auto cls = static_cast<size_t>(character.cls);
      return classes_[cls].kind == kSign ||
             (!weights_.rules.Has(Rule::kCodes) &&
              (classes_[cls].kind == kDigit ||
               classes_[cls].kind == kCodeSign)) ||
             symbols_[model][cls] != text::LanguageModel::kEdge;
    };
    if (std::all_of(characters_.begin(), characters_.end(), is_its))
      return model;
  }
  return kNoModel;
}

// Whether the choice would take away the word's first or last character: a
// blank, or the character beside it, which becomes one with that.
bool LanguageSearch::DropsAnEdge(const text::CtcChoice& choice,
                                 size_t step) const {
  const auto drops = [&](const Character& edge, const Character& beside) {
    return edge.begin <= step && step < edge.end &&
           (classes_[static_cast<size_t>(choice.cls)].kind == kBlank ||
            choice.cls == beside.cls);
  };
  const size_t count = characters_.size();
  return count > 1 && (drops(characters_[0], characters_[1]) ||
                       drops(characters_[count - 1], characters_[count - 2]));
}

// Whether the choice is a possible one in that step.
bool LanguageSearch::MayBe(const text::CtcChoice& choice, size_t step,
                           size_t model) const {
  if (choice.probability < kMinChoiceProbability) return false;
  const auto cls = static_cast<size_t>(choice.cls);
  const Kind kind = classes_[cls].kind;
  if (kind == kSpace) return false;
  // The first and the last character of a word are there, whatever they are:
  // the image shows ink, while models prefer "iredness" to an uncertain "T".
  if (weights_.rules.Has(Rule::kWordEdges) && DropsAnEdge(choice, step))
    return false;
  if (kind == kBlank || model == kNoModel) return true;
  if (symbols_[model][cls] == text::LanguageModel::kEdge) return false;
  if (!weights_.rules.Has(Rule::kLetterCase)) return true;
  // Letters in the case of the others; the first may be a capital.
  if (kind == kCapital && small_ > 0)
    return characters_.empty() || step < characters_.front().end;
  if (kind == kSmall) return small_ > 0 || capital_ < 2;
  return true;
}

void LanguageSearch::Emit(Reading& reading, int cls, size_t model) const {
  const Class& c = classes_[static_cast<size_t>(cls)];
  const bool is_sign = c.kind == kSign || c.kind == kCodeSign;
  if (model != kNoModel) {
    const Symbol symbol = symbols_[model][static_cast<size_t>(cls)];
    const bool is_edge = symbol == text::LanguageModel::kEdge;
    const bool was_edge = reading.context.back() == text::LanguageModel::kEdge;
    if (!is_edge || !was_edge) {
      const std::span<const Symbol> context =
          std::span<const Symbol>(reading.context).last(reading.known);
      const float log =
          language_.models[model]->LogProbability(context, symbol);
      reading.score +=
          weights_.model * (log + (is_edge ? 0.0f : weights_.letter));
    }
    std::move(reading.context.begin() + 1, reading.context.end(),
              reading.context.begin());
    reading.context.back() = symbol;
    // Behind an edge nothing counts that was before it.
    reading.known = is_edge ? uint8_t{1}
                            : static_cast<uint8_t>(std::min<size_t>(
                                  reading.known + size_t{1}, kContext));
    if (is_edge) reading.context.fill(text::LanguageModel::kEdge);
  }
  if (language_.words == nullptr) return;
  const text::WordList::Place next =
      language_.words->Next(reading.place, c.code_point);
  if (next == text::WordList::kNowhere && is_sign) {
    if (language_.words->IsWord(reading.place)) reading.score += weights_.word;
    const text::WordList::Place first =
        language_.words->Next(text::WordList::kStart, c.code_point);
    reading.place =
        first == text::WordList::kNowhere ? text::WordList::kStart : first;
  } else {
    reading.place = next;
  }
}

float LanguageSearch::AtEnd(const Reading& reading, size_t model) const {
  float score = reading.score;
  if (model != kNoModel &&
      reading.context.back() != text::LanguageModel::kEdge) {
    const std::span<const Symbol> context =
        std::span<const Symbol>(reading.context).last(reading.known);
    score += weights_.model * language_.models[model]->LogProbability(
                                  context, text::LanguageModel::kEdge);
  }
  if (language_.words != nullptr && language_.words->IsWord(reading.place))
    score += weights_.word;
  return score;
}

// `reading` with one more step, into next_; of readings that go on alike the
// better one is kept.
void LanguageSearch::Follow(const Reading& reading,
                            const text::CtcChoice& choice, size_t step,
                            bool is_other, size_t model) {
  Reading next = reading;
  const Kind kind = classes_[static_cast<size_t>(choice.cls)].kind;
  if (kind != kBlank && choice.cls != reading.last)
    Emit(next, choice.cls, model);
  next.last = choice.cls;
  if (is_open_[step] != 0)
    next.score += std::log(std::max(choice.probability, 1e-6f));
  const auto same =
      std::find_if(next_.begin(), next_.end(), [&](const Reading& other) {
        return other.last == next.last && other.known == next.known &&
               other.place == next.place && other.context == next.context;
      });
  if (same != next_.end() && same->score >= next.score) return;
  if (is_other) {
    traces_.push_back({reading.trace, step, choice});
    next.trace = static_cast<uint32_t>(traces_.size());
  }
  if (same != next_.end())
    *same = next;
  else
    next_.push_back(next);
}

bool LanguageSearch::ReadWord(std::span<const ReadCharacter> word, size_t begin,
                              size_t end, std::vector<text::CtcStep>& steps) {
  if (!FindCharacters(steps, word, begin, end)) return false;
  const size_t model = FindModel();
  if (model == kNoModel && language_.words == nullptr) return false;
  Reading start;
  start.last = begin > 0 ? steps[begin - 1].cls : 0;
  start.known = 1;
  readings_.assign(1, start);
  traces_.clear();
  for (size_t i = begin; i < end; ++i) {
    next_.clear();
    for (const Reading& reading : readings_) {
      const text::CtcStep& step = steps[i];
      Follow(reading, {step.cls, step.probability}, i, false, model);
      // Models know nothing of signs.
      const bool is_sign =
          classes_[static_cast<size_t>(step.cls)].kind == kSign;
      if (is_open_[i] == 0 || (is_sign && model != kNoModel)) continue;
      for (const text::CtcChoice& other : step.others)
        if (other.cls != step.cls && MayBe(other, i, model))
          Follow(reading, other, i, true, model);
    }
    if (next_.size() > weights_.beam) {
      std::stable_sort(
          next_.begin(), next_.end(),
          [](const Reading& a, const Reading& b) { return a.score > b.score; });
      next_.resize(weights_.beam);
    }
    readings_.swap(next_);
  }
  const Reading* best = nullptr;
  float most = 0;
  for (const Reading& reading : readings_) {
    const float score = AtEnd(reading, model);
    // The network's own reading comes first.
    if (best != nullptr && score <= most) continue;
    best = &reading;
    most = score;
  }
  if (best->trace == 0) return false;
  const auto first = steps.begin() + static_cast<ptrdiff_t>(begin);
  std::vector<text::CtcStep> changed(
      first, steps.begin() + static_cast<ptrdiff_t>(end));
  for (uint32_t at = best->trace; at != 0; at = traces_[at - 1].before) {
    const Trace& trace = traces_[at - 1];
    changed[trace.step - begin].cls = trace.choice.cls;
    changed[trace.step - begin].probability = trace.choice.probability;
  }
  if (model != kNoModel && IsClear() &&
      !IsKnown({&*first, changed.size()}, changed, model))
    return false;
  std::copy(changed.begin(), changed.end(), first);
  return true;
}

bool LanguageSearch::IsClear() const {
  float sum = 0;
  for (const Character& c : characters_) sum += c.probability;
  return sum >= kClearWord * static_cast<float>(characters_.size());
}

bool LanguageSearch::IsKnown(std::span<const text::CtcStep> before,
                             std::span<const text::CtcStep> word,
                             size_t model) const {
  const float each = weights_.model * (weights_.letter + kKnownLetter);
  Reading reading;
  reading.known = 1;
  float start = 0;
  int letters = 0, last = 0;
  bool is_changed = false, are_known = true;
  const auto end_part = [&](float score) {
    are_known =
        are_known &&
        (!is_changed || score - start >= each * static_cast<float>(letters));
    start = score;
    letters = 0;
    is_changed = false;
  };
  for (size_t i = 0; i < word.size(); ++i) {
    const auto cls = static_cast<size_t>(word[i].cls);
    is_changed = is_changed || word[i].cls != before[i].cls;
    if (word[i].cls != last && classes_[cls].kind != kBlank) {
      Emit(reading, word[i].cls, model);
      if (symbols_[model][cls] == text::LanguageModel::kEdge)
        end_part(reading.score);
      else
        ++letters;
    }
    last = word[i].cls;
  }
  end_part(AtEnd(reading, model));
  return are_known ||
         (language_.words != nullptr && language_.words->IsWord(reading.place));
}

// Whether a letter of the line belongs to none of the models: "TKTNO" beside
// Chinese is rather a name or a code than a word of theirs.
bool LanguageSearch::IsOfAnother(
    const std::vector<text::CtcStep>& steps) const {
  return std::any_of(
      steps.begin(), steps.end(), [&](const text::CtcStep& step) {
        const auto cls = static_cast<size_t>(step.cls);
        const Kind kind = classes_[cls].kind;
        return (kind == kSmall || kind == kCapital || kind == kLetter) &&
               std::all_of(symbols_.begin(), symbols_.end(),
                           [&](const std::vector<Symbol>& symbols) {
                             return symbols[cls] == text::LanguageModel::kEdge;
                           });
      });
}

bool LanguageSearch::Improve(LineHypothesis& line) {
  if (language_.empty()) return false;
  std::vector<text::CtcStep>& steps = line.steps;
  is_of_another_ =
      weights_.rules.Has(Rule::kForeignLetters) && IsOfAnother(steps);
  if (is_of_another_ && language_.words == nullptr) return false;
  is_open_.assign(steps.size(), 0);
  bool is_changed = false;
  const auto is_space = [&](const text::CtcStep& step) {
    return classes_[static_cast<size_t>(step.cls)].kind == kSpace;
  };
  const std::span<const ReadCharacter> all = line.characters();
  size_t next = 0;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i;
    while (end < steps.size() && !is_space(steps[end])) ++end;
    while (next < all.size() && all[next].begin < i) ++next;
    size_t last = next;
    while (last < all.size() && all[last].begin < end) ++last;
    if (end > i && ReadWord(all.subspan(next, last - next), i, end, steps))
      is_changed = true;
    i = end + 1;
  }
  return is_changed;
}

}  // namespace munja::ocr
