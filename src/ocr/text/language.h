// Language: what is known of the languages that a bundle reads.
#ifndef MUNJA_TEXT_LANGUAGE_H_
#define MUNJA_TEXT_LANGUAGE_H_

#include <memory>
#include <vector>

#include "text/character_class.h"
#include "text/language_model.h"
#include "text/word_list.h"

namespace munja::text {

// Readers of one bundle share it.
struct Language {
  std::vector<std::shared_ptr<const LanguageModel>> models;
  std::shared_ptr<const WordList> words;  // May be null.

  bool empty() const { return models.empty() && words == nullptr; }
};

// The model's symbol of each class of a dictionary; kEdge: none of its letters.
std::vector<LanguageModel::Symbol> SymbolsOf(const LanguageModel& model,
                                             const CharacterClasses& classes);

}  // namespace munja::text

#endif  // MUNJA_TEXT_LANGUAGE_H_
