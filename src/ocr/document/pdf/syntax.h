// The syntax of PDF files, as far as objects are found and copied by it: values
// stay the bytes that they are.
#ifndef MUNJA_DOCUMENT_PDF_SYNTAX_H_
#define MUNJA_DOCUMENT_PDF_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace munja::document::pdf {

// Takes blanks and comments off.
void SkipBlanks(std::string_view* text);

// Takes the next value off `text`, and the blanks before it: its bytes. A
// reference, "12 0 R", is one value, as are keywords. Empty where none follows,
// or one without its end.
std::string_view TakeValue(std::string_view* text);

// Takes `word` off, and the blanks before it. False: something else follows.
bool TakeWord(std::string_view word, std::string_view* text);

// None where the value is of another kind or out of range.
std::optional<int64_t> IntegerOf(std::string_view value);
std::optional<double> NumberOf(std::string_view value);

struct ObjectReference {
  size_t number = 0;
  int generation = 0;
};
std::optional<ObjectReference> ReferenceOf(std::string_view value);

// The values of "[...]".
std::optional<std::vector<std::string_view>> ElementsOf(std::string_view array);

class Dictionary {
 public:
  // None where the value is none, or malformed.
  static std::optional<Dictionary> Parse(std::string_view value);

  // The value of the name, which has no slash; empty: there is none.
  std::string_view operator[](std::string_view name) const;
  void Set(std::string_view name, std::string value);
  // "<< ... >>", in the order of the entries.
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_SYNTAX_H_
