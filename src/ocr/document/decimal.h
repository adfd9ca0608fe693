// Numbers as the files that we write have them.
#ifndef MUNJA_DOCUMENT_DECIMAL_H_
#define MUNJA_DOCUMENT_DECIMAL_H_

#include <string>

namespace munja::document {

inline constexpr int kCoordinateDigits = 2;  // 1/100 pixel.
inline constexpr int kConfidenceDigits = 4;
inline constexpr int kMillisecondDigits = 3;

// The double next to `value` rounded to `digits` (0 to 9) decimal places, half
// away from zero: what a reader of AppendDecimal's text gets. Not a number and
// infinities give 0, as JSON has no word for them.
double RoundedDecimal(double value, int digits);

// Appends it without zeros at the end, always with a point as its separator,
// whatever the locale: "0.98", "12", "-3.5". Never in exponential form.
void AppendDecimal(double value, int digits, std::string& out);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_DECIMAL_H_
