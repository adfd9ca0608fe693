// Bytes -> a model: random, but such that operators have a chance to take it.
#ifndef MUNJA_TESTS_HOSTILE_RANDOM_GRAPH_H_
#define MUNJA_TESTS_HOSTILE_RANDOM_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace munja::hostile {

// Hands out the bytes one by one, zeros after the last.
class ByteSource {
 public:
  explicit ByteSource(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint8_t Byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  // In [0, count); count is 1 to 65536.
  size_t Below(size_t count) {
    return (count > 256 ? Byte() * 256u + Byte() : Byte()) % count;
  }
  // True for one of `n` byte values.
  bool Once(size_t n) { return Below(n) == n - 1; }
  template <class T, size_t N>
  T Pick(const T (&choices)[N]) {
    return choices[Below(N)];
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// Makes a graph of one to three subgraphs from every operator of ops.def that
// the schema has and all their options. It need not pass graph::Verify.
graph::Graph RandomGraph(ByteSource& source);

// Dense data of `elements` elements of this type, small numbers most of the
// time.
std::vector<uint8_t> RandomData(ByteSource& source, ElementType type,
                                size_t elements);

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_RANDOM_GRAPH_H_
