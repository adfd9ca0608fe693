// Quotes of a page are of one kind, straight or curly.
#ifndef MUNJA_READING_CORRECT_QUOTES_H_
#define MUNJA_READING_CORRECT_QUOTES_H_

#include <span>

#include "reading/correct/line_text.h"
#include "text/dictionary.h"

namespace munja::ocr {

// Networks take curly quotes for straight ones, which is what most text that
// they learned from has: “the government's share". Where a page shows clearly
// that its quotes are curly, the straight ones that may as well be curly by the
// network's next choices become so: opening or closing by what stands around
// them. Feet, inches and minutes behind digits stay straight.
void CorrectQuotes(const text::Dictionary& dictionary,
                   std::span<const LineText> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_QUOTES_H_
