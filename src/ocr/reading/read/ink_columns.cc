#include "reading/read/ink_columns.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "image/gray.h"

namespace munja::ocr {
namespace {

// A column is empty where it varies by less than this part of what the line
// does, or by so many levels.
constexpr double kEmptyContrast = 0.22;
constexpr int kEmptyLevels = 8;

}  // namespace

void InkColumns::FindEmpty(const image::ImageView& line,
                           std::vector<bool>* is_empty) {
  is_empty->clear();
  if (line.width <= 0) return;
  const auto width = static_cast<size_t>(line.width);
  const int margin = line.height / 12;
  low_.assign(width, 255);
  high_.assign(width, 0);
  gray_.resize(width);
  // Every second pixel says enough of the levels.
  const size_t sampled = (width + 1) / 2;
  samples_.resize(sampled *
                  static_cast<size_t>(std::max(line.height - 2 * margin, 0)));
  // Bytes may lie anywhere, also where a vector keeps its pointer: these stay.
  uint8_t* sample = samples_.data();
  uint8_t *const gray = gray_.data(), *const low = low_.data(),
                 *const high = high_.data();
  for (int y = margin; y < line.height - margin; ++y) {
    const uint8_t* const row = line.row(y);
    image::ToGray(row, width, gray);
    for (size_t x = 0; x < width; ++x) {
      low[x] = std::min(low[x], gray[x]);
      high[x] = std::max(high[x], gray[x]);
    }
    for (size_t i = 0; i < sampled; ++i) sample[i] = gray[2 * i];
    sample += sampled;
  }
  std::array<uint32_t, 256> counts{};
  image::CountLevels(samples_, counts);
  // Paper and ink, without the 3 % at both ends, which may be specks.
  const size_t all = samples_.size();
  const int contrast = image::LevelOfRank(counts, all - 1 - all * 3 / 100) -
                       image::LevelOfRank(counts, all * 3 / 100);
  if (contrast < 2 * kEmptyLevels) return;
  const int limit =
      std::max(static_cast<int>(kEmptyContrast * contrast), kEmptyLevels);
  is_empty->resize(width);
  for (size_t x = 0; x < width; ++x)
    (*is_empty)[x] = high_[x] - low_[x] < limit;
}

}  // namespace munja::ocr
