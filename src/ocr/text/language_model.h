// Language model: how probable a letter is after the letters before it in its
// word. n-grams of letters with back-off (Katz, "Estimation of probabilities
// from sparse data", 1987), kept as a trie that is used where the file lies.
#ifndef MUNJA_TEXT_LANGUAGE_MODEL_H_
#define MUNJA_TEXT_LANGUAGE_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace munja::text {

// A file, all numbers little-endian:
//
//   "MNJL"                      what it is
//   u32 version                 1
//   u32 order                   2 to 6: letters of the longest n-grams
//   u32 letters                 of the alphabet, at most 65,535
//   u32 nodes[order]            n-grams of 1, 2, ... letters
//   u32 alphabet[letters]       code points, ascending, small letters
//   then for each length k the n-grams in the order of their letters:
//     symbols[nodes]            the last letter: its place in the alphabet + 1,
//                               0 for the edge of a word; one byte each where
//                               letters < 256, else two. Not there for k = 1:
//                               node i is symbol i
//     probabilities[nodes]      a byte q each: exp(-q / 16), given the others
//     and where k < order:
//     back_offs[nodes]          likewise: what n-grams that are not listed
//                               have of the probability of one letter less
//     children[nodes + 1]       three bytes each: where the longer n-grams
//                               begin
class LanguageModel {
 public:
  using Symbol = uint16_t;
  static constexpr Symbol kEdge = 0;  // The edge of a word, on either side.
  static constexpr int kMaxOrder = 6;

  // Checks every byte that is relied on; kMalformed says what is wrong,
  // kUnsupported for a version from the future. `owner` keeps the bytes.
  static Result<std::shared_ptr<const LanguageModel>> Parse(
      std::span<const uint8_t> bytes, std::shared_ptr<const void> owner);

  int order() const { return order_; }
  // n-grams of all lengths.
  size_t size() const;
  // The symbol of a letter in either case; kEdge if it is not in the alphabet.
  Symbol SymbolOf(char32_t c) const;
  size_t letters() const { return letters_; }

  // The natural logarithm of the probability of `symbol` behind `context`, the
  // oldest first, of which only the last order() - 1 count. Symbols beyond
  // letters() are not allowed.
  float LogProbability(std::span<const Symbol> context, Symbol symbol) const;

 private:
  struct Level {
    size_t nodes = 0;
    const uint8_t* symbols = nullptr;
    const uint8_t* probabilities = nullptr;
    const uint8_t* back_offs = nullptr;
    const uint8_t* children = nullptr;
  };
  static constexpr size_t kNone = ~size_t{0};

  LanguageModel() = default;
  Status CheckLevel(size_t k) const;
  Symbol SymbolAt(const Level& level, size_t node) const;
  static size_t ChildrenAt(const Level& level, size_t node);
  // The node one letter longer than node `node` of level `k`.
  size_t Child(size_t k, size_t node, Symbol symbol) const;
  size_t Find(std::span<const Symbol> symbols) const;

  std::shared_ptr<const void> owner_;
  int order_ = 0;
  size_t letters_ = 0;
  bool is_wide_ = false;  // Symbols of two bytes.
  const uint8_t* alphabet_ = nullptr;
  std::array<Level, kMaxOrder> levels_;
};

// The natural logarithm of how many times more probable two words are than the
// one that they make together. `left` and `right` are their letters, all of the
// model's; neither is empty.
float WordBreak(const LanguageModel& model,
                std::span<const LanguageModel::Symbol> left,
                std::span<const LanguageModel::Symbol> right);

// Conversion of the bytes of probabilities, for writers of such files.
float LanguageLog(uint8_t quantized);
uint8_t QuantizeLanguageLog(double log);

}  // namespace munja::text

#endif  // MUNJA_TEXT_LANGUAGE_MODEL_H_
