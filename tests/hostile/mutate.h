// Bytes and text, damaged in the ways that break parsers.
#ifndef MUNJA_TESTS_HOSTILE_MUTATE_H_
#define MUNJA_TESTS_HOSTILE_MUTATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace munja::hostile {

// The same numbers everywhere for the same seed (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // The numbers of one case among many of a seed.
  Random(uint64_t seed, uint64_t number)
      : state_(seed * 0x9E3779B97F4A7C15u + number) {
    state_ = Next();
  }
  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  // In [0, count); count is at least 1.
  size_t Below(size_t count) { return static_cast<size_t>(Next() % count); }
  bool Once(size_t n) { return Below(n) == 0; }
  template <class T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

 private:
  uint64_t state_;
};

// One to eight changes: bits and bytes, numbers of 2 to 8 bytes in either
// order, pieces left out, doubled, moved, the end cut off.
void MutateBytes(Random& random, std::string& bytes);

// One to four changes that leave most of a text readable: numbers and words in
// the place of others, lines, brackets and quotes left out or doubled, bytes
// that are no text.
void MutateText(Random& random, std::string& text);

// The beginning of one and the end of the other.
std::string Splice(Random& random, const std::string& a, const std::string& b);

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_MUTATE_H_
