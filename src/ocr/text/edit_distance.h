// The number of edits between two texts.
#ifndef MUNJA_TEXT_EDIT_DISTANCE_H_
#define MUNJA_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace munja::text {

// The least number of insertions, deletions and replacements of code points
// that turn one text into the other (Levenshtein). Time grows with the product
// of the lengths of what differs; memory with the shorter of them.
size_t EditDistance(std::u32string_view a, std::u32string_view b);
size_t EditDistance(std::string_view a, std::string_view b);  // UTF-8.

}  // namespace munja::text

#endif  // MUNJA_TEXT_EDIT_DISTANCE_H_
