#include "synth/font_set.h"

#include <fnmatch.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr const char* kSceneryNames[kSceneries] = {"document", "receipt",
                                                   "scene", "screen"};

struct Library {
  FT_Library library = nullptr;
  ~Library() {
    if (library != nullptr) FT_Done_FreeType(library);
  }
};
struct Face {
  FT_Face face = nullptr;
  ~Face() {
    if (face != nullptr) FT_Done_Face(face);
  }
};

// Paths of all files below the folders that could be fonts, in order.
std::vector<std::string> FontFiles(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::set<std::string> files;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::recursive_directory_iterator it(
        folder, fs::directory_options::follow_directory_symlink, error),
        end;
    for (; !error && it != end; it.increment(error)) {
      const std::string ext = it->path().extension().string();
      if (ext == ".ttf" || ext == ".otf" || ext == ".ttc" || ext == ".TTF" ||
          ext == ".OTF")
        files.insert(it->path().string());
    }
  }
  return {files.begin(), files.end()};
}

// The glyph's points as parts of its bounding box; empty when it has no
// outline.
std::vector<std::pair<float, float>> Shape(FT_Face face, char32_t c) {
  std::vector<std::pair<float, float>> points;
  if (FT_Load_Char(face, c, FT_LOAD_NO_SCALE) != 0 ||
      face->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
    return points;
  const FT_Outline& outline = face->glyph->outline;
  FT_BBox box;
  FT_Outline_Get_CBox(&outline, &box);
  const float w = std::max<float>(1, static_cast<float>(box.xMax - box.xMin));
  const float h = std::max<float>(1, static_cast<float>(box.yMax - box.yMin));
  for (int i = 0; i < outline.n_points; ++i) {
    points.emplace_back(static_cast<float>(outline.points[i].x - box.xMin) / w,
                        static_cast<float>(outline.points[i].y - box.yMin) / h);
  }
  return points;
}

// Whether small letters are drawn as capitals, of the same or a smaller size.
// The letters looked at differ in form.
bool IsUnicase(FT_Face face) {
  int same = 0;
  for (const char c : {'a', 'e', 'g', 'r', 'n', 'q'}) {
    const auto small = Shape(face, static_cast<char32_t>(c)),
               large = Shape(face, static_cast<char32_t>(c - 32));
    bool equal = !small.empty() && small.size() == large.size();
    for (size_t i = 0; equal && i < small.size(); ++i) {
      equal = std::abs(small[i].first - large[i].first) < 0.05f &&
              std::abs(small[i].second - large[i].second) < 0.05f;
    }
    same += equal ? 1 : 0;
  }
  return same >= 2;
}

struct Group {
  std::string name;
  float weight = 1;
  uint8_t sceneries = 0xF;
  std::u32string characters;  // Empty: all.
  int face = 0;
  bool dots = false;
  std::vector<std::string> files;
};

Result<Group> ReadGroup(const Json& json, size_t index) {
  Group group;
  const std::string where = "fonts.groups[" + std::to_string(index) + "]";
  MUNJA_ASSIGN_OR_RETURN(const Section section,
                         Section::Of(&json, where,
                                     {"name", "weight", "files", "sceneries",
                                      "characters", "face", "dots"}));
  MUNJA_RETURN_IF_ERROR(section.Read("name", group.name));
  MUNJA_RETURN_IF_ERROR(section.Read("weight", 0.0f, 1e6f, group.weight));
  MUNJA_RETURN_IF_ERROR(section.Read("face", 0, 1000, group.face));
  MUNJA_RETURN_IF_ERROR(section.Read("dots", group.dots));
  MUNJA_RETURN_IF_ERROR(section.Read("files", group.files));
  if (group.files.empty())
    return section.Wrong("files", "at least one pattern");
  std::string characters;
  MUNJA_RETURN_IF_ERROR(section.Read("characters", characters));
  group.characters = text::DecodeUtf8(characters);
  std::vector<std::string> sceneries;
  MUNJA_RETURN_IF_ERROR(section.Read("sceneries", sceneries));
  if (!sceneries.empty()) group.sceneries = 0;
  for (const std::string& name : sceneries) {
    const auto* found =
        std::find(std::begin(kSceneryNames), std::end(kSceneryNames), name);
    if (found == std::end(kSceneryNames))
      return section.Wrong("sceneries", "document, receipt, scene or screen");
    group.sceneries |=
        static_cast<uint8_t>(1 << (found - std::begin(kSceneryNames)));
  }
  return group;
}

// False for files that FreeType cannot read or that have no outlines for the
// alphabet.
bool Describe(FT_Library library, const Group& group, const Alphabet& alphabet,
              Font& font) {
  auto file = MappedFile::Open(font.path);
  if (!file.ok()) return false;
  font.file = std::move(file).value();
  const auto bytes = font.file->bytes();
  Face face;
  if (FT_New_Memory_Face(library, bytes.data(),
                         static_cast<FT_Long>(bytes.size()), font.face,
                         &face.face) != 0)
    return false;
  if (!FT_IS_SCALABLE(face.face) ||
      FT_Select_Charmap(face.face, FT_ENCODING_UNICODE) != 0)
    return false;
  const std::u32string characters = alphabet.drawn();
  font.covers.resize(characters.size());
  bool any = false;
  for (size_t i = 0; i < characters.size(); ++i) {
    const bool wanted =
        group.characters.empty() ||
        group.characters.find(characters[i]) != std::u32string::npos;
    font.covers[i] = wanted && FT_Get_Char_Index(face.face, characters[i]) != 0;
    any = any || font.covers[i];
  }
  font.is_unicase = IsUnicase(face.face);
  font.sceneries = group.sceneries;
  font.can_be_dots = group.dots;
  return any;
}

}  // namespace

