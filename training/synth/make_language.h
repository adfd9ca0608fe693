// Language models of word lists and texts (text::LanguageModel). Free of
// libtorch.
#ifndef MUNJA_SYNTH_MAKE_LANGUAGE_H_
#define MUNJA_SYNTH_MAKE_LANGUAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

// The recipe's section "language":
//   "order": letters of the longest n-grams, 2 to 6 (5)
//   "bytes": size of the file, at most (500000)
//   "letters": ["a-z", "é"]: characters of the recipe's alphabet; capitals
//       count as their small letters
//   "sources": a list of objects of "share" (1), which is the part of all words
//       that those of this source count as, and one of
//       "words": [files]    word lists, each word once
//       "prose": [files]    running text, each word as often as it stands there
//       "rule": "name"      lines by a rule of the section "text"
//       and "count": at most so many words, evenly spread over the source, or
//       so many lines by the rule (100000)
// Paths are relative to the recipe, with * and ?.
struct LanguageJob {
  std::string recipe;
  std::string out;
  // A text whose words do not count: to measure on them afterwards. Empty:
  // none.
  std::string without;
};

struct LanguageReport {
  // Files of the recipe that are not here.
  std::vector<std::string> missing;
  size_t words =
      0;  // That were counted, as often as they stand in the sources.
  size_t left_out = 0;  // By `without`.
  size_t n_grams = 0, bytes = 0;
};

// kMalformed, kNotFound, kIo name the file and its part.
Status MakeLanguage(const LanguageJob& job, LanguageReport* report);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_MAKE_LANGUAGE_H_
