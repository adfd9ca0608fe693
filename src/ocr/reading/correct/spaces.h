// Spaces that the image shows and the network did not print, or printed where
// the image shows none: "taxinvoice" where the ink of "tax" and "invoice" lies
// far apart.
#ifndef MUNJA_READING_CORRECT_SPACES_H_
#define MUNJA_READING_CORRECT_SPACES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reading/correct/line_hypothesis.h"
#include "reading/network/rules.h"
#include "text/character_class.h"
#include "text/ctc.h"
#include "text/language.h"
#include "text/language_model.h"

namespace munja::ocr {

// Finds the gaps of a line and settles the spaces of its output steps. Keeps
// its memory from line to line; one caller at a time.
class SpaceCorrector {
 public:
  // The kind of character on one side of a gap.
  enum Shape : uint8_t {
    kLetter,
    kNarrowLetter,
    kCapital,
    kDigit,
    kOne,
    kApostrophe,
    kDoubleQuote,
    kStop,
    kColon,
    kDash,
    kOpening,
    kClosing,
    kBar,
    kSlash,
    kPercent,
    kRaised,
    kMath,
    kCurrency,
    kWide,
    kOtherSign,
    kHangul,
    kOther,  // Chinese and Japanese characters, scripts that join.
  };

  // Without a space in the dictionary nothing is corrected. Language models are
  // asked about gaps between letters of one of them.
  explicit SpaceCorrector(const text::CharacterClasses& classes,
                          const text::Language& language = {},
                          const Rules& rules = {});

  // Where the gap between two characters of an alphabet, digits or signs and
  // what the network would have printed there together speak for a space, a
  // blank step between them becomes one, as sure as the two are; where they
  // speak against one that is printed, it becomes a blank. What is next to
  // characters of Chinese and Japanese script is left unchanged, and Korean
  // syllables are unless they are of a language model. Whether any changed.
  bool Correct(LineHypothesis& line);

 private:
  struct Character {
    size_t begin, end;  // The steps that read it.
    int cls;
    Shape shape;
    bool is_point;  // The points of numbers and times: ". , :".
  };
  struct Pair {
    size_t left;        // The character before the gap.
    bool has_space;     // Which the network printed.
    int gap, distance;  // Columns: without ink; from middle to middle.
  };

  // Usual distances in the line, in columns.
  struct Usual {
    double gap, distance;  // Where there is no space.
    bool has_space;        // There are spaces that the network printed.
    double space;          // By which a gap with a space is wider.
  };

  // How far apart all Korean syllables of a line stand. In titles of forms each
  // of them is a word.
  enum class Spread : uint8_t { kUsual, kWide, kFar };

  // A language model, and its symbol of each class.
  struct Letters {
    std::shared_ptr<const text::LanguageModel> model;
    std::vector<text::LanguageModel::Symbol> symbols;
    text::LanguageModel::Symbol Of(const Character& c) const {
      return symbols[static_cast<size_t>(c.cls)];
    }
  };

  // The evidence for a space in a gap.
  struct Evidence {
    double odds;   // Their logarithm.
    bool is_wide;  // To the eye.
  };

  static Shape ShapeOf(const text::CharacterClass& c);
  static bool IsDigit(const Character& c) {
    return c.shape == kDigit || c.shape == kOne;
  }
  bool IsOfSyllables(const Pair& pair) const {
    return characters_[pair.left].shape == kHangul &&
           characters_[pair.left + 1].shape == kHangul;
  }
  bool FindCharacters(LineHypothesis& line);
  static int WidestGap(const std::vector<bool>& is_empty, int begin, int end);
  bool IsInNumber(size_t left) const;
  double OddsOfNetwork(std::span<const text::CtcStep> steps) const;
  Evidence Weigh(const Pair& pair, std::span<const text::CtcStep> steps) const;
  // The model that may say whether a word ends in the pair's gap, or null.
  const Letters* LettersOf(const Pair& pair) const;
  // The letters before and behind the pair's gap, to the next spaces and signs.
  bool FindWords(size_t pair, const Letters& letters);
  // Adds by how much more probable two words are there than one, where both
  // characters are letters. Whether a model was asked.
  bool AddLanguageOdds(size_t pair, Evidence* evidence);
  void Measure();
  Spread SpreadOfSyllables();

  Rules rules_;
  int space_ = -1;
  std::vector<Letters> letters_;
  std::vector<Character> characters_;
  std::vector<Pair> pairs_;
  Usual usual_{};
  bool tells_others_ = false;  // The network: more than a step's best class.
  std::vector<int> sorted_;
  std::vector<text::LanguageModel::Symbol> before_, behind_;  // A gap.
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_SPACES_H_
