#include "text/word_list.h"

#include <utf8proc.h>

#include <algorithm>
#include <string>
#include <utility>

#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::text {
namespace {

constexpr size_t kLongestListed = 100;
constexpr size_t kMaxListed = 1'000'000;

char32_t Small(char32_t c) {
  return static_cast<char32_t>(
      utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace

Result<std::shared_ptr<const WordList>> WordList::Parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  std::vector<std::u32string> words;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!IsValidUtf8(line))
      return Malformed("line " + std::to_string(number) + " is not UTF-8");
    std::u32string all = DecodeUtf8(line);
    std::transform(all.begin(), all.end(), all.begin(), Small);
    for (auto at = all.begin(); at != all.end();) {
      const auto begin = std::find_if_not(at, all.end(), IsWhiteSpace);
      at = std::find_if(begin, all.end(), IsWhiteSpace);
      if (begin == at) continue;
      if (static_cast<size_t>(at - begin) > kLongestListed)
        return Malformed("line " + std::to_string(number) +
                         " has a word of more than " +
                         std::to_string(kLongestListed) + " characters");
      if (words.size() == kMaxListed)
        return Malformed("there are more than " + std::to_string(kMaxListed) +
                         " words");
      words.emplace_back(begin, at);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());

  std::shared_ptr<WordList> list(new WordList);
  list->words_ = words.size();
  list->nodes_.resize(1);
  // Sorted words that begin alike lie side by side: the nodes of one letter
  // more are made for a whole level at a time.
  struct Span {
    Place node;
    size_t begin, end;  // Range of the words that pass through here.
  };
  std::vector<Span> level = {{kStart, 0, words.size()}}, next;
  for (size_t length = 0; !level.empty(); ++length) {
    next.clear();
    for (const Span& span : level) {
      list->nodes_[span.node].begin = static_cast<Place>(list->nodes_.size());
      for (size_t i = span.begin; i < span.end;) {
        if (words[i].size() == length) {
          ++i;
          continue;
        }
        const char32_t letter = words[i][length];
        size_t end = i;
        while (end < span.end && words[end].size() > length &&
               words[end][length] == letter)
          ++end;
        next.push_back({static_cast<Place>(list->nodes_.size()), i, end});
        list->nodes_.push_back({letter, words[i].size() == length + 1, 0, 0});
        i = end;
      }
      list->nodes_[span.node].end = static_cast<Place>(list->nodes_.size());
    }
    level.swap(next);
  }
  return std::shared_ptr<const WordList>(std::move(list));
}

WordList::Place WordList::Next(Place place, char32_t c) const {
  if (place == kNowhere) return kNowhere;
  const auto begin = nodes_.begin() + nodes_[place].begin;
  const auto end = nodes_.begin() + nodes_[place].end;
  const char32_t letter = Small(c);
  const auto at = std::lower_bound(
      begin, end, letter,
      [](const Node& node, char32_t wanted) { return node.letter < wanted; });
  if (at == end || at->letter != letter) return kNowhere;
  return static_cast<Place>(at - nodes_.begin());
}

}  // namespace munja::text
