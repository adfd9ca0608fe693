#include "train/character_classes.h"

#include <numeric>
#include <utility>

#include "synth/grammar.h"
#include "text/ctc.h"
#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {

Result<CharacterClasses> CharacterClasses::Create(
    std::vector<std::string> alphabet, bool hangul_letters) {
  std::string lines;
  for (const std::string& character : alphabet) lines += character + "\n";
  MUNJA_ASSIGN_OR_RETURN(text::Dictionary dictionary,
                         text::Dictionary::Parse(lines, /*use_space=*/true));
  CharacterClasses classes(std::move(alphabet), std::move(dictionary));
  classes.class_of_[U' '] = static_cast<int32_t>(classes.alphabet_.size()) + 1;
  for (size_t i = 0; i < classes.alphabet_.size(); ++i) {
    const std::u32string character = text::DecodeUtf8(classes.alphabet_[i]);
    if (character.size() != 1) {
      return Malformed("alphabet: entry " + std::to_string(i + 1) +
                       " is not one character");
    }
    if (!classes.class_of_.emplace(character[0], static_cast<int32_t>(i) + 1)
             .second) {
      return Malformed("alphabet: '" + classes.alphabet_[i] +
                       "' is there twice, or is the space, which needs no "
                       "entry");
    }
  }
  classes.PairClasses();
  if (hangul_letters) {
    MUNJA_ASSIGN_OR_RETURN(classes.letters_,
                           text::HangulLetters::Create(classes.dictionary_));
  }
  return classes;
}

void CharacterClasses::PairClasses() {
  std::vector<int32_t> own(static_cast<size_t>(classes()));
  std::iota(own.begin(), own.end(), 0);
  small_ = own;
  partners_ = {std::vector<int32_t>(), own, own, own};
  for (size_t i = 0; i < alphabet_.size(); ++i) {
    const char32_t c = text::DecodeUtf8(alphabet_[i])[0];
    const auto found = class_of_.find(ToUpper(c));
    if (found == class_of_.end()) continue;
    const int32_t small = static_cast<int32_t>(i) + 1, capital = found->second;
    // Two small letters may have one capital, as i and dotless i.
    if (small == capital ||
        partners_[1][static_cast<size_t>(capital)] != capital)
      continue;
    small_[static_cast<size_t>(capital)] = small;
    for (std::vector<int32_t>* partners : {&partners_[1], &partners_[3]}) {
      (*partners)[static_cast<size_t>(capital)] = small;
      (*partners)[static_cast<size_t>(small)] = capital;
    }
  }
  for (std::vector<int32_t>* partners : {&partners_[2], &partners_[3]}) {
    partners->front() = classes() - 1;
    partners->back() = 0;
  }
}

std::optional<std::vector<int32_t>> CharacterClasses::Encode(
    std::string_view text, LabelFreedom freedom) const {
  std::vector<int32_t> label;
  const std::u32string characters =
      text::MarkUnreadable(text::DecodeUtf8(text),
                           [&](char32_t c) { return class_of_.contains(c); });
  for (const char32_t c : characters) {
    const auto found = class_of_.find(c);
    if (found == class_of_.end()) return std::nullopt;
    if (c == U' ' && freedom.any_spaces) continue;
    label.push_back(freedom.any_case
                        ? small_[static_cast<size_t>(found->second)]
                        : found->second);
  }
  return label;
}

std::string CharacterClasses::LabelOf(std::string_view text) const {
  // Letters of scripts without a mark stay, so that they count as not read.
  return text::ReplaceUnreadable(text::DecodeUtf8(text), [&](char32_t c) {
    return class_of_.contains(c) ||
           !class_of_.contains(text::MarkOf(text::ScriptOfLetter(c)));
  });
}

std::string CharacterClasses::Decode(const int64_t* best, size_t steps) const {
  std::vector<text::CtcStep> path(steps);
  for (size_t t = 0; t < steps; ++t) path[t].cls = static_cast<int>(best[t]);
  return text::DecodeCtc(path, dictionary_).text;
}

}  // namespace munja::train