Result<FontSet> FontSet::Open(const Json* section_json,
                              const Alphabet& alphabet) {
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(section_json, "fonts", {"folders", "groups"}));
  std::vector<std::string> folders = {"/usr/share/fonts",
                                      "/usr/local/share/fonts"};
  MUNJA_RETURN_IF_ERROR(section.Read("folders", folders));
  const Json* groups = section.Find("groups");
  if (groups == nullptr || !groups->is_array() || groups->empty())
    return section.Wrong("groups", "a list with at least one group of fonts");

  Library library;
  if (FT_Init_FreeType(&library.library) != 0)
    return Unavailable("FreeType does not start");
  const std::vector<std::string> files = FontFiles(folders);
  FontSet set;
  for (size_t i = 0; i < groups->size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(const Group group, ReadGroup((*groups)[i], i));
    for (const std::string& pattern : group.files) {
      std::vector<Font> found;
      for (const std::string& path : files) {
        if (fnmatch(("*/" + pattern).c_str(), path.c_str(), 0) != 0) continue;
        Font font;
        font.path = path;
        font.face = group.face;
        if (Describe(library.library, group, alphabet, font))
          found.push_back(std::move(font));
      }
      if (found.empty()) set.missing_.push_back(pattern);
      for (Font& font : found) {
        font.weight = group.weight / static_cast<float>(group.files.size()) /
                      static_cast<float>(found.size());
        set.fonts_.push_back(std::move(font));
      }
    }
  }
  if (set.fonts_.empty()) {
    std::string where;
    for (const std::string& folder : folders)
      where += (where.empty() ? "" : ", ") + folder;
    return NotFound("none of the recipe's fonts is in " + where +
                    " (Debian: tools/install-packages fonts)");
  }
  for (int s = 0; s < kSceneries; ++s) {
    float sum = 0;
    for (const Font& font : set.fonts_) {
      if (font.sceneries & static_cast<uint8_t>(SceneryAt(s)))
        sum += font.weight;
      set.weights_[s].push_back(sum);
    }
    // A kind of picture that no group names takes all fonts.
    if (sum > 0) continue;
    for (size_t i = 0; i < set.fonts_.size(); ++i)
      set.weights_[s][i] = sum += set.fonts_[i].weight;
  }
  return set;
}

std::u32string FontSet::Uncovered(const Alphabet& alphabet) const {
  std::u32string missing;
  for (size_t i = 0; i < alphabet.characters().size(); ++i) {
    if (text::ScriptOfMark(alphabet.characters()[i]) != text::Script::kKnown)
      continue;
    const bool any = std::any_of(fonts_.begin(), fonts_.end(),
                                 [&](const Font& f) { return f.covers[i]; });
    if (!any) missing.push_back(alphabet.characters()[i]);
  }
  return missing;
}

bool FontSet::Covers(int font, std::u32string_view text,
                     const Alphabet& alphabet) const {
  if (font < 0) return false;
  const std::vector<bool>& covers = fonts_[static_cast<size_t>(font)].covers;
  for (char32_t c : text) {
    if (c == U' ') continue;
    const int i = alphabet.Find(c);
    if (i < 0 || !covers[static_cast<size_t>(i)]) return false;
  }
  return true;
}

int FontSet::Choose(Random& random, std::u32string_view text, Scenery scenery,
                    const Alphabet& alphabet) const {
  int s = 0;
  while (SceneryAt(s) != scenery) ++s;
  const std::vector<float>& sums = weights_[s];
  for (int attempt = 0; attempt < 8; ++attempt) {
    const float at = random.Unit() * sums.back();
    const auto i = std::min<size_t>(
        static_cast<size_t>(std::upper_bound(sums.begin(), sums.end(), at) -
                            sums.begin()),
        sums.size() - 1);
    if (Covers(static_cast<int>(i), text, alphabet)) return static_cast<int>(i);
  }
  // Rare characters: among all that have them.
  std::vector<float> weights(fonts_.size(), 0.0f);
  float sum = 0;
  for (size_t i = 0; i < fonts_.size(); ++i) {
    if (Covers(static_cast<int>(i), text, alphabet))
      sum += weights[i] = fonts_[i].weight;
  }
  return sum > 0 ? static_cast<int>(random.Weighted(weights)) : -1;
}

}  // namespace munja::train
