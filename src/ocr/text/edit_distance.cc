#include "text/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace munja::text {

size_t EditDistance(std::u32string_view a, std::u32string_view b) {
  // Common prefixes and suffixes cost nothing.
  const auto same = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto prefix = static_cast<size_t>(same.first - a.begin());
  a.remove_prefix(prefix);
  b.remove_prefix(prefix);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() < b.size()) std::swap(a, b);
  if (b.empty()) return a.size();

  // row[j]: distance of the part of `a` seen so far to the first j of `b`.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

size_t EditDistance(std::string_view a, std::string_view b) {
  return EditDistance(DecodeUtf8(a), DecodeUtf8(b));
}

}  // namespace munja::text
