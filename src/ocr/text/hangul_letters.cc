#include "text/hangul_letters.h"

#include <algorithm>
#include <string>

#include "text/utf8.h"

namespace munja::text {
namespace {

constexpr char32_t kFirstSyllable = 0xAC00;

// The best letters of one kind that are combined.
constexpr size_t kCombined = 3;
using BestLetters = std::array<CtcChoice, kCombined>;

std::string SyllableText(int index) {
  return EncodeUtf8(
      std::u32string(1, kFirstSyllable + static_cast<char32_t>(index)));
}

// Most of a row is next to nothing: compilers look at a block at once.
constexpr int kBlock = 16;

bool IsAnyAbove(const float* block, float least) {
  int above = 0;
  for (int i = 0; i < kBlock; ++i) above |= block[i] > least ? 1 : 0;
  return above != 0;
}

BestLetters BestOf(const float* letters, int count) {
  BestLetters best{};
  for (int i = 0; i < count; ++i) InsertChoice({i, letters[i]}, best);
  return best;
}

}  // namespace

Result<HangulLetters> HangulLetters::Create(const Dictionary& dictionary) {
  const int first = dictionary.ClassOf(SyllableText(0));
  bool is_whole = first > 0 && first + kSyllables <= dictionary.classes();
  for (int i = 0; is_whole && i < kSyllables; ++i)
    is_whole = dictionary.symbol(first + i) == SyllableText(i);
  if (is_whole) return HangulLetters(dictionary.classes(), first);
  return InvalidArgument(
      "the network reads Hangul by letters, and the dictionary does not list "
      "all 11,172 syllables from U+AC00 to U+D7A3 in their order");
}

void HangulLetters::TakeBest(const float* row,
                             std::span<CtcChoice> best) const {
  std::fill(best.begin(), best.end(), CtcChoice{});
  for (int begin = 0; begin < whole_columns(); begin += kBlock) {
    const int end = std::min(begin + kBlock, whole_columns());
    if (end - begin == kBlock &&
        !IsAnyAbove(row + begin, best.back().probability))
      continue;
    for (int column = begin; column < end; ++column)
      if (column != first_) InsertChoice({ClassOf(column), row[column]}, best);
  }
  const float any = row[first_];
  if (any <= best.back().probability) return;
  const float* letters = row + whole_columns();
  const BestLetters initials = BestOf(letters, kInitials);
  const BestLetters vowels = BestOf(letters + kInitials, kVowels);
  const BestLetters finals = BestOf(letters + kInitials + kVowels, kFinals);
  for (const CtcChoice& i : initials) {
    for (const CtcChoice& v : vowels) {
      const float both = any * i.probability * v.probability;
      for (const CtcChoice& f : finals)
        InsertChoice({Compose(i.cls, v.cls, f.cls), both * f.probability},
                     best);
    }
  }
}

}  // namespace munja::text
