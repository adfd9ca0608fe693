// The texts of pages, and the fonts that they are set in.
#ifndef MUNJA_SYNTH_PAGE_TEXT_H_
#define MUNJA_SYNTH_PAGE_TEXT_H_

#include <cstddef>
#include <string>

#include "synth/alphabet.h"
#include "synth/font_set.h"
#include "synth/random.h"

namespace munja::train {

// Everything returned consists of characters of the alphabet and single spaces,
// none at the ends, and is not empty. Thread-safe. A page is of one language, a
// number below languages(); words of others may be mixed in.
class PageText {
 public:
  virtual ~PageText() = default;
  virtual const Alphabet& alphabet() const = 0;
  virtual const FontSet& fonts() const = 0;

  virtual int PickLanguage(Random& random) const = 0;
  // Letters that a font for this language must have; may be empty.
  virtual std::u32string Letters(int language) const = 0;
  // Sentences, at least `characters` long and no more than about 40 longer.
  virtual std::u32string Running(Random& random, int language,
                                 size_t characters) const = 0;
  // A few words: a title, a label, an article; `least` to `most` characters
  // (`most` is kept, `least` if possible).
  virtual std::u32string Phrase(Random& random, int language, size_t least,
                                size_t most) const = 0;
  // A price or another amount.
  virtual std::u32string Amount(Random& random, int language) const = 0;
  // A date, a telephone number, an address, a code ...; at most `most`
  // characters, at least 8 of which must be allowed.
  virtual std::u32string Entry(Random& random, int language, size_t most,
                               Scenery scenery) const = 0;

  bool Has(char32_t c) const { return c == U' ' || alphabet().Has(c); }
  // `text` if the alphabet spells it, else nothing.
  std::u32string IfSpelled(std::u32string_view text) const {
    return alphabet().Spells(text) ? std::u32string(text) : std::u32string();
  }
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_PAGE_TEXT_H_
