// Words that a user gives: names, products, numbers of parts.
#ifndef MUNJA_TEXT_WORD_LIST_H_
#define MUNJA_TEXT_WORD_LIST_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::text {

// Looked up letter by letter, either case.
class WordList {
 public:
  using Place = uint32_t;
  static constexpr Place kStart = 0;
  static constexpr Place kNowhere = ~Place{0};

  // UTF-8; what white space parts is a word. kMalformed names the line that is
  // not UTF-8 or has a word of more than 100 characters; a list of more than a
  // million words is kMalformed, too.
  static Result<std::shared_ptr<const WordList>> Parse(std::string_view text);

  // The place after the next letter; kNowhere if no word continues with it.
  Place Next(Place place, char32_t c) const;
  // Whether a word ends here.
  bool IsWord(Place place) const {
    return place != kNowhere && nodes_[place].is_word;
  }
  size_t words() const { return words_; }

 private:
  struct Node {
    char32_t letter = 0;
    bool is_word = false;
    Place begin = 0, end = 0;  // The nodes of one letter more.
  };
  WordList() = default;
  std::vector<Node> nodes_;
  size_t words_ = 0;
};

}  // namespace munja::text

#endif  // MUNJA_TEXT_WORD_LIST_H_
