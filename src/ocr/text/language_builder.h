// Counts words and makes language models (LanguageModel) of them.
#ifndef MUNJA_TEXT_LANGUAGE_BUILDER_H_
#define MUNJA_TEXT_LANGUAGE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "text/language_model.h"

namespace munja::text {

class LanguageBuilder {
 public:
  // The letters of the model; capitals count as their small letters.
  // kInvalidArgument: there are none or too many; `order` is not 2 to 6.
  static Result<LanguageBuilder> Create(std::u32string_view alphabet,
                                        int order);

  // Counts the runs of letters of a word so many times: "don't" is "don" and
  // "t". Words with letters or digits that the alphabet lacks are left out,
  // and false says so.
  bool Add(std::u32string_view word, double times = 1);

  // The file, at most `bytes` long: of the n-grams those that tell most are
  // kept (Seymore and Rosenfeld, "Scalable backoff language models", 1996).
  // Probabilities are interpolated with absolute discounting (Ney, Essen and
  // Kneser, 1994), so that those of all symbols behind a context sum up to 1.
  // Same words in any order, same bytes. kInvalidArgument: not even the single
  // letters fit.
  Result<std::vector<uint8_t>> Build(size_t bytes) const;

 private:
  using Symbol = LanguageModel::Symbol;
  // An n-gram; number 0 is the empty one.
  struct Node {
    uint32_t parent;
    uint32_t suffix;  // Without its first letter; Build() alone knows it.
    Symbol symbol;
    uint8_t length;
    double count;
  };
  class Maker;

  LanguageBuilder() = default;
  Symbol SymbolOf(char32_t c) const;
  uint32_t Child(uint32_t node, Symbol symbol);
  void AddRun(double times);

  int order_ = 0;
  std::vector<uint32_t> alphabet_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;  // By parent and symbol.
  std::vector<Symbol> run_;
};

}  // namespace munja::text

#endif  // MUNJA_TEXT_LANGUAGE_BUILDER_H_
