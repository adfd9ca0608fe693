// SourceText: the recipe's fonts and texts, cut to what pages need.
#ifndef MUNJA_SYNTH_SOURCE_TEXT_H_
#define MUNJA_SYNTH_SOURCE_TEXT_H_

#include <string>

#include "synth/page_text.h"
#include "synth/text_source.h"

namespace munja::train {

// Two languages: with Hangul, and without. All references must outlive it.
class SourceText : public PageText {
 public:
  SourceText(const Alphabet& alphabet, const FontSet& fonts,
             const TextSource& source);

  const Alphabet& alphabet() const override { return alphabet_; }
  const FontSet& fonts() const override { return fonts_; }
  int PickLanguage(Random& random) const override;
  std::u32string Letters(int language) const override;
  std::u32string Running(Random& random, int language,
                         size_t characters) const override;
  std::u32string Phrase(Random& random, int language, size_t least,
                        size_t most) const override;
  std::u32string Amount(Random& random, int language) const override;
  std::u32string Entry(Random& random, int language, size_t most,
                       Scenery scenery) const override;

 private:
  // A line of the source in this language, if a few attempts find one.
  std::u32string Line(Random& random, int language) const;

  const Alphabet& alphabet_;
  const FontSet& fonts_;
  const TextSource& source_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_SOURCE_TEXT_H_
