// Functions of one byte by a table of all their values.
#ifndef MUNJA_KERNELS_ELEMENTWISE_BYTE_TABLE_H_
#define MUNJA_KERNELS_ELEMENTWISE_BYTE_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace munja::kernels {

// out[i] = table[in[i]]; the table has 256 entries. `out` may be `in`.
void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out);

// The same for pixels of three bytes, each of which has a table of its own:
// channel c of `out` is tables[256 * c + level], where the level is that of
// channel c of `in`, with `swap` that of channel 2 - c.
void LookUpPixels(const uint8_t* tables, const uint8_t* in, size_t pixels,
                  bool swap, uint8_t* out);

namespace reference {
void LookUpBytes(const uint8_t* table, const uint8_t* in, size_t count,
                 uint8_t* out);
void LookUpPixels(const uint8_t* tables, const uint8_t* in, size_t pixels,
                  bool swap, uint8_t* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_BYTE_TABLE_H_
