#include "document/pdf/syntax.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

namespace munja::document::pdf {
namespace {

// Arrays and dictionaries in each other, as far as honest files go.
constexpr size_t kMostNested = 256;
constexpr int64_t kMostNumber = 1 << 30, kMostGeneration = 65535;

bool IsBlank(char c) {
  return std::string_view("\0\t\n\f\r ", 6).find(c) != std::string_view::npos;
}

bool IsRegular(char c) {
  return !IsBlank(c) &&
         std::string_view("()<>[]{}/%").find(c) == std::string_view::npos;
}

size_t EndOfBlanks(std::string_view s, size_t i) {
  while (i < s.size()) {
    if (s[i] == '%')
      i = std::min(s.find_first_of("\r\n", i), s.size());
    else if (IsBlank(s[i]))
      ++i;
    else
      break;
  }
  return i;
}

size_t EndOfRegular(std::string_view s, size_t i) {
  while (i < s.size() && IsRegular(s[i])) ++i;
  return i;
}

// Behind the string whose parenthesis stands at i; 0: it has no end.
size_t EndOfString(std::string_view s, size_t i) {
  int open = 0;
  for (; i < s.size(); ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == '(')
      ++open;
    else if (s[i] == ')' && --open == 0)
      return i + 1;
  }
  return 0;
}

// Behind the value, or the bracket, at i; 0: there is none. Opened brackets
// are kept in `closing`.
size_t EndOfToken(std::string_view s, size_t i, std::string* closing) {
  if (i >= s.size()) return 0;
  const std::string_view two = s.substr(i, 2);
  if (two == "<<" || s[i] == '[') {
    closing->push_back(s[i] == '[' ? ']' : '>');
    return closing->size() > kMostNested ? 0 : i + (s[i] == '[' ? 1 : 2);
  }
  if (two == ">>" || s[i] == ']') {
    if (closing->empty() || closing->back() != s[i]) return 0;
    closing->pop_back();
    return i + (s[i] == ']' ? 1 : 2);
  }
  if (s[i] == '(') return EndOfString(s, i);
  if (s[i] == '<') return s.find('>', i) + 1;  // 0 where there is no end.
  if (s[i] == '/') return EndOfRegular(s, i + 1);
  const size_t end = EndOfRegular(s, i);
  return end > i ? end : 0;
}

bool IsDigits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(),
                                   [](char c) { return c >= '0' && c <= '9'; });
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// "/A#20b" -> "A b".
std::string DecodedName(std::string_view name) {
  name.remove_prefix(1);
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const int high = i + 2 < name.size() ? HexDigit(name[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(name[i + 2]) : -1;
    if (name[i] == '#' && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += name[i];
    }
  }
  return out;
}

std::string EncodedName(std::string_view name) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out = "/";
  for (const char c : name) {
    if (IsRegular(c) && c != '#' && c > ' ' && c < 0x7F) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'#', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return out;
}

}  // namespace

void SkipBlanks(std::string_view* text) {
  text->remove_prefix(EndOfBlanks(*text, 0));
}

std::string_view TakeValue(std::string_view* text) {
  SkipBlanks(text);
  std::string closing;
  size_t end = 0;
  do {
    end = EndOfToken(*text, EndOfBlanks(*text, end), &closing);
    if (end == 0) return {};
  } while (!closing.empty());
  if (IsDigits(text->substr(0, end))) {
    const size_t second = EndOfBlanks(*text, end);
    const size_t end_of_second = EndOfRegular(*text, second);
    const size_t third = EndOfBlanks(*text, end_of_second);
    if (IsDigits(text->substr(second, end_of_second - second)) &&
        third > end_of_second && text->substr(third, 1) == "R" &&
        EndOfRegular(*text, third) == third + 1)
      end = third + 1;
  }
  const std::string_view value = text->substr(0, end);
  text->remove_prefix(end);
  return value;
}

bool TakeWord(std::string_view word, std::string_view* text) {
  std::string_view rest = *text;
  SkipBlanks(&rest);
  if (EndOfRegular(rest, 0) != word.size() || !rest.starts_with(word))
    return false;
  rest.remove_prefix(word.size());
  *text = rest;
  return true;
}

std::optional<int64_t> IntegerOf(std::string_view value) {
  if (value.starts_with('+')) value.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    return std::nullopt;
  return number;
}

std::optional<double> NumberOf(std::string_view value) {
  if (value.find_first_not_of("+-.0123456789") != std::string_view::npos)
    return std::nullopt;
  std::istringstream in{std::string(value)};
  in.imbue(std::locale::classic());
  double number = 0;
  if (!(in >> number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<ObjectReference> ReferenceOf(std::string_view value) {
  if (!value.ends_with('R')) return std::nullopt;
  const size_t end = EndOfRegular(value, 0);
  const size_t second = EndOfBlanks(value, end);
  const auto number = IntegerOf(value.substr(0, end));
  const auto generation =
      IntegerOf(value.substr(second, EndOfRegular(value, second) - second));
  if (!number || !generation || *number < 1 || *number > kMostNumber ||
      *generation < 0 || *generation > kMostGeneration)
    return std::nullopt;
  return ObjectReference{static_cast<size_t>(*number),
                         static_cast<int>(*generation)};
}

std::optional<std::vector<std::string_view>> ElementsOf(
    std::string_view array) {
  if (!array.starts_with('[') || !array.ends_with(']')) return std::nullopt;
  array = array.substr(1, array.size() - 2);
  std::vector<std::string_view> values;
  for (SkipBlanks(&array); !array.empty(); SkipBlanks(&array)) {
    values.push_back(TakeValue(&array));
    if (values.back().empty()) return std::nullopt;
  }
  return values;
}

std::optional<Dictionary> Dictionary::Parse(std::string_view value) {
  if (!value.starts_with("<<") || !value.ends_with(">>") || value.size() < 4)
    return std::nullopt;
  value = value.substr(2, value.size() - 4);
  Dictionary dictionary;
  for (SkipBlanks(&value); !value.empty(); SkipBlanks(&value)) {
    const std::string_view name = TakeValue(&value);
    const std::string_view entry = TakeValue(&value);
    if (!name.starts_with('/') || entry.empty()) return std::nullopt;
    dictionary.entries_.emplace_back(DecodedName(name), entry);
  }
  return dictionary;
}

std::string_view Dictionary::operator[](std::string_view name) const {
  for (const auto& [key, value] : entries_)
    if (key == name) return value;
  return {};
}

void Dictionary::Set(std::string_view name, std::string value) {
  std::erase_if(entries_,
                [&](const auto& entry) { return entry.first == name; });
  entries_.emplace_back(name, std::move(value));
}

std::string Dictionary::Text() const {
  std::string out = "<<";
  for (const auto& [key, value] : entries_)
    out += ' ' + EncodedName(key) + ' ' + value;
  return out + " >>";
}

}  // namespace munja::document::pdf
