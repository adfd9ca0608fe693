// Between texts and a recognizer's classes: 0 is the blank, 1..n are the
// alphabet's characters, n + 1 is the space.
#ifndef MUNJA_TRAIN_CHARACTER_CLASSES_H_
#define MUNJA_TRAIN_CHARACTER_CLASSES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "text/dictionary.h"
#include "text/hangul_letters.h"

namespace munja::train {

// Differences that a label does not tell.
struct LabelFreedom {
  bool any_case = false, any_spaces = false;
};

class CharacterClasses {
 public:
  // One character an entry. kMalformed names one that is there twice, is empty
  // or is a space. With `hangul_letters` the alphabet lists all syllables, in
  // the order of Unicode (text::HangulLetters).
  static Result<CharacterClasses> Create(std::vector<std::string> alphabet,
                                         bool hangul_letters = false);

  // Nothing when a character is not in the alphabet, unless that has
  // the mark of its script (text/unreadable.h). With `freedom`
  // letters are small ones where there are both, and spaces are left out.
  std::optional<std::vector<int32_t>> Encode(std::string_view text,
                                             LabelFreedom freedom = {}) const;
  // A text as it is to be read, U+FFFD where its letters have a mark's class.
  std::string LabelOf(std::string_view text) const;
  // For each class the one that counts as the same by this freedom, itself
  // where there is none; empty where nothing is free. Letters are paired with
  // their capitals, the space with the blank.
  const std::vector<int32_t>& Partners(LabelFreedom freedom) const {
    return partners_[(freedom.any_case ? 1 : 0) + (freedom.any_spaces ? 2 : 0)];
  }
  // Best path: the most probable class of each step.
  std::string Decode(const int64_t* best, size_t steps) const;

  int classes() const { return dictionary_.classes(); }
  // Null where the network has a class for each character.
  const text::HangulLetters* letters() const {
    return letters_ ? &*letters_ : nullptr;
  }
  // The network's outputs at a step.
  int columns() const { return letters_ ? letters_->columns() : classes(); }
  const std::vector<std::string>& alphabet() const { return alphabet_; }

 private:
  CharacterClasses(std::vector<std::string> alphabet,
                   text::Dictionary dictionary)
      : alphabet_(std::move(alphabet)), dictionary_(std::move(dictionary)) {}

  void PairClasses();

  std::vector<std::string> alphabet_;
  text::Dictionary dictionary_;
  std::optional<text::HangulLetters> letters_;
  std::unordered_map<char32_t, int32_t> class_of_;
  std::vector<int32_t> small_;  // The class of the small letter, or itself.
  std::array<std::vector<int32_t>, 4> partners_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_CHARACTER_CLASSES_H_
