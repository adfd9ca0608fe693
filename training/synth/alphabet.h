// Alphabet: the characters that a recognizer is trained to read.
#ifndef MUNJA_SYNTH_ALPHABET_H_
#define MUNJA_SYNTH_ALPHABET_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "synth/recipe.h"

namespace munja::train {

// One character a line, UTF-8, in the order of the network's classes: line i
// (from 1) is class i; class 0 is CTC's blank and the class after the last line
// the space. The file is a bundle's dictionary as it stands.
class Alphabet {
 public:
  // kMalformed names the line that is empty, holds a space, more than one code
  // point, or a character seen before.
  static Result<Alphabet> Read(const std::string& path);

  // A recipe's "alphabet", the name of its file, and "foreign": characters and
  // ranges ("а-я") that are drawn, and learned as the mark of their script
  // (text/unreadable.h). kMalformed when the file does not list that mark.
  static Result<Alphabet> OfRecipe(const Json& recipe,
                                   const std::string& recipe_path);

  const std::vector<std::string>& symbols() const { return symbols_; }
  const std::u32string& characters() const { return characters_; }
  const std::u32string& foreign() const { return foreign_; }
  // characters() and foreign().
  std::u32string drawn() const { return characters_ + foreign_; }
  // Index into drawn(), -1 for what is not in it. The space is not.
  int Find(char32_t c) const {
    const auto it = index_.find(c);
    return it == index_.end() ? -1 : it->second;
  }
  bool Has(char32_t c) const { return Find(c) >= 0; }
  // Whether every character is in the alphabet or a space.
  bool Spells(std::u32string_view text) const;
  // UTF-8 of a text as a recognizer of this alphabet is to read it: U+FFFD
  // where foreign characters are.
  std::string LabelOf(std::u32string_view text) const;

 private:
  std::vector<std::string> symbols_;
  std::u32string characters_, foreign_;
  std::unordered_map<char32_t, int> index_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_ALPHABET_H_
