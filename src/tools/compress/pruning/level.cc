#include "compress/pruning/level.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace munja::compress {

Result<double> ParseLevel(std::string_view text) {
  std::string_view number = text;
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() ||
      !std::isfinite(value))
    return InvalidArgument("the level '", text,
                           "' is not a number, such as 0.7 or 70%");
  const double level = is_percent || value > 1 ? value / 100 : value;
  if (level < 0 || level > 1)
    return InvalidArgument("the level ", text,
                           " is not between 0 and 1 (or 0% and 100%)");
  return level;
}

int KeptFilters(int filters, double level) {
  if (level >= 1) return 0;
  // 10 * (1 - 0.9) is a little less than 1 in binary.
  constexpr double kSlack = 1e-6;
  return std::max(1,
                  static_cast<int>(std::floor(filters * (1 - level) + kSlack)));
}

int RoundedToMultiple(int kept, int multiple, int filters) {
  return std::min(filters, std::max(multiple, kept - kept % multiple));
}

Status CheckLevel(double level, const std::string& layer, int filters) {
  if (level >= 0 && KeptFilters(filters, level) > 0) return Status();
  return InvalidArgument("at level ", level, " layer '", layer,
                         "' keeps none of its ", filters, " filters");
}

}  // namespace munja::compress
