#include "mutate.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace munja::hostile {
namespace {

// Numbers at which sizes, offsets and products go wrong.
uint64_t SpecialNumber(Random& random) {
  static const std::vector<uint64_t> kNumbers = {
      0,
      1,
      2,
      3,
      4,
      7,
      8,
      16,
      255,
      256,
      1000,
      0x7FFF,
      0x8000,
      0xFFFF,
      0x10000,
      0x40000000,
      0x7FFFFFFF,
      0x80000000,
      0xFFFFFFFF,
      0x100000000,
      0x7FC00000 /* NaN */,
      0x7F800000 /* infinity */,
      0x7FF8000000000000,
      0x7FFFFFFFFFFFFFFF,
      0x8000000000000000,
      std::numeric_limits<uint64_t>::max()};
  return random.Pick(kNumbers) + random.Below(3) - 1;
}

void ChangeBytes(Random& random, std::string& bytes) {
  if (bytes.empty()) {
    bytes.push_back(static_cast<char>(random.Below(256)));
    return;
  }
  const size_t at = random.Below(bytes.size());
  const size_t left = bytes.size() - at;
  const size_t count = std::min(left, size_t{1} << random.Below(8));
  switch (random.Below(10)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random.Below(256));
      break;
    case 2:
      bytes[at] = static_cast<char>(bytes[at] + (random.Once(2) ? 1 : -1));
      break;
    case 3: {
      const size_t size = std::min(left, size_t{1} << random.Below(4));
      const uint64_t number = SpecialNumber(random);
      const bool big = random.Once(2);
      for (size_t i = 0; i < size; ++i)
        bytes[at + (big ? size - 1 - i : i)] =
            static_cast<char>(number >> (8 * i));
      break;
    }
    case 4:
      bytes.erase(at, count);
      break;
    case 5:
      bytes.insert(random.Below(bytes.size() + 1), bytes.substr(at, count));
      break;
    case 6:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count,
                  random.Once(2) ? '\0' : '\xFF');
      break;
    case 7: {
      const size_t other = random.Below(bytes.size());
      std::swap_ranges(
          bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() +
              static_cast<std::ptrdiff_t>(
                  at + std::min({count, left, bytes.size() - other})),
          bytes.begin() + static_cast<std::ptrdiff_t>(other));
      break;
    }
    case 8: {
      // NaN or infinite weights, where numbers of four bytes may lie.
      const std::string weight = random.Once(2)
                                     ? std::string("\0\0\xC0\x7F", 4)   // NaN
                                     : std::string("\0\0\x80\xFF", 4);  // -inf
      for (size_t i = at & ~size_t{3};
           i + 4 <= std::min(at + count, bytes.size()); i += 4) {
        bytes.replace(i, 4, weight);
      }
      break;
    }
    default:
      if (random.Once(4)) bytes.resize(at);
      break;
  }
}

// The number or word around or behind `at`: where it begins and how long it is.
std::pair<size_t, size_t> TokenAt(const std::string& text, size_t at) {
  const auto in_token = [&](size_t i) {
    const auto c = static_cast<unsigned char>(text[i]);
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '+';
  };
  while (at < text.size() && !in_token(at)) ++at;
  size_t begin = at, end = at;
  while (begin > 0 && in_token(begin - 1)) --begin;
  while (end < text.size() && in_token(end)) ++end;
  return {begin, end - begin};
}

void ChangeText(Random& random, std::string& text) {
  static const std::vector<std::string> kTokens = {
      "0",
      "-1",
      "1",
      "2",
      "3",
      "4",
      "0.5",
      "-0.0",
      "1e-45",
      "1e39",
      "1e308",
      "1e999",
      "-1e999",
      "NaN",
      "nan",
      "inf",
      "Infinity",
      "null",
      "true",
      "false",
      "[]",
      "{}",
      "\"\"",
      "\"x\"",
      "[[1]]",
      "{\"x\":1}",
      "255",
      "256",
      "1000",
      "65535",
      "65536",
      "1000000",
      "2147483647",
      "2147483648",
      "-2147483648",
      "4294967295",
      "4294967296",
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775809",
      "18446744073709551616",
      "100000000000000000000000000000000",
      "..",
      "../x",
      "/",
      "/dev/zero",
      ".",
      "\\u0000",
      "\\ud800",
      "\\n",
      "%s%n",
      "*"};
  if (text.empty()) {
    text = random.Pick(kTokens);
    return;
  }
  const size_t at = random.Below(text.size());
  const auto [token, length] = TokenAt(text, at);
  // The line around it, with its end.
  const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const size_t line = before == std::string::npos ? 0 : before + 1;
  const size_t line_end = std::min(text.find('\n', at), text.size() - 1) + 1;
  switch (random.Below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      text.replace(token, length, random.Pick(kTokens));
      break;
    case 4: {
      const auto [other, other_length] =
          TokenAt(text, random.Below(text.size()));
      text.replace(token, length, text.substr(other, other_length));
      break;
    }
    case 5:
      text.erase(line, line_end - line);
      break;
    case 6:
      text.insert(random.Once(2) ? line : text.size(),
                  text.substr(line, line_end - line));
      break;
    case 7: {
      static const std::string kMarks = "{}[]\",:\n\\";
      const char mark = kMarks[random.Below(kMarks.size())];
      const size_t found = text.find(mark, at);
      if (found == std::string::npos)
        text.insert(at, 1, mark);
      else if (random.Once(2))
        text.erase(found, 1);
      else
        text.insert(found, random.Once(8) ? 5000 : 1, mark);
      break;
    }
    case 8:
      text[at] = static_cast<char>(random.Below(256));
      break;
    default:
      if (random.Once(4)) text.resize(at);
      break;
  }
}

}  // namespace

void MutateBytes(Random& random, std::string& bytes) {
  for (size_t i = random.Below(8) + 1; i > 0; --i) ChangeBytes(random, bytes);
}

void MutateText(Random& random, std::string& text) {
  for (size_t i = random.Below(4) + 1; i > 0; --i) ChangeText(random, text);
}

std::string Splice(Random& random, const std::string& a, const std::string& b) {
  return a.substr(0, random.Below(a.size() + 1)) +
         b.substr(random.Below(b.size() + 1));
}

}  // namespace munja::hostile
