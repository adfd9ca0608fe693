// Lines of a page in a script that the network does not know.
#ifndef MUNJA_READING_CORRECT_UNKNOWN_SCRIPTS_H_
#define MUNJA_READING_CORRECT_UNKNOWN_SCRIPTS_H_

#include <cstddef>
#include <span>

#include "reading/correct/line_text.h"
#include "text/ctc.h"

namespace munja::ocr {

// Weighs the guesses of all lines of a page together: an uncertain guess is
// clear where most of the others are in an unknown script, or hardly any is.
// Lines that are then unknown with a lower likelihood than `least` count as
// known; the few that look Greek on a Cyrillic page are Cyrillic, and the other
// way round.
void WeighScripts(std::span<const LineText> lines, float least);

// After that: whether its script is unknown, and whether it is then no text at
// all.
bool IsUnknown(const text::CtcLine& line);
bool IsNoText(const text::CtcLine& line);

struct UnknownLines {
  size_t all = 0;    // Lines that were read, in any script.
  size_t lines = 0;  // Lines among them that are text in an unknown script.
  text::Script script = text::Script::kKnown;  // The script of most of them.
};
UnknownLines CountUnknown(std::span<const text::CtcLine* const> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_UNKNOWN_SCRIPTS_H_
