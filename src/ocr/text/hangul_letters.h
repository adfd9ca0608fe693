// HangulLetters: how a network that reads Hangul letter by letter spells its
// classes. A row of its output is
//
//   [classes before the syllables | any syllable | classes behind them |
//    19 initials | 21 vowels | 28 finals, the first of which is none]
//
// each of the four parts a softmax of its own: a syllable's probability is the
// product of those of "any syllable" and of its letters (Unicode 15, 3.12). The
// dictionary lists the 11,172 syllables one by one.
#ifndef MUNJA_TEXT_HANGUL_LETTERS_H_
#define MUNJA_TEXT_HANGUL_LETTERS_H_

#include <array>
#include <span>

#include "base/status.h"
#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::text {

// Metadata of a network that reads Hangul by letters.
inline constexpr char kHangulLettersEntry[] = "munja.hangul_letters";

class HangulLetters {
 public:
  static constexpr int kInitials = 19, kVowels = 21, kFinals = 28;
  static constexpr int kLetters = kInitials + kVowels + kFinals;
  static constexpr int kSyllables = kInitials * kVowels * kFinals;

  // kInvalidArgument when not all syllables are in the dictionary, in the order
  // of Unicode and without others between them.
  static Result<HangulLetters> Create(const Dictionary& dictionary);

  // The network's columns, and those of its first softmax.
  int columns() const { return classes_ - kSyllables + 1 + kLetters; }
  int whole_columns() const { return columns() - kLetters; }
  // The column of "any syllable".
  int any_syllable() const { return first_; }

  bool IsSyllable(int cls) const {
    return cls >= first_ && cls < first_ + kSyllables;
  }
  // The column of a class; of a syllable, "any syllable".
  int ColumnOf(int cls) const {
    if (cls <= first_) return cls;
    return IsSyllable(cls) ? first_ : cls - kSyllables + 1;
  }
  // The class of a column of the first softmax that is not "any syllable".
  int ClassOf(int column) const {
    return column < first_ ? column : column + kSyllables - 1;
  }
  // The letters of a syllable that is counted from U+AC00, each counted from
  // the first initial.
  static std::array<int, 3> LettersAt(int index) {
    return {index / (kVowels * kFinals), kInitials + index / kFinals % kVowels,
            kInitials + kVowels + index % kFinals};
  }
  // The columns of a syllable's letters.
  std::array<int, 3> LettersOf(int syllable) const {
    std::array<int, 3> letters = LettersAt(syllable - first_);
    for (int& letter : letters) letter += whole_columns();
    return letters;
  }
  // The class of the syllable of three letters, each counted from its first.
  int Compose(int initial, int vowel, int final) const {
    return first_ + (initial * kVowels + vowel) * kFinals + final;
  }
  float Probability(const float* row, int cls) const {
    const float whole = row[ColumnOf(cls)];
    if (!IsSyllable(cls)) return whole;
    const auto [initial, vowel, final] = LettersOf(cls);
    return whole * row[initial] * row[vowel] * row[final];
  }

  // The most probable classes of a row, the best first. Of each kind of letter
  // the best three are combined.
  void TakeBest(const float* row, std::span<CtcChoice> best) const;

 private:
  HangulLetters(int classes, int first) : classes_(classes), first_(first) {}

  int classes_, first_;
};

}  // namespace munja::text

#endif  // MUNJA_TEXT_HANGUL_LETTERS_H_
