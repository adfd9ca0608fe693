#include "document/pdf/srgb_profile.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace munja::document::pdf {
namespace {

void Append16(uint32_t value, std::string& out) {
  out += static_cast<char>(value >> 8 & 0xFF);
  out += static_cast<char>(value & 0xFF);
}

void Append32(uint32_t value, std::string& out) {
  Append16(value >> 16, out);
  Append16(value & 0xFFFF, out);
}

// An element: its type, four zeros, numbers in units of 1/65536.
std::string Element(std::string_view type, std::initializer_list<double> values,
                    std::string_view before = {}) {
  std::string out(type);
  Append32(0, out);
  out += before;
  for (const double value : values)
    Append32(static_cast<uint32_t>(std::lround(value * 65536)), out);
  return out;
}

// One text, in English.
std::string Text(std::string_view text) {
  std::string out = "mluc";
  for (const uint32_t value : {0u, 1u, 12u}) Append32(value, out);
  out += "enUS";
  Append32(static_cast<uint32_t>(2 * text.size()), out);
  Append32(28, out);  // Where it begins.
  for (const char c : text) Append16(static_cast<uint8_t>(c), out);
  return out;
}

}  // namespace

std::string SrgbProfile() {
  // ICC.1:2010. The white of the profile's connection space, D50, and the
  // primaries as they look under it (by Bradford's matrix, "chad").
  constexpr double kWhite[] = {0.9642, 1.0, 0.8249};
  const std::string white = Element("XYZ ", {kWhite[0], kWhite[1], kWhite[2]});
  // y = ((x + 0.055) / 1.055)^2.4, below 0.04045 x / 12.92: a function of the
  // fourth kind.
  const std::string curve =
      Element("para", {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045},
              std::string_view("\0\3\0\0", 4));
  struct Tag {
    std::string_view name;
    std::string element;
  };
  const std::array<Tag, 7> elements = {
      {{"desc", Text("sRGB")},
       {"cprt", Text("CC0")},
       {"wtpt", white},
       {"chad", Element("sf32", {1.04788, 0.02292, -0.05022, 0.02959, 0.99048,
                                 -0.01708, -0.00925, 0.01508, 0.75168})},
       {"rXYZ", Element("XYZ ", {0.43607, 0.22249, 0.01392})},
       {"gXYZ", Element("XYZ ", {0.38515, 0.71687, 0.09708})},
       {"bXYZ", Element("XYZ ", {0.14307, 0.06061, 0.71410})}}};
  constexpr std::array<std::string_view, 3> kCurves = {"rTRC", "gTRC", "bTRC"};
  constexpr size_t kHeader = 128;
  const size_t tags = elements.size() + kCurves.size();
  std::string table, data;
  Append32(static_cast<uint32_t>(tags), table);
  const auto add = [&](std::string_view name, size_t offset, size_t size) {
    table += name;
    Append32(static_cast<uint32_t>(kHeader + 4 + 12 * tags + offset), table);
    Append32(static_cast<uint32_t>(size), table);
  };
  for (const Tag& tag : elements) {
    add(tag.name, data.size(), tag.element.size());
    data += tag.element;
    data.resize((data.size() + 3) / 4 * 4);
  }
  // One curve for all.
  for (const std::string_view name : kCurves)
    add(name, data.size(), curve.size());
  data += curve;

  std::string out;
  Append32(static_cast<uint32_t>(kHeader + table.size() + data.size()), out);
  Append32(0, out);           // Preferred color management module: none.
  Append32(0x04200000, out);  // The version.
  out += "mntrRGB XYZ ";
  for (const uint32_t part : {2000u, 1u, 1u, 0u, 0u, 0u}) Append16(part, out);
  out += "acsp";
  // Platform, flags, maker, model, attributes, rendering intent.
  out.append(28, '\0');
  for (const double value : kWhite)
    Append32(static_cast<uint32_t>(std::lround(value * 65536)), out);
  out.resize(kHeader);
  return out + table + data;
}

}  // namespace munja::document::pdf
