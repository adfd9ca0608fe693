// Re-reads the low-confidence steps of a line as its words let expect: a beam
// search over what the network holds possible, with language models and a
// user's words.
#ifndef MUNJA_READING_CORRECT_LANGUAGE_SEARCH_H_
#define MUNJA_READING_CORRECT_LANGUAGE_SEARCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reading/correct/line_hypothesis.h"
#include "reading/network/rules.h"
#include "text/character_class.h"
#include "text/ctc.h"
#include "text/language.h"
#include "text/language_model.h"
#include "text/word_list.h"

namespace munja::ocr {

struct LanguageWeights {
  // Weight of the models' logarithms beside the network's; 0: no models.
  float model = 0;
  // Added to each letter's logarithm by the models: what a letter of a word
  // costs on the average, so that short readings are not favored.
  float letter = 2.0f;
  // Added to the logarithm of a reading for each of the user's words in it.
  float word = 0;
  // Readings that are followed at a time.
  size_t beam = 16;
  Rules rules = {};
};

// Keeps its memory from line to line; one caller at a time.
class LanguageSearch {
 public:
  LanguageSearch(const text::CharacterClasses& classes,
                 const text::Language& language,
                 const LanguageWeights& weights);

  // Each word with low-confidence steps gets its most probable reading:
  // the sum of the logarithms of the network's probabilities of a class for
  // each step, of the models' for the letters that come out, times their
  // weight, and of what the user's words add. Models have a say in words of
  // letters of one of them alone; words with digits, or signs as addresses and
  // codes have them, are for the user's words alone, and so are lines with a
  // letter that no model knows. A step that the network is sure of stays as it
  // is, and so do spaces. A word that the network saw well becomes none that
  // the model does not know: it is rather of another language. Whether anything
  // changed.
  bool Improve(LineHypothesis& line);

 private:
  using Symbol = text::LanguageModel::Symbol;
  enum Kind : uint8_t {
    kBlank,
    kSpace,
    kSmall,
    kCapital,
    kLetter,
    kDigit,
    kSign,
    kCodeSign
  };
  struct Class {
    Kind kind = kBlank;
    char32_t code_point = 0;  // 0: several.
  };
  static constexpr size_t kContext = text::LanguageModel::kMaxOrder - 1;
  // A reading of the steps until here.
  struct Reading {
    int last = 0;                            // Class.
    std::array<Symbol, kContext> context{};  // The oldest first.
    uint8_t known = 0;  // Symbols of the context, from the end.
    text::WordList::Place place = text::WordList::kStart;
    float score = 0;
    uint32_t trace = 0;  // Into traces_, 0: as it was.
  };
  struct Trace {
    uint32_t before;
    size_t step;
    text::CtcChoice choice;
  };
  struct Character : ReadCharacter {
    float probability;  // The maximum over its steps.
  };

  static Class ClassOf(const text::CharacterClass& c);
  // Into characters_; whether there is a step in doubt. `word`: its characters,
  // in steps [begin, end).
  bool FindCharacters(std::span<const text::CtcStep> steps,
                      std::span<const ReadCharacter> word, size_t begin,
                      size_t end);
  bool IsOfAnother(const std::vector<text::CtcStep>& steps) const;
  // The model that all letters of a word belong to, or none.
  size_t FindModel() const;
  bool DropsAnEdge(const text::CtcChoice& choice, size_t step) const;
  bool MayBe(const text::CtcChoice& choice, size_t step, size_t model) const;
  bool ReadWord(std::span<const ReadCharacter> word, size_t begin, size_t end,
                std::vector<text::CtcStep>& steps);
  void Emit(Reading& reading, int cls, size_t model) const;
  void Follow(const Reading& reading, const text::CtcChoice& choice,
              size_t step, bool is_other, size_t model);
  float AtEnd(const Reading& reading, size_t model) const;
  // Whether the network saw the word well as a whole.
  bool IsClear() const;
  // Whether the model knows the parts, between signs, of the word that these
  // steps read where they differ from the steps before, or the user the whole.
  bool IsKnown(std::span<const text::CtcStep> before,
               std::span<const text::CtcStep> word, size_t model) const;

  text::Language language_;
  LanguageWeights weights_;
  std::vector<Class> classes_;
  std::vector<std::vector<Symbol>> symbols_;  // By model and class.
  bool is_of_another_ = false;                // The line being read.
  // State of the word being read.
  std::vector<Character> characters_;
  std::vector<uint8_t> is_open_;    // By step of the line.
  size_t small_ = 0, capital_ = 0;  // Letters behind the first that are sure.
  std::vector<Reading> readings_, next_;
  std::vector<Trace> traces_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_LANGUAGE_SEARCH_H_
