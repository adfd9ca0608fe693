#include "track/vote.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "text/edit_distance.h"
#include "text/utf8.h"

namespace munja::track {
namespace {

constexpr char32_t kNothing = 0;  // The vote of a reading for no character.

// The votes for one position, in the order of the readings.
using Column = std::vector<char32_t>;

bool HasVote(const Column& column, char32_t c) {
  return std::find(column.begin(), column.end(), c) != column.end();
}

// Adds a reading: each column gets its vote, and there are new columns where it
// has characters that no earlier one has.
void Align(std::u32string_view reading, size_t earlier,
           std::vector<Column>* columns) {
  const size_t n = columns->size(), m = reading.size();
  const auto at = [&](size_t i, size_t j) { return i * (m + 1) + j; };
  std::vector<int> cost((n + 1) * (m + 1));
  const auto skip = [&](size_t i) {
    return HasVote((*columns)[i], kNothing) ? 0 : 1;
  };
  const auto match = [&](size_t i, size_t j) {
    return HasVote((*columns)[i], reading[j]) ? 0 : 1;
  };
  for (size_t j = 1; j <= m; ++j) cost[at(0, j)] = static_cast<int>(j);
  for (size_t i = 1; i <= n; ++i) {
    cost[at(i, 0)] = cost[at(i - 1, 0)] + skip(i - 1);
    for (size_t j = 1; j <= m; ++j)
      cost[at(i, j)] =
          std::min({cost[at(i - 1, j - 1)] + match(i - 1, j - 1),
                    cost[at(i - 1, j)] + skip(i - 1), cost[at(i, j - 1)] + 1});
  }
  std::vector<Column> aligned;
  size_t i = n, j = m;
  while (i > 0 || j > 0) {
    if (i > 0 && j > 0 &&
        cost[at(i, j)] == cost[at(i - 1, j - 1)] + match(i - 1, j - 1)) {
      aligned.push_back(std::move((*columns)[--i]));
      aligned.back().push_back(reading[--j]);
    } else if (i > 0 && cost[at(i, j)] == cost[at(i - 1, j)] + skip(i - 1)) {
      aligned.push_back(std::move((*columns)[--i]));
      aligned.back().push_back(kNothing);
    } else {
      aligned.emplace_back(earlier, kNothing);
      aligned.back().push_back(reading[--j]);
    }
  }
  std::reverse(aligned.begin(), aligned.end());
  *columns = std::move(aligned);
}

char32_t Winner(const Column& column) {
  char32_t best = kNothing;
  ptrdiff_t most = 0;
  for (const char32_t c : column) {
    const ptrdiff_t votes = std::count(column.begin(), column.end(), c);
    if (votes > most) {
      most = votes;
      best = c;
    }
  }
  return best;
}

}  // namespace

std::string Vote(std::span<const std::string> readings) {
  std::vector<Column> columns;
  for (size_t i = 0; i < readings.size(); ++i)
    Align(text::DecodeUtf8(readings[i]), i, &columns);
  std::string text;
  for (const Column& column : columns) {
    const char32_t c = Winner(column);
    if (c != kNothing) text::AppendUtf8(c, text);
  }
  return text;
}

float Similarity(std::string_view a, std::string_view b) {
  const std::u32string x = text::DecodeUtf8(a), y = text::DecodeUtf8(b);
  const size_t longer = std::max(x.size(), y.size());
  if (longer == 0) return 1;
  return 1 - static_cast<float>(text::EditDistance(x, y)) /
                 static_cast<float>(longer);
}

}  // namespace munja::track
