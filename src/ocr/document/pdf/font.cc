#include "document/pdf/font.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "text/utf8.h"

namespace munja::document {
namespace {

constexpr int kUnits = 1000;  // To the em.
constexpr int kAscentUnits = 800, kDescentUnits = -200, kWidthUnits = 500;
// Not a character.
constexpr char32_t kBlanks = 0x110000;
constexpr size_t kMostCodes = 65534;

void Append16(int value, std::string& out) {
  out += static_cast<char>((value >> 8) & 0xFF);
  out += static_cast<char>(value & 0xFF);
}

void Append32(uint32_t value, std::string& out) {
  Append16(static_cast<int>(value >> 16), out);
  Append16(static_cast<int>(value & 0xFFFF), out);
}

std::string Words16(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) Append16(value, out);
  return out;
}

uint32_t Checksum(std::string table) {
  table.resize((table.size() + 3) / 4 * 4);
  uint32_t sum = 0;
  for (size_t i = 0; i < table.size(); i += 4) {
    uint32_t word = 0;
    for (size_t k = 0; k < 4; ++k)
      word = word << 8 | static_cast<uint8_t>(table[i + k]);
    sum += word;
  }
  return sum;
}

// From the lower left corner of the glyph's box to the upper right one and
// back.
std::string Diagonal() {
  std::string glyph =
      Words16({1, 0, kDescentUnits, kWidthUnits, kAscentUnits, 2, 0});
  // On the curve, long coordinates.
  glyph += std::string("\x01\x01\x01", 3);
  glyph += Words16({0, kWidthUnits, -kWidthUnits});
  glyph += Words16({kDescentUnits, kAscentUnits - kDescentUnits,
                    kDescentUnits - kAscentUnits});
  glyph.resize((glyph.size() + 3) / 4 * 4);
  return glyph;
}

std::string Hex16(uint32_t value) {
  char text[8];
  std::snprintf(text, sizeof text, "%04X", value & 0xFFFF);
  return text;
}

std::string Utf16Hex(char32_t c) {
  if (c < 0x10000) return Hex16(c);
  const uint32_t rest = c - 0x10000;
  return Hex16(0xD800 + (rest >> 10)) + Hex16(0xDC00 + (rest & 0x3FF));
}

}  // namespace

std::string PdfFont::Encode(std::u32string_view text, size_t* codes) {
  std::string out = "<";
  if (kind_ == Codes::kUtf16) {
    for (const char32_t c : text)
      out += Utf16Hex(c == 0 || c == 0xFFFE || c == 0xFEFF ? text::kReplacement
                                                           : c);
    *codes = (out.size() - 1) / 4;
    return out + '>';
  }
  for (char32_t c : text) {
    if (c == 0 || c == 0xFEFF || c == 0xFFFE) c = text::kReplacement;
    auto found = codes_.find(c);
    if (found == codes_.end() && characters_.size() >= kMostCodes)
      c = text::kReplacement;
    found = codes_.find(c);
    if (found == codes_.end()) {
      characters_.push_back(c);
      found =
          codes_.emplace(c, static_cast<uint16_t>(characters_.size())).first;
    }
    out += Hex16(found->second);
  }
  *codes = text.size();
  return out + '>';
}

std::string PdfFont::Blanks() {
  size_t codes = 0;
  if (kind_ == Codes::kUtf16) return Encode(U" ", &codes);
  return Encode(std::u32string_view(&kBlanks, 1), &codes);
}

std::string PdfFont::GlyphMap() const {
  // Code 0, which is not used, is the missing glyph.
  std::string map = Words16({0});
  if (kind_ == Codes::kUtf16) {
    for (int code = 1; code < 0x10000; ++code) Append16(1, map);
    return map;
  }
  for (size_t i = 0; i < characters_.size(); ++i) Append16(1, map);
  return map;
}

std::string PdfFont::ToUnicode() const {
  std::string map =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> "
      "def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
      "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  constexpr size_t kMostRows = 100;
  // In one range: some readers know no other of this length.
  if (kind_ == Codes::kUtf16)
    map += "1 beginbfrange\n<0000> <FFFF> <0000>\nendbfrange\n";
  for (size_t i = 0; i < characters_.size(); i += kMostRows) {
    const size_t end = std::min(i + kMostRows, characters_.size());
    map += std::to_string(end - i) + " beginbfchar\n";
    for (size_t k = i; k < end; ++k)
      map +=
          '<' + Hex16(static_cast<uint32_t>(k + 1)) + "> <" +
          (characters_[k] == kBlanks ? "00200020" : Utf16Hex(characters_[k])) +
          ">\n";
    map += "endbfchar\n";
  }
  return map +
         "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n";
}

std::string PdfFont::File() {
  const std::string glyph = Diagonal();
  const int size = static_cast<int>(glyph.size());
  std::string head = Words16({1, 0, 1, 0});
  Append32(0, head);  // The sum of all, set below.
  Append32(0x5F0F3CF5, head);
  head += Words16({0, kUnits});
  head += std::string(16, '\0');  // Created, changed.
  head += Words16({0, kDescentUnits, kWidthUnits, kAscentUnits, 0, 8, 2, 0, 0});
  // Short offsets, in words: the missing glyph is as any other.
  const std::string loca = Words16({0, size / 2, size});
  const std::string hhea =
      Words16({1, 0, kAscentUnits, kDescentUnits, 0, kWidthUnits, 0, 0,
               kWidthUnits, 1, 0, 0, 0, 0, 0, 0, 0, 2});
  const std::string hmtx = Words16({kWidthUnits, 0, kWidthUnits, 0});
  const std::string maxp =
      Words16({1, 0, 2, 3, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  // A character map and names: unused, but some readers look for them.
  const std::string cmap = Words16(
      {0, 1, 3, 1, 0, 12, 4, 24, 0, 2, 2, 0, 0, 0xFFFF, 0, 0xFFFF, 1, 0});
  const std::string name = Words16({0, 0, 6});
  std::string post = Words16({3, 0, 0, 0, 0, 0});
  post.resize(32);
  const std::array<std::pair<const char*, std::string>, 9> tables = {
      {{"cmap", cmap},
       {"glyf", glyph + glyph},
       {"head", head},
       {"hhea", hhea},
       {"hmtx", hmtx},
       {"loca", loca},
       {"maxp", maxp},
       {"name", name},
       {"post", post}}};
  // Nine tables: the greatest power of two is eight.
  std::string file = Words16({1, 0, 9, 8 * 16, 3, 9 * 16 - 8 * 16});
  size_t offset = file.size() + tables.size() * 16;
  std::string body;
  size_t adjustment = 0;
  for (const auto& [tag, table] : tables) {
    file += tag;
    Append32(Checksum(table), file);
    Append32(static_cast<uint32_t>(offset + body.size()), file);
    Append32(static_cast<uint32_t>(table.size()), file);
    if (std::string_view(tag) == "head") adjustment = offset + body.size() + 8;
    body += table;
    body.resize((body.size() + 3) / 4 * 4);
  }
  file += body;
  std::string sum;
  Append32(0xB1B0AFBA - Checksum(file), sum);
  file.replace(adjustment, 4, sum);
  return file;
}

}  // namespace munja::document
