#include "document/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace munja::document {
namespace {

constexpr int64_t kPowers[] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

// `value` in units of 10^-digits.
int64_t Units(double value, int digits) {
  // Keeps the product inside int64_t and exact in double.
  constexpr double kMost = 9e15;
  if (!std::isfinite(value)) return 0;
  const double scaled = value * static_cast<double>(kPowers[digits]);
  return std::llround(std::clamp(scaled, -kMost, kMost));
}

}  // namespace

double RoundedDecimal(double value, int digits) {
  // One correctly rounded division of two exact numbers: the double nearest to
  // the decimal number, which is what reading the text gives.
  return static_cast<double>(Units(value, digits)) /
         static_cast<double>(kPowers[digits]);
}

void AppendDecimal(double value, int digits, std::string& out) {
  const int64_t units = Units(value, digits);
  const int64_t power = kPowers[digits];
  if (units < 0) out += '-';
  const int64_t whole = std::abs(units) / power;
  int64_t part = std::abs(units) % power;
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, whole).ptr;
  out.append(text, end);
  if (part == 0) return;
  out += '.';
  for (int64_t place = power / 10; part > 0; place /= 10) {
    out += static_cast<char>('0' + part / place);
    part %= place;
  }
}

}  // namespace munja::document
