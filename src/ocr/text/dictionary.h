// Dictionary: what the classes of a recognizer stand for.
#ifndef MUNJA_TEXT_DICTIONARY_H_
#define MUNJA_TEXT_DICTIONARY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::text {

// Class 0 is CTC's blank, classes 1.. are the symbols in the order of the
// file; where `use_space` is set one more class at the end is the space.
class Dictionary {
 public:
  // UTF-8, one symbol (of one or more code points) a line; lines end in LF or
  // CRLF, the last one need not; a byte order mark at the start is skipped. An
  // empty line is a class without text: files exist that keep a number free by
  // it. kMalformed names the line that is not UTF-8, holds a NUL or is too
  // long; a dictionary without symbols or of more than a million lines is
  // kMalformed, too.
  static Result<Dictionary> Parse(std::string_view bytes, bool use_space);

  // Blank and space included.
  int classes() const { return static_cast<int>(begins_.size()) - 1; }
  // Empty for the blank, and for what is not in [0, classes()). Valid as long
  // as the dictionary.
  std::string_view symbol(int cls) const {
    if (cls < 0 || cls >= classes()) return {};
    const auto i = static_cast<size_t>(cls);
    return std::string_view(text_).substr(begins_[i],
                                          begins_[i + 1] - begins_[i]);
  }
  // The text of a class that was read: its symbol, or U+FFFD for a mark
  // of text/unreadable.h.
  std::string_view TextOf(int cls) const;
  // The first class of this symbol; 0: there is none, as of an empty one.
  int ClassOf(std::string_view symbol) const;
  // kInvalidArgument, naming both numbers, when a model with `model_classes`
  // outputs cannot be read with this dictionary.
  Status CheckClasses(int64_t model_classes) const;

 private:
  Dictionary() = default;
  void Append(std::string_view symbol);

  // All symbols in a row; symbol i is [begins_[i], begins_[i + 1]).
  std::string text_;
  std::vector<uint32_t> begins_ = {0};
};

}  // namespace munja::text

#endif  // MUNJA_TEXT_DICTIONARY_H_
