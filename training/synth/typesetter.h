// Typesetter: text -> outlines of glyphs, placed along a baseline. HarfBuzz
// places them, FreeType gives their shapes.
#ifndef MUNJA_SYNTH_TYPESETTER_H_
#define MUNJA_SYNTH_TYPESETTER_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "synth/font_set.h"
#include "synth/path.h"

namespace munja::train {

struct TypeStyle {
  float size = 32;    // Size of the em square, pixels.
  float stretch = 1;  // Width.
  float slant = 0;    // Pixels to the right a pixel up.
  int weight = 0;  // -1 (thinner) to 3 (much bolder) steps of synthetic weight,
                   // each 1.5 % of the em.
  float spacing = 0;  // Added to every advance, em.
  bool ligatures = false;
  bool kerning = true;
};

struct SetGlyph {
  size_t begin = 0;   // First character of the text that it stands for.
  float x = 0;        // Where it starts on the baseline, and
  float advance = 0;  // how far the next one is.
  Path outline;       // Pixels, relative to (x, baseline); empty for spaces.
};

struct SetLine {
  std::vector<SetGlyph> glyphs;
  float advance = 0;
  float ascent = 0, descent = 0;  // The font's own, both positive, pixels.
  // The bounds of all outlines, relative to the start of the baseline.
  Box ink;
};

// Not thread-safe: see TypesetterPool. Keeps opened fonts and unscaled
// outlines.
class Typesetter {
 public:
  // `fonts` must outlive it.
  static Result<std::unique_ptr<Typesetter>> Create(const FontSet& fonts);
  ~Typesetter();

  // `text`: at most 1000 characters of one line. kUnsupported when the font
  // draws nothing for a character of it.
  Result<SetLine> Set(int font, std::u32string_view text,
                      const TypeStyle& style);

 private:
  struct State;
  explicit Typesetter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Hands out typesetters, one a thread at a time; thread-safe.
class TypesetterPool {
 public:
  explicit TypesetterPool(const FontSet& fonts) : fonts_(&fonts) {}

  class Lease {
   public:
    Lease(TypesetterPool* pool, std::unique_ptr<Typesetter> typesetter)
        : pool_(pool), typesetter_(std::move(typesetter)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Typesetter* operator->() { return typesetter_.get(); }
    Typesetter& operator*() { return *typesetter_; }

   private:
    TypesetterPool* pool_;
    std::unique_ptr<Typesetter> typesetter_;
  };
  Result<Lease> Take();

 private:
  const FontSet* fonts_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Typesetter>> idle_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_TYPESETTER_H_
