#include "cli/html.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace munja::cli {
namespace {

// Longer pairs of texts are not compared: the table is their product.
constexpr size_t kMostCells = 4'000'000;

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

// Text in an element, which begins and ends where the kind changes.
class Marker {
 public:
  void Add(std::string_view kind, std::string_view character) {
    if (kind != kind_) {
      Close();
      kind_ = kind;
      if (!kind_.empty()) out_ += "<" + std::string(kind_) + ">";
    }
    out_ += Escaped(character);
  }
  std::string Take() {
    Close();
    return std::move(out_);
  }

 private:
  void Close() {
    if (!kind_.empty()) out_ += "</" + std::string(kind_) + ">";
    kind_ = {};
  }

  std::string_view kind_;  // Empty outside of elements.
  std::string out_;
};

}  // namespace

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Number(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string DataUri(std::string_view type, std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "data:" + std::string(type) + ";base64,";
  out.reserve(out.size() + bytes.size() / 3 * 4 + 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 |
              (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string MarkedDifference(std::string_view label, std::string_view read) {
  const std::vector<std::string_view> a = Characters(label);
  const std::vector<std::string_view> b = Characters(read);
  if ((a.size() + 1) * (b.size() + 1) > kMostCells) return Escaped(read);
  // The longest common part of what is left of both.
  const size_t row = b.size() + 1;
  std::vector<uint16_t> common((a.size() + 1) * row, 0);
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      uint16_t best =
          std::max(common[(i + 1) * row + j], common[i * row + j + 1]);
      if (a[i] == b[j])
        best = static_cast<uint16_t>(common[(i + 1) * row + j + 1] + 1);
      common[i * row + j] = best;
    }
  }
  Marker marker;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      marker.Add("", a[i++]);
      ++j;
    } else if (j == b.size() || (i < a.size() && common[(i + 1) * row + j] >=
                                                     common[i * row + j + 1])) {
      marker.Add("del", a[i++]);
    } else {
      marker.Add("ins", b[j++]);
    }
  }
  return marker.Take();
}

}  // namespace munja::cli
