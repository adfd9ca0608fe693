// Corrector: the rules that correct what the recognizer reads. They know text
// and where it stands in its line, but neither boxes nor pixels.
#ifndef MUNJA_READING_CORRECT_CORRECTOR_H_
#define MUNJA_READING_CORRECT_CORRECTOR_H_

#include <memory>
#include <optional>
#include <span>

#include "reading/correct/language_search.h"
#include "reading/correct/line_hypothesis.h"
#include "reading/correct/line_text.h"
#include "reading/correct/look_alikes.h"
#include "reading/correct/script.h"
#include "reading/correct/spaces.h"
#include "reading/network/config.h"
#include "text/character_class.h"
#include "text/dictionary.h"
#include "text/language.h"

namespace munja::ocr {

// Corrects lines while they are read. Keeps its memory from line to line; one
// caller at a time.
class LineCorrector {
 public:
  LineCorrector(const text::Dictionary& dictionary,
                const RecognizerConfig& config, const text::Language& language);

  // Another with memory of its own. While this one corrects, too, as long as
  // that one never did.
  LineCorrector(const LineCorrector&) = default;
  LineCorrector& operator=(const LineCorrector&) = default;

  // An empty hypothesis of this dictionary.
  LineHypothesis Hypothesis() const { return LineHypothesis(*classes_); }
  // Applies the rules for lines to what was read.
  void Correct(LineHypothesis& line);

 private:
  struct LineRule;
  static const LineRule kLineRules[];

  bool CorrectByLanguage(LineHypothesis& line);

  RecognizerConfig config_;
  std::shared_ptr<const text::CharacterClasses> classes_;
  ScriptJudge script_judge_;
  LookAlikes look_alikes_;
  SpaceCorrector spaces_;
  std::optional<LanguageSearch> language_search_;
};

// Applies the rules for pages: corrections by what lines that are read together
// say of each other.
void CorrectPage(const RecognizerConfig& config,
                 const text::Dictionary& dictionary,
                 std::span<const LineText> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_CORRECTOR_H_
