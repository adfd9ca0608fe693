// Amounts of a page have one decimal sign, a point or a comma.
#ifndef MUNJA_READING_CORRECT_AMOUNTS_H_
#define MUNJA_READING_CORRECT_AMOUNTS_H_

#include <span>

#include "reading/correct/line_text.h"
#include "text/dictionary.h"

namespace munja::ocr {

// In small print a point and a comma are two or three dots of ink apart: 9.00
// is read as 9,00. Where most of a page's amounts with cents have the one, the
// other becomes it in those that the network is not sure about.
void CorrectAmounts(const text::Dictionary& dictionary,
                    std::span<const LineText> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_AMOUNTS_H_
