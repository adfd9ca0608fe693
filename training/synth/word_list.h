// Word lists and prose from files: what natural text in pictures is made of.
#ifndef MUNJA_SYNTH_WORD_LIST_H_
#define MUNJA_SYNTH_WORD_LIST_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "synth/alphabet.h"

namespace munja::train {

// One word a line, as in /usr/share/dict; "word/FLAGS" of a Hunspell dictionary
// counts as "word", Korean letters (jamo) are composed to syllables;
// "ko.dic#10,25" takes only words with one of these flags. Words that the
// alphabet cannot spell and those of more than 24 characters are left out.
// Files that do not exist are added to `missing`.
std::vector<std::u32string> ReadWords(const std::vector<std::string>& paths,
                                      const Alphabet& alphabet,
                                      std::vector<std::string>& missing);

// The words of running text in their order, with their punctuation; tags in
// angle brackets are dropped from .html files. Words the alphabet cannot spell
// end a passage, marked by an empty word.
std::vector<std::u32string> ReadProse(const std::vector<std::string>& paths,
                                      const Alphabet& alphabet,
                                      std::vector<std::string>& missing);

// Lines as they are, white space squeezed; kMalformed names the line the
// alphabet cannot spell, kNotFound the file.
Result<std::vector<std::u32string>> ReadLines(
    const std::vector<std::string>& paths, const Alphabet& alphabet);

// Files that a pattern of the shell names, the pattern itself when there is
// none. Relative to the recipe.
std::vector<std::string> ExpandPaths(const std::string& recipe_path,
                                     const std::vector<std::string>& patterns);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_WORD_LIST_H_
