// LineHypothesis: what a line may say, by the recognizer's steps. Rules of
// correction work on it one after the other.
#ifndef MUNJA_READING_CORRECT_LINE_HYPOTHESIS_H_
#define MUNJA_READING_CORRECT_LINE_HYPOTHESIS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "text/character_class.h"
#include "text/ctc.h"

namespace munja::ocr {

// The class of no character.
inline constexpr int kBlank = 0;

// A character of the line, spaces too: steps [begin, end) that read it as one
// class.
struct ReadCharacter {
  size_t begin = 0, end = 0;
  int cls = 0;
};

class LineHypothesis {
 public:
  // The classes, which must live longer, are those of the dictionary.
  explicit LineHypothesis(const text::CharacterClasses& classes)
      : classes_(&classes) {}
  LineHypothesis(const text::CharacterClasses& classes,
                 std::vector<text::CtcStep> read)
      : steps(std::move(read)), classes_(&classes) {}

  // Another line: no steps, nothing known. Memory is kept.
  void Start(int columns);

  std::vector<text::CtcStep> steps;
  // Step i lies on the columns [i, i + 1) * columns_per_step of the crop.
  int columns_per_step = 1;
  // Columns of the crop that hold no ink; none are known of a crop without ink.
  std::vector<bool> is_empty_column;
  // Which script it is in, and how sure the network was of its own reading, if
  // that is not what its steps say now.
  text::ScriptGuess script = {};
  std::optional<float> confidence;

  const text::CharacterClasses& classes() const { return *classes_; }
  const text::CharacterClass& ClassOf(const ReadCharacter& c) const {
    return (*classes_)[c.cls];
  }
  // The characters that the steps read. A rule that changes steps says so to
  // those that come after it: StepsChanged().
  std::span<const ReadCharacter> characters();
  void StepsChanged() { is_current_ = false; }

 private:
  const text::CharacterClasses* classes_;
  bool is_current_ = false;
  std::vector<ReadCharacter> characters_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_LINE_HYPOTHESIS_H_
