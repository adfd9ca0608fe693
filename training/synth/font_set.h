// FontSet: the fonts of this machine that a recipe asks for.
#ifndef MUNJA_SYNTH_FONT_SET_H_
#define MUNJA_SYNTH_FONT_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "synth/alphabet.h"
#include "synth/random.h"
#include "synth/recipe.h"

namespace munja::train {

// The kind of scene that a picture of text shows; it selects fonts and effects.
// The values are bits, so that a font can belong to several.
enum class Scenery : uint8_t {
  kDocument = 1,
  kReceipt = 2,
  kScene = 4,
  kScreen = 8
};
inline constexpr int kSceneries = 4;
inline constexpr Scenery SceneryAt(int i) {
  return static_cast<Scenery>(1 << i);
}

struct Font {
  std::string path;
  int face = 0;  // In a collection of fonts.
  std::shared_ptr<const MappedFile> file;
  std::vector<bool> covers;  // By index of Alphabet::drawn().
  bool is_unicase = false;   // Small letters look like capitals: set with
                             // capitals only, so that labels are right.
  bool can_be_dots =
      false;  // Simple shapes, which a matrix of a few dots can show.
  uint8_t sceneries = 0xF;
  float weight = 1;  // Share among all fonts.
};

// The copy that the compiler makes has variables of reserved names.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
class FontSet {
 public:
  // The recipe's section "fonts":
  //   "folders": where files are looked for, with all folders below
  //       (/usr/share/fonts, /usr/local/share/fonts)
  //   "groups": a list of objects of
  //       "name", "weight"
  //       "files": patterns of the shell, matched against the end of the path
  //       "sceneries": some of "document", "receipt", "scene", "screen"
  //       "characters": what it is used for
  //       "face": index in a collection
  //       "dots": whether matrix printers use such letters
  // A group's weight is shared equally by its patterns and a pattern's by its
  // files. Patterns without a file are listed in missing(); kNotFound when no
  // font is left at all.
  static Result<FontSet> Open(const Json* section, const Alphabet& alphabet);

  const std::vector<Font>& fonts() const { return fonts_; }
  const std::vector<std::string>& missing() const { return missing_; }
  // Characters of the alphabet that no font has.
  std::u32string Uncovered(const Alphabet& alphabet) const;

  // False for -1, the font that Choose() gives when there is none.
  bool Covers(int font, std::u32string_view text,
              const Alphabet& alphabet) const;
  // A font for a text, by weight; -1 when none has all of its characters. For a
  // text with small letters that font may be unicase: the caller turns the text
  // into capitals (and label), or draws again.
  int Choose(Random& random, std::u32string_view text, Scenery scenery,
             const Alphabet& alphabet) const;

 private:
  std::vector<Font> fonts_;
  std::vector<float> weights_[kSceneries];  // Running sums over fonts_.
  std::vector<std::string> missing_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_FONT_SET_H_
