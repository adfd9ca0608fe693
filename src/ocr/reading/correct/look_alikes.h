// Characters that look like others are corrected by their context: "sp：05"
// becomes "sp:05", and "J0hor" "Johor" where the network was of two minds.
#ifndef MUNJA_READING_CORRECT_LOOK_ALIKES_H_
#define MUNJA_READING_CORRECT_LOOK_ALIKES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reading/correct/line_hypothesis.h"
#include "reading/network/rules.h"
#include "text/character_class.h"
#include "text/ctc.h"

namespace munja::ocr {

// A character that the network reads with this probability stays.
inline constexpr float kReliableCharacter = 0.9f;
// A character that the context lets expect is this many times as probable as
// others, before the image is seen.
inline constexpr float kContextPrior = 8.0f;
// Whether a character that is read with the probability `own` is replaced by
// another, which the context lets expect and to which the network gives
// `other`.
inline bool IsReplacedByContext(float own, float other) {
  return own < kReliableCharacter && other > own / kContextPrior;
}

// Keeps its memory from line to line; one caller at a time.
class LookAlikes {
 public:
  explicit LookAlikes(const text::CharacterClasses& classes,
                      const Rules& rules = {});

  // Full-width signs, digits and letters become the ASCII ones of the same
  // shape where nothing around them is Chinese or Japanese. Whether any did.
  bool CorrectWidths(LineHypothesis& line);

  // A character that the network is not sure of becomes one of its other
  // choices that looks nearly the same where that one, and not the first, is of
  // the kind of its word: a letter among letters, a digit among digits, a small
  // letter among small ones, Latin among Latin letters. A digit that becomes a
  // capital does so in all places of the word. Words of several kinds (codes)
  // are left unchanged, except an O that only digits follow, which may be a 0,
  // and an S before an amount, which may be a $. Whether
  // anything changed.
  bool Correct(LineHypothesis& line);

 private:
  enum Kind : uint8_t {
    kSmall,  // Letters of the Latin, Greek and Cyrillic scripts.
    kCapital,
    kDigit,
    kCjk,   // Chinese characters and kana.
    kSign,  // ASCII and other signs of Latin text.
    kFullWidth,
    kSpace,
    kOther,
  };
  enum Alphabet : uint8_t { kNone, kLatin, kGreek, kCyrillic };
  struct Look {
    Kind kind = kOther;
    Alphabet alphabet = kNone;
  };
  struct Character {
    size_t begin, end;  // The steps that read it.
    Look look;
  };

  static Look LookOf(const text::CharacterClass& c);
  // The ASCII form's class, or 0.
  int NarrowClass(int cls) const;
  void FindCharacters(LineHypothesis& line);
  bool IsNarrow(size_t i) const;
  // Characters [begin, end): one word.
  void CorrectWord(size_t begin, size_t end, std::vector<text::CtcStep>& steps);
  // The same characters: an O before digits, an S before an amount.
  void CorrectNumber(size_t begin, size_t end,
                     std::vector<text::CtcStep>& steps);
  bool IsZeroOfNumber(size_t i, size_t end,
                      std::span<const text::CtcStep> steps) const;
  bool IsAmount(size_t begin, size_t end,
                std::span<const text::CtcStep> steps) const;
  // Whether character i is read as this one.
  bool IsRead(size_t i, char ascii, std::span<const text::CtcStep> steps) const;
  // The character becomes this one where it is in doubt enough.
  void BecomeIfLikely(Character& c, const Look& look, char ascii,
                      std::vector<text::CtcStep>& steps);
  // The first character of a word, or one behind a sign.
  bool IsFirst(size_t i, size_t begin) const;
  bool Fits(const Look& look, size_t i, size_t begin, size_t end,
            std::span<const text::CtcStep> steps) const;
  bool BecomesWith(size_t j, size_t i, const Look& look,
                   std::span<const text::CtcStep> steps) const;
  // The highest probability that the character's steps give a class.
  static float LargestChoice(const Character& c, int cls,
                             std::span<const text::CtcStep> steps) {
    return text::LargestProbability(steps.subspan(c.begin, c.end - c.begin),
                                    cls);
  }
  // Whether the network thought of that class.
  static bool CanBecome(const Character& c, int cls,
                        std::span<const text::CtcStep> steps);
  void Become(Character& c, const Look& look, int cls,
              std::vector<text::CtcStep>& steps);

  const text::CharacterClasses* classes_;
  Rules rules_;
  std::array<int, 128> ascii_{};  // Classes of ASCII characters; 0: none.
  bool is_changed_ = false;       // The line that is corrected.
  std::vector<Character> characters_;
  std::vector<size_t> same_;  // Characters of a word that are read as one.
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_LOOK_ALIKES_H_
