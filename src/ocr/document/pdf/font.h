// The invisible font of searchable PDF files.
#ifndef MUNJA_DOCUMENT_PDF_FONT_H_
#define MUNJA_DOCUMENT_PDF_FONT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace munja::document {

// Every character is the same glyph, half as wide as it is high, whose outline
// covers no area: readers drop text of empty glyphs.
class PdfFont {
 public:
  enum class Codes {
    kAsTheyCome,  // Given to characters in the order in which they come.
    kUtf16        // UTF-16 codes, two beyond U+FFFF.
  };
  explicit PdfFont(Codes codes = Codes::kAsTheyCome) : kind_(codes) {}

  // In units of the font's size: what is above the baseline and below it, and
  // the width of each glyph.
  static constexpr double kAscent = 0.8, kDescent = 0.2, kWidth = 0.5;

  // The codes of the text as a hexadecimal string, "<0001...>", and how many
  // they are. From 65535 different characters on: U+FFFD.
  std::string Encode(std::u32string_view text, size_t* codes);

  // A code that stands for two spaces, as Encode() gives it: white space that
  // readers take for a word. Where there is none it is a space.
  std::string Blanks();
  bool has_blanks() const { return kind_ != Codes::kUtf16; }

  // The bytes of the font's file, TrueType.
  static std::string File();
  // The glyph of each code.
  std::string GlyphMap() const;
  // The characters of the codes: a CMap.
  std::string ToUnicode() const;

 private:
  Codes kind_;
  std::map<char32_t, uint16_t> codes_;
  std::vector<char32_t> characters_;  // By code - 1.
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_PDF_FONT_H_
