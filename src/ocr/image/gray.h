// Gray levels of RGB bytes.
#ifndef MUNJA_IMAGE_GRAY_H_
#define MUNJA_IMAGE_GRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace munja::image {

// (R + 2 G + B) / 4, rounded down, of each pixel.
void ToGray(const uint8_t* in, size_t pixels, uint8_t* out);

// counts[v] += how many of the levels are v.
void CountLevels(std::span<const uint8_t> levels,
                 std::span<uint32_t, 256> counts);

// The level of this rank, from 0 for the darkest on, among those counted; 255
// if there are no more than so many.
int LevelOfRank(std::span<const uint32_t, 256> counts, size_t rank);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_GRAY_H_
