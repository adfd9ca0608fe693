#include "kernels/lookup/farm_fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace munja::kernels {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kPrime0 = 0xc3a5c85c97cb3127u;
constexpr uint64_t kPrime1 = 0xb492b66fbe98f273u;
constexpr uint64_t kPrime2 = 0x9ae16a3b2f90404fu;

struct Pair {
  uint64_t first = 0, second = 0;
};

template <class T>
uint64_t Load(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}
uint64_t Word(const uint8_t* p) { return Load<uint64_t>(p); }

uint64_t Fold(uint64_t x) { return x ^ (x >> 47); }

uint64_t Mix(uint64_t a, uint64_t b, uint64_t multiplier) {
  const uint64_t inner = Fold((a ^ b) * multiplier);
  return Fold((b ^ inner) * multiplier) * multiplier;
}

uint64_t UpTo16(const uint8_t* s, size_t n) {
  const uint64_t multiplier = kPrime2 + 2 * n;
  if (n >= 8) {
    const uint64_t head = Word(s) + kPrime2, tail = Word(s + n - 8);
    return Mix(std::rotr(tail, 37) * multiplier + head,
               (std::rotr(head, 25) + tail) * multiplier, multiplier);
  }
  if (n >= 4) {
    return Mix(n + (Load<uint32_t>(s) << 3), Load<uint32_t>(s + n - 4),
               multiplier);
  }
  if (n == 0) return kPrime2;
  const uint32_t low = s[0] + (uint32_t{s[n / 2]} << 8);
  const uint32_t high = static_cast<uint32_t>(n) + (uint32_t{s[n - 1]} << 2);
  return Fold((low * kPrime2) ^ (high * kPrime0)) * kPrime2;
}

// Common start of the fingerprints of 17 to 64 bytes: two sums that Mix makes
// the fingerprint of up to 32 bytes.
struct Ends {
  uint64_t first, sum, cross;
};

Ends MixEnds(const uint8_t* s, size_t n, uint64_t multiplier,
             uint64_t first_prime) {
  const uint64_t a = Word(s) * first_prime, b = Word(s + 8);
  const uint64_t c = Word(s + n - 8) * multiplier;
  const uint64_t d = Word(s + n - 16) * kPrime2;
  return {a, std::rotr(a + b, 43) + std::rotr(c, 30) + d,
          a + std::rotr(b + kPrime2, 18) + c};
}

uint64_t UpTo64(const uint8_t* s, size_t n) {
  const uint64_t multiplier = kPrime2 + 2 * n;
  const Ends ends = MixEnds(s, n, multiplier, n <= 32 ? kPrime1 : kPrime2);
  const uint64_t mixed = Mix(ends.sum, ends.cross, multiplier);
  if (n <= 32) return mixed;
  const uint64_t a = Word(s + 16) * multiplier, b = Word(s + 24);
  const uint64_t c = (ends.sum + Word(s + n - 32)) * multiplier;
  const uint64_t d = (mixed + Word(s + n - 24)) * multiplier;
  return Mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
             a + std::rotr(b + ends.first, 18) + c, multiplier);
}

Pair Mix32(const uint8_t* s, uint64_t a, uint64_t b) {
  a += Word(s);
  const uint64_t last = Word(s + 24);
  b = std::rotr(b + a + last, 21);
  const uint64_t start = a;
  a += Word(s + 8) + Word(s + 16);
  b += std::rotr(a, 44);
  return {a + last, b + start};
}

// State of the loop over blocks of 64 bytes.
struct Blocks {
  uint64_t x = 81, y = 81 * kPrime1 + 113, z = 0;
  Pair v, w;

  // `extra` is 1 within the loop, 9 for the last block.
  void Take(const uint8_t* s, uint64_t multiplier, uint64_t extra) {
    x = std::rotr(x + y + v.first + Word(s + 8), 37) * multiplier;
    y = std::rotr(y + v.second + Word(s + 48), 42) * multiplier;
    x ^= w.second * extra;
    y += v.first * extra + Word(s + 40);
    z = std::rotr(z + w.first, 33) * multiplier;
    v = Mix32(s, v.second * multiplier, x + w.first);
    w = Mix32(s + 32, z + w.second, y + Word(s + 16));
    std::swap(z, x);
  }
};

}  // namespace

uint64_t FarmFingerprint64(const uint8_t* s, size_t n) {
  if (n <= 16) return UpTo16(s, n);
  if (n <= 64) return UpTo64(s, n);
  Blocks blocks;
  blocks.z = Fold(blocks.y * kPrime2 + 113) * kPrime2;
  blocks.x = blocks.x * kPrime2 + Word(s);
  const size_t rest = (n - 1) % 64;
  const uint8_t* const end = s + (n - 1 - rest);
  for (; s != end; s += 64) blocks.Take(s, kPrime1, 1);
  const uint64_t multiplier = kPrime1 + ((blocks.z & 0xff) << 1);
  blocks.w.first += rest;
  blocks.v.first += blocks.w.first;
  blocks.w.first += blocks.v.first;
  blocks.Take(end + rest - 63, multiplier, 9);
  const uint64_t first = Mix(blocks.v.first, blocks.w.first, multiplier) +
                         Fold(blocks.y) * kPrime0;
  return Mix(first + blocks.z,
             Mix(blocks.v.second, blocks.w.second, multiplier) + blocks.x,
             multiplier);
}

}  // namespace munja::kernels
