// Text on frames, by FreeType in a font that Fontconfig finds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/live/video/ffmpeg.h"

#ifdef MUNJA_HAS_FREETYPE
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#endif

namespace munja::cli {
#ifdef MUNJA_HAS_FREETYPE
namespace {

// Broken bytes become U+FFFD.
std::u32string CodePoints(const std::string& text) {
  std::u32string all;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i++]);
    const int more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    char32_t code = more == 0 ? lead : lead & (0x3F >> more);
    for (int k = 0; k < more && i < text.size(); ++k)
      code = code << 6 | (static_cast<uint8_t>(text[i++]) & 0x3F);
    all += lead >= 0x80 && lead < 0xC0 ? U'\uFFFD' : code;
  }
  return all;
}

class FreeTypePainter : public TextPainter {
 public:
  FreeTypePainter() { FT_Init_FreeType(&library_); }
  ~FreeTypePainter() override {
    for (const auto& font : fonts_) FT_Done_Face(font);
    if (library_ != nullptr) FT_Done_FreeType(library_);
  }

  bool Open() { return library_ != nullptr && AddFont(0); }

  void Draw(const std::string& text, int x, int y, int height, uint8_t* rgb,
            int image_width, int image_height, size_t stride) override {
    const int size = std::max(height, 8);
    const auto dim = [&](int left, int right) {
      for (int row = std::max(0, y - size); row < std::min(y, image_height);
           ++row)
        for (int at = 3 * std::max(left, 0);
             at < 3 * std::min(right, image_width); ++at)
          rgb[stride * static_cast<size_t>(row) + static_cast<size_t>(at)] /= 4;
    };
    int pen = x;
    const int baseline = y - size / 4;
    for (const char32_t code : CodePoints(text)) {
      FT_Face face = FontWith(code);
      FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size * 3 / 4));
      if (FT_Load_Char(face, code, FT_LOAD_RENDER) != 0) continue;
      const FT_GlyphSlot glyph = face->glyph;
      const int advance = static_cast<int>(glyph->advance.x >> 6);
      dim(pen, pen + advance);
      for (int row = 0; row < static_cast<int>(glyph->bitmap.rows); ++row) {
        const int at_y = baseline - glyph->bitmap_top + row;
        if (at_y < 0 || at_y >= image_height) continue;
        for (int column = 0; column < static_cast<int>(glyph->bitmap.width);
             ++column) {
          const int at_x = pen + glyph->bitmap_left + column;
          if (at_x < 0 || at_x >= image_width) continue;
          const int ink =
              glyph->bitmap.buffer[row * glyph->bitmap.pitch + column];
          uint8_t* const pixel = rgb + stride * static_cast<size_t>(at_y) +
                                 3 * static_cast<size_t>(at_x);
          for (int c = 0; c < 3; ++c)
            pixel[c] = static_cast<uint8_t>(
                (pixel[c] * (255 - ink) + 255 * ink) / 255);
        }
      }
      pen += advance;
      if (pen >= image_width) break;
    }
  }

 private:
  // A font that has the character, where Fontconfig knows one.
  FT_Face FontWith(char32_t code) {
    for (const FT_Face font : fonts_)
      if (FT_Get_Char_Index(font, code) != 0) return font;
    constexpr size_t kMostFonts = 16;
    if (fonts_.size() < kMostFonts && code != missing_ && AddFont(code) &&
        FT_Get_Char_Index(fonts_.back(), code) != 0)
      return fonts_.back();
    missing_ = code;
    return fonts_.front();
  }

  bool AddFont(char32_t code) {
    FcPattern* const wanted =
        FcNameParse(reinterpret_cast<const FcChar8*>("sans"));
    if (code != 0) {
      FcCharSet* const characters = FcCharSetCreate();
      FcCharSetAddChar(characters, code);
      FcPatternAddCharSet(wanted, FC_CHARSET, characters);
      FcCharSetDestroy(characters);
    }
    FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcResult result = FcResultNoMatch;
    FcPattern* const found = FcFontMatch(nullptr, wanted, &result);
    FcPatternDestroy(wanted);
    if (found == nullptr) return false;
    FcChar8* file = nullptr;
    int index = 0;
    FT_Face face = nullptr;
    FcPatternGetInteger(found, FC_INDEX, 0, &index);
    const bool is_open =
        FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch &&
        FT_New_Face(library_, reinterpret_cast<const char*>(file),
                    index & 0xFFFF, &face) == 0;
    FcPatternDestroy(found);
    if (is_open) fonts_.push_back(face);
    return is_open;
  }

  FT_Library library_ = nullptr;
  std::vector<FT_Face> fonts_;
  char32_t missing_ = 0;
};

}  // namespace

std::unique_ptr<TextPainter> MakePainter() {
  auto painter = std::make_unique<FreeTypePainter>();
  if (!painter->Open()) return nullptr;
  return painter;
}
#else
std::unique_ptr<TextPainter> MakePainter() { return nullptr; }
#endif
}  // namespace munja::cli
