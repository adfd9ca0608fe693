#include "synth/typesetter.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <hb.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace munja::train {
namespace {

constexpr size_t kMostCharacters = 1000;
// Cached points of all fonts together, about 9 bytes each; beyond it all caches
// are emptied.
constexpr size_t kMostCachedPoints = 12'000'000;
constexpr size_t kMostOpenFonts = 600;

struct Opened {
  FT_Face face = nullptr;
  hb_blob_t* blob = nullptr;
  hb_font_t* font = nullptr;
  float units = 1000;
  std::unordered_map<uint64_t, Path>
      outlines;  // By glyph and weight; em = units, y up.

  Opened() = default;
  Opened(const Opened&) = delete;
  ~Opened() {
    if (font != nullptr) hb_font_destroy(font);
    if (blob != nullptr) hb_blob_destroy(blob);
    if (face != nullptr) FT_Done_Face(face);
  }
};

Point At(const FT_Vector* v) {
  return {static_cast<float>(v->x), static_cast<float>(v->y)};
}
int MoveTo(const FT_Vector* to, void* path) {
  static_cast<Path*>(path)->MoveTo(At(to));
  return 0;
}
int LineTo(const FT_Vector* to, void* path) {
  static_cast<Path*>(path)->LineTo(At(to));
  return 0;
}
int QuadraticTo(const FT_Vector* control, const FT_Vector* to, void* path) {
  static_cast<Path*>(path)->QuadraticTo(At(control), At(to));
  return 0;
}
int CubicTo(const FT_Vector* a, const FT_Vector* b, const FT_Vector* to,
            void* path) {
  static_cast<Path*>(path)->CubicTo(At(a), At(b), At(to));
  return 0;
}

void Widen(const Box& box, float dx, Box& all, bool& any) {
  if (!any) {
    all = {box.left + dx, box.top, box.right + dx, box.bottom};
    any = true;
    return;
  }
  all = {std::min(all.left, box.left + dx), std::min(all.top, box.top),
         std::max(all.right, box.right + dx), std::max(all.bottom, box.bottom)};
}

}  // namespace

struct Typesetter::State {
  explicit State(const FontSet& f) : fonts(f) {}
  ~State() {
    opened.clear();  // Before the library.
    if (buffer != nullptr) hb_buffer_destroy(buffer);
    if (library != nullptr) FT_Done_FreeType(library);
  }

  Result<Opened*> Open(int index) {
    std::unique_ptr<Opened>& slot = opened[index];
    if (slot != nullptr) return slot.get();
    if (opened.size() > kMostOpenFonts) {
      opened.clear();
      cached_points = 0;
    }
    const Font& font = fonts.fonts()[static_cast<size_t>(index)];
    const auto bytes = font.file->bytes();
    auto made = std::make_unique<Opened>();
    if (FT_New_Memory_Face(library, bytes.data(),
                           static_cast<FT_Long>(bytes.size()), font.face,
                           &made->face) != 0)
      return Malformed(font.path + ": FreeType does not open it");
    made->units = made->face->units_per_EM > 0
                      ? static_cast<float>(made->face->units_per_EM)
                      : 1000.0f;
    made->blob = hb_blob_create(reinterpret_cast<const char*>(bytes.data()),
                                static_cast<unsigned>(bytes.size()),
                                HB_MEMORY_MODE_READONLY, nullptr, nullptr);
    hb_face_t* face =
        hb_face_create(made->blob, static_cast<unsigned>(font.face));
    made->font = hb_font_create(face);
    hb_face_destroy(face);
    const int scale = static_cast<int>(made->units);
    hb_font_set_scale(made->font, scale, scale);
    opened[index] = std::move(made);
    return opened[index].get();
  }

