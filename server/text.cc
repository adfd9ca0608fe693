#include "server/text.h"

#include <sys/random.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

namespace munja::server {

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t length = first < 0x80             ? 1
                          : (first & 0xe0) == 0xc0 ? 2
                          : (first & 0xf0) == 0xe0 ? 3
                          : (first & 0xf8) == 0xf0 ? 4
                                                   : 0;
    if (length == 0 || i + length > text.size()) return false;
    uint32_t code = length == 1 ? first : first & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3fu);
    }
    static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
      return false;
    i += length;
  }
  return true;
}

std::string RandomId(size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    std::random_device device;
    for (unsigned char& byte : random)
      byte = static_cast<unsigned char>(device());
  }
  std::string id;
  for (const unsigned char byte : random)
    for (const int digit : {byte >> 4, byte & 15})
      id += "0123456789abcdef"[digit];
  return id;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int value = -1;
    if (c >= 'A' && c <= 'Z')
      value = c - 'A';
    else if (c >= 'a' && c <= 'z')
      value = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      value = c - '0' + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else if (c == '\r' || c == '\n')
      continue;
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  if (count == 6) return std::nullopt;  // One character is no byte.
  return bytes;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string TimeText() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto fraction = std::chrono::duration_cast<std::chrono::milliseconds>(
                            now.time_since_epoch())
                            .count() %
                        1000;
  std::tm utc = {};
  ::gmtime_r(&seconds, &utc);
  char date[32], text[48];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03dZ", date,
                static_cast<int>(fraction));
  return text;
}

bool SameSecret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && !b.empty(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^
                  static_cast<unsigned char>(b[i % b.size()]);
  return difference == 0;
}

std::string BaseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  if (slash != path.npos) path.remove_prefix(slash + 1);
  std::string name;
  for (const char c : path.substr(0, 255))
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) name += c;
  return IsUtf8(name) ? name : "";
}

}  // namespace munja::server
