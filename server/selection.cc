#include "server/selection.h"

#include <algorithm>
#include <charconv>

namespace munja::server {
namespace {

bool ParseNumber(std::string_view text, int* number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() &&
         *number > 0;
}

}  // namespace

std::string SelectPages(std::string_view text, int count,
                        std::vector<int>* pages) {
  std::vector<bool> wanted(static_cast<size_t>(count), text.empty());
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const size_t dash = range.find('-');
    int first = 0, last = count;
    bool is_right = ParseNumber(range.substr(0, dash), &first);
    if (dash == range.npos)
      last = first;
    else if (dash + 1 < range.size())
      is_right = is_right && ParseNumber(range.substr(dash + 1), &last);
    if (!is_right)
      return "'" + std::string(range) + "' is not a range such as 1-3, 7 or 9-";
    if (first > count || last > count || first > last)
      return "there is no page " + std::string(range) + ": the file has " +
             std::to_string(count);
    for (int page = first; page <= last; ++page)
      wanted[static_cast<size_t>(page) - 1] = true;
  }
  pages->clear();
  for (int i = 0; i < count; ++i)
    if (wanted[static_cast<size_t>(i)]) pages->push_back(i);
  return "";
}

}  // namespace munja::server