  // Null when the glyph cannot be loaded.
  const Path* Outline(Opened& font, uint32_t glyph, int weight) {
    const uint64_t key = uint64_t{glyph} << 8 | static_cast<uint8_t>(weight);
    const auto found = font.outlines.find(key);
    if (found != font.outlines.end()) return &found->second;
    if (FT_Load_Glyph(font.face, glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP) !=
            0 ||
        font.face->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
      return nullptr;
    if (cached_points > kMostCachedPoints) {
      for (auto& [index, other] : opened) other->outlines.clear();
      cached_points = 0;
    }
    FT_Outline& outline = font.face->glyph->outline;
    if (weight != 0) {
      const float strength = 0.015f * static_cast<float>(weight) * font.units;
      FT_Outline_Embolden(&outline, static_cast<FT_Pos>(strength));
      FT_Outline_Translate(&outline, static_cast<FT_Pos>(-strength / 2),
                           static_cast<FT_Pos>(-strength / 2));
    }
    Path path;
    FT_Outline_Funcs funcs = {MoveTo, LineTo, QuadraticTo, CubicTo, 0, 0};
    if (FT_Outline_Decompose(&outline, &funcs, &path) != 0) return nullptr;
    cached_points += path.points().size();
    return &font.outlines.emplace(key, std::move(path)).first->second;
  }

  const FontSet& fonts;
  FT_Library library = nullptr;
  hb_buffer_t* buffer = nullptr;
  std::unordered_map<int, std::unique_ptr<Opened>> opened;
  size_t cached_points = 0;
};

Typesetter::Typesetter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
Typesetter::~Typesetter() = default;

Result<std::unique_ptr<Typesetter>> Typesetter::Create(const FontSet& fonts) {
  auto state = std::make_unique<State>(fonts);
  if (FT_Init_FreeType(&state->library) != 0)
    return Unavailable("FreeType does not start");
  state->buffer = hb_buffer_create();
  if (!hb_buffer_allocation_successful(state->buffer))
    return OutOfMemory("no memory for a text buffer");
  return std::unique_ptr<Typesetter>(new Typesetter(std::move(state)));
}

Result<SetLine> Typesetter::Set(int font_index, std::u32string_view text,
                                const TypeStyle& style) {
  if (text.size() > kMostCharacters)
    return InvalidArgument("a line of text is too long to be set");
  MUNJA_ASSIGN_OR_RETURN(Opened * font, state_->Open(font_index));
  hb_buffer_t* buffer = state_->buffer;
  hb_buffer_reset(buffer);
  hb_buffer_add_utf32(buffer, reinterpret_cast<const uint32_t*>(text.data()),
                      static_cast<int>(text.size()), 0,
                      static_cast<int>(text.size()));
  hb_buffer_guess_segment_properties(buffer);
  hb_buffer_set_direction(buffer, HB_DIRECTION_LTR);
  const auto feature = [](const char* tag, bool on) {
    return hb_feature_t{hb_tag_from_string(tag, 4), on ? 1u : 0u,
                        HB_FEATURE_GLOBAL_START, HB_FEATURE_GLOBAL_END};
  };
  // Contextual forms turn "->" of programmers' fonts into an arrow: never
  // wanted.
  const hb_feature_t features[] = {
      feature("liga", style.ligatures), feature("clig", style.ligatures),
      feature("calt", false), feature("kern", style.kerning)};
  hb_shape(font->font, buffer, features, 4);

  unsigned count = 0;
  const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer, &count);
  const hb_glyph_position_t* positions =
      hb_buffer_get_glyph_positions(buffer, &count);
  const float scale = style.size / font->units, x_scale = scale * style.stretch;
  SetLine line;
  line.glyphs.reserve(count);
  line.ascent = static_cast<float>(font->face->ascender) * scale;
  line.descent = -static_cast<float>(font->face->descender) * scale;
  bool any = false;
  float x = 0;
  for (unsigned i = 0; i < count; ++i) {
    SetGlyph glyph;
    glyph.begin = infos[i].cluster;
    glyph.x = x + static_cast<float>(positions[i].x_offset) * x_scale;
    glyph.advance = static_cast<float>(positions[i].x_advance) * x_scale +
                    style.spacing * style.size;
    x += glyph.advance;
    const Path* outline =
        state_->Outline(*font, infos[i].codepoint, style.weight);
    const bool is_space = text[glyph.begin] == U' ';
    if (infos[i].codepoint == 0 || outline == nullptr ||
        (outline->empty() && !is_space)) {
      return Unsupported(
          state_->fonts.fonts()[static_cast<size_t>(font_index)].path +
          ": no shape for U+" +
          std::to_string(static_cast<uint32_t>(text[glyph.begin])));
    }
    if (!outline->empty()) {
      const float y_offset = -static_cast<float>(positions[i].y_offset) * scale;
      glyph.outline = *outline;
      for (Point& p : glyph.outline.mutable_points())
        p = {p.x * x_scale + style.slant * scale * p.y, y_offset - p.y * scale};
      Widen(glyph.outline.Bounds(), glyph.x, line.ink, any);
    }
    line.glyphs.push_back(std::move(glyph));
  }
  line.advance = x;
  return line;
}

TypesetterPool::Lease::~Lease() {
  if (typesetter_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(pool_->mutex_);
  pool_->idle_.push_back(std::move(typesetter_));
}

Result<TypesetterPool::Lease> TypesetterPool::Take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Typesetter> typesetter = std::move(idle_.back());
      idle_.pop_back();
      return Lease(this, std::move(typesetter));
    }
  }
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<Typesetter> typesetter,
                         Typesetter::Create(*fonts_));
  return Lease(this, std::move(typesetter));
}

}  // namespace munja::train
