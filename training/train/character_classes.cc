#include "train/character_classes.h"

#include <utility>

#include "text/ctc.h"
#include "text/utf8.h"

namespace munja::train {

Result<CharacterClasses> CharacterClasses::Create(
    std::vector<std::string> alphabet) {
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
  return classes;
}

std::optional<std::vector<int32_t>> CharacterClasses::Encode(
    std::string_view text) const {
  std::vector<int32_t> label;
  while (!text.empty()) {
    const auto found = class_of_.find(text::NextCodePoint(text));
    if (found == class_of_.end()) return std::nullopt;
    label.push_back(found->second);
  }
  return label;
}

std::string CharacterClasses::Decode(const int64_t* best, size_t steps) const {
  std::vector<text::CtcStep> path(steps);
  for (size_t t = 0; t < steps; ++t) path[t].cls = static_cast<int>(best[t]);
  return text::DecodeCtc(path, dictionary_).text;
}

}  // namespace munja::train
