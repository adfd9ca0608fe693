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

}  // namespace munja::image

#endif  // MUNJA_IMAGE_GRAY_H_
