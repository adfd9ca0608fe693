// TextSource: what the lines say.
#ifndef MUNJA_SYNTH_TEXT_SOURCE_H_
#define MUNJA_SYNTH_TEXT_SOURCE_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "synth/alphabet.h"
#include "synth/grammar.h"
#include "synth/random.h"
#include "synth/recipe.h"

namespace munja::train {

// The recipe's section "text":
//   "longest": most characters of a line (40)
//   "words": {"name": [files of words]}: lists for grammars and for sources;
//       names as of rules
//   "grammars": files of rules, see Grammar
//   "sources": a list of objects of "weight" (1) and one of
//       "rule": "name"             a line by this rule
//       "words": "name"            words of a list, now and then in capitals or
//                                  with punctuation
//       "prose": [files]           some words in a row of running text
//       "lines": [files]           a line of your own, as it is
//       "characters": ["a-z", "€"] any of these in any order; "*" stands for
//                                  the whole alphabet
//       and "count": [1, 6]        words or characters; not for "rule" and
//                                  "lines"
// Paths are relative to the recipe, with * and ?. Files that do not exist are
// listed in missing() and the sources that need them left out, except for
// "lines" and "grammars".
class TextSource {
 public:
  static Result<TextSource> Open(const Json* section,
                                 const std::string& recipe_path,
                                 const Alphabet& alphabet);

  // 1 to longest() characters of the alphabet and single spaces, none at the
  // ends.
  std::u32string Make(Random& random) const;
  // By one rule; empty when there is no such rule or the alphabet cannot spell
  // what it makes.
  std::u32string MakeByRule(const std::string& rule, Random& random) const;
  const Grammar& grammar() const { return grammar_; }

  size_t longest() const { return static_cast<size_t>(longest_); }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  struct Source {
    enum class Kind {
      kRule,
      kWords,
      kProse,
      kLines,
      kCharacters
    } kind = Kind::kRule;
    std::string rule;
    std::vector<std::u32string> texts;  // Words, passages, lines.
    std::u32string characters;
    float least = 1, most = 6;
  };

  Status ReadLists(const Section& section, const std::string& recipe_path);
  Status ReadSource(const Json& json, size_t index,
                    const std::string& recipe_path);
  std::u32string Draw(const Source& source, Random& random) const;

  const Alphabet* alphabet_ = nullptr;
  Grammar grammar_;
  std::vector<Source> sources_;
  std::vector<float> weights_;
  int longest_ = 40;
  std::vector<std::string> missing_;
};

}  // namespace munja::train

#endif  // MUNJA_SYNTH_TEXT_SOURCE_H_
