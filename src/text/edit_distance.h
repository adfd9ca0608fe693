// Levenshtein's distance.
#ifndef MUNJA_TEXT_EDIT_DISTANCE_H_
#define MUNJA_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace munja::text {

// The fewest insertions, deletions and substitutions of one code point that
// make `a` into `b`. Time in the product of the lengths, memory in the second.
size_t EditDistance(std::u32string_view a, std::u32string_view b);

}  // namespace munja::text

#endif  // MUNJA_TEXT_EDIT_DISTANCE_H_
