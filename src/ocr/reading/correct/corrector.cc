#include "reading/correct/corrector.h"

#include "reading/correct/dashes.h"
#include "reading/correct/quotes.h"
#include "reading/correct/separators.h"
#include "reading/correct/units.h"
#include "reading/correct/unknown_scripts.h"
#include "text/ctc.h"

namespace munja::ocr {
namespace {

std::optional<LanguageSearch> SearchOf(const text::CharacterClasses& classes,
                                       const RecognizerConfig& config,
                                       const text::Language& language) {
  if (language.empty()) return std::nullopt;
  LanguageWeights weights;
  weights.model = config.language_weight;
  weights.word = config.words_weight;
  weights.rules = config.rules;
  return LanguageSearch(classes, language, weights);
}

bool Always(const RecognizerConfig&) { return true; }

// Margins of a crop are no text: a space there would stand in every format
// that is written, and count in the confidence.
bool DropOuterSpaces(LineHypothesis& line) {
  bool is_changed = false;
  const auto blank_until_text = [&](auto step, auto end) {
    for (; step != end; ++step) {
      if (step->cls == kBlank) continue;
      const text::CharacterClass& c = line.classes()[step->cls];
      if (!c.is_single || !c.IsOneOf(U" \u3000")) return;
      step->cls = kBlank;
      is_changed = true;
    }
  };
  blank_until_text(line.steps.begin(), line.steps.end());
  blank_until_text(line.steps.rbegin(), line.steps.rend());
  return is_changed;
}

}  // namespace

// The rules for lines, in the order in which they are applied.
struct LineCorrector::LineRule {
  bool (*is_on)(const RecognizerConfig& config);
  // Whether any step changed.
  bool (*correct)(LineCorrector& corrector, LineHypothesis& line);
};
constexpr LineCorrector::LineRule LineCorrector::kLineRules[] = {
    // By what the network read itself.
    {[](const RecognizerConfig& config) {
       return config.unknown_writing != UnknownScript::kKeep;
     },
     [](LineCorrector& corrector, LineHypothesis& line) {
       line.script = corrector.script_judge_.Judge(line.steps);
       return false;
     }},
    {[](const RecognizerConfig& config) {
       return config.settle_signs && config.rules.Has(Rule::kFullWidth);
     },
     [](LineCorrector& corrector, LineHypothesis& line) {
       return corrector.look_alikes_.CorrectWidths(line);
     }},
    {[](const RecognizerConfig& config) { return config.part_words; },
     [](LineCorrector& corrector, LineHypothesis& line) {
       return corrector.spaces_.Correct(line);
     }},
    {[](const RecognizerConfig& config) {
       return config.settle_signs && config.rules.Has(Rule::kUnits);
     },
     [](LineCorrector&, LineHypothesis& line) {
       return DropLettersOfUnits(line);
     }},
    // Words are known once spaces are.
    {[](const RecognizerConfig& config) { return config.settle_signs; },
     [](LineCorrector& corrector, LineHypothesis& line) {
       return corrector.look_alikes_.Correct(line);
     }},
    {[](const RecognizerConfig& config) {
       return config.rules.Has(Rule::kOuterSpaces);
     },
     [](LineCorrector&, LineHypothesis& line) {
       return DropOuterSpaces(line);
     }},
    {Always,
     [](LineCorrector& corrector, LineHypothesis& line) {
       return corrector.CorrectByLanguage(line);
     }},
};

LineCorrector::LineCorrector(const text::Dictionary& dictionary,
                             const RecognizerConfig& config,
                             const text::Language& language)
    : config_(config),
      classes_(std::make_shared<const text::CharacterClasses>(dictionary)),
      script_judge_(*classes_),
      look_alikes_(*classes_, config.rules),
      spaces_(*classes_,
              config.language_weight > 0 ? language : text::Language(),
              config.rules),
      language_search_(SearchOf(*classes_, config, language)) {}

void LineCorrector::Correct(LineHypothesis& line) {
  for (const LineRule& rule : kLineRules)
    if (rule.is_on(config_) && rule.correct(*this, line)) line.StepsChanged();
}

bool LineCorrector::CorrectByLanguage(LineHypothesis& line) {
  if (!language_search_) return false;
  // How sure the network was of its own reading says how well it saw.
  const float confidence = text::MeanProbability(line.steps);
  if (!language_search_->Improve(line)) return false;
  line.confidence = confidence;
  return true;
}

namespace {

// The rules for pages, in the order in which they are applied.
struct PageRule {
  bool (*is_on)(const RecognizerConfig& config);
  void (*correct)(const RecognizerConfig& config,
                  const text::Dictionary& dictionary,
                  std::span<const LineText> lines);
};
constexpr PageRule kPageRules[] = {
    {[](const RecognizerConfig& config) {
       return config.settle_signs && config.rules.Has(Rule::kQuotes);
     },
     [](const RecognizerConfig&, const text::Dictionary& dictionary,
        std::span<const LineText> lines) { CorrectQuotes(dictionary, lines); }},
    {[](const RecognizerConfig& config) {
       return config.settle_signs && config.rules.Has(Rule::kDashes);
     },
     [](const RecognizerConfig&, const text::Dictionary& dictionary,
        std::span<const LineText> lines) {
       for (const LineText& line : lines) CorrectDashes(dictionary, line);
     }},
    {[](const RecognizerConfig& config) {
       return config.settle_signs && config.rules.Has(Rule::kSeparators);
     },
     [](const RecognizerConfig&, const text::Dictionary& dictionary,
        std::span<const LineText> lines) {
       CorrectSeparators(dictionary, lines);
     }},
    {Always,
     [](const RecognizerConfig& config, const text::Dictionary&,
        std::span<const LineText> lines) {
       WeighScripts(lines, config.unknown_likelihood);
     }},
};

}  // namespace

void CorrectPage(const RecognizerConfig& config,
                 const text::Dictionary& dictionary,
                 std::span<const LineText> lines) {
  for (const PageRule& rule : kPageRules)
    if (rule.is_on(config)) rule.correct(config, dictionary, lines);
}

}  // namespace munja::ocr
