// Quotes and dashes as typesetting programs print them, where keyboards and
// word lists have nothing but ' " and -.
#ifndef MUNJA_SYNTH_TYPOGRAPHY_H_
#define MUNJA_SYNTH_TYPOGRAPHY_H_

#include <string>
#include <string_view>

#include "synth/alphabet.h"
#include "synth/random.h"

namespace munja::train {

// "don't" becomes “don’t”, 1990-95 1990–95, "a -- b" a – b or a — b: quotes
// always, dashes two times of three. Text of programs and addresses stays as it
// is, and so does all of it when the alphabet lacks a sign.
std::u32string Typeset(std::u32string_view text, const Alphabet& alphabet,
                       Random& random);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_TYPOGRAPHY_H_
