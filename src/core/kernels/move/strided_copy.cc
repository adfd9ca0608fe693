#include "kernels/move/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/move/transpose_plane.h"

namespace munja::kernels {
namespace {

// Bytes that one piece of work for a thread moves, about.
constexpr int64_t kGrainBytes = 1 << 16;
// A tile of a transpose: as many elements on each side as a cache line holds,
// of large ones 16.
template <size_t kSize>
constexpr int64_t kTile = kSize < 4 ? 64 / static_cast<int64_t>(kSize) : 16;

// The copy with strides in bytes and, at the end, the dimensions that one call
// of the innermost loop covers.
struct Walk {
  StridedCopy bytes;
  int outer = 0;       // Dimensions before the inner loop.
  int64_t pieces = 1;  // Product of the outer dimensions.
};

struct Offsets {
  int64_t in, out;
};

// Where piece number `index` of the outer dimensions starts.
Offsets PlaceOf(const Walk& walk, int64_t index) {
  Offsets place{walk.bytes.in_offset, walk.bytes.out_offset};
  for (int k = walk.outer - 1; k >= 0; --k) {
    const int64_t i = index % walk.bytes.dims[k];
    index /= walk.bytes.dims[k];
    place.in += i * walk.bytes.in_strides[k];
    place.out += i * walk.bytes.out_strides[k];
  }
  return place;
}

// Calls piece(in offset, out offset) for each index of the outer dimensions.
template <class Piece>
void ForEachPiece(const Walk& walk, int64_t piece_bytes, ThreadPool& pool,
                  const Piece& piece) {
  const StridedCopy& c = walk.bytes;
  const int64_t grain =
      std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, piece_bytes));
  const auto body = [&](size_t begin, size_t end, int) {
    std::array<int64_t, StridedCopy::kMaxRank> index{};
    int64_t rest = static_cast<int64_t>(begin);
    for (int k = walk.outer - 1; k >= 0; --k) {
      index[k] = rest % c.dims[k];
      rest /= c.dims[k];
    }
    Offsets place = PlaceOf(walk, static_cast<int64_t>(begin));
    for (size_t i = begin; i < end; ++i) {
      piece(place.in, place.out);
      for (int k = walk.outer - 1; k >= 0; --k) {
        place.in += c.in_strides[k];
        place.out += c.out_strides[k];
        if (++index[k] < c.dims[k]) break;
        index[k] = 0;
        place.in -= c.dims[k] * c.in_strides[k];
        place.out -= c.dims[k] * c.out_strides[k];
      }
    }
  };
  pool.ParallelFor(static_cast<size_t>(walk.pieces), static_cast<size_t>(grain),
                   body);
}

template <size_t kSize>
void CopyLine(const char* in, int64_t in_stride, char* out, int64_t out_stride,
              int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(out + i * out_stride, in + i * in_stride, kSize);
}

// n lines of m elements; in tiles, since one side or the other jumps.
template <size_t kSize>
void CopyPlane(const char* in, int64_t in_n, int64_t in_m, char* out,
               int64_t out_n, int64_t out_m, int64_t n, int64_t m) {
  constexpr int64_t kSide = kTile<kSize>;
  for (int64_t i = 0; i < n; i += kSide) {
    const int64_t i_end = std::min(n, i + kSide);
    for (int64_t j = 0; j < m; j += kSide) {
      const int64_t length = std::min(m, j + kSide) - j;
      if (in_n == static_cast<int64_t>(kSize) &&
          out_m == static_cast<int64_t>(kSize) &&
          TransposePlane(
              kSize, {in + i * in_n + j * in_m, in_m,
                      out + i * out_n + j * out_m, out_n, i_end - i, length}))
        continue;
      for (int64_t k = i; k < i_end; ++k) {
        CopyLine<kSize>(in + k * in_n + j * in_m, in_m,
                        out + k * out_n + j * out_m, out_m, length);
      }
    }
  }
}

// The dimension along which the output is dense becomes the last one, where the
// input is dense along that and the two make a transposed plane.
void PutDenseOutputLast(int64_t size, StridedCopy& c) {
  const int last = c.rank - 1;
  if (c.out_strides[last] == size || c.dims[last] < 4) return;
  for (int k = 0; k < last; ++k) {
    if (c.out_strides[k] != size || c.dims[k] < 4) continue;
    std::swap(c.dims[k], c.dims[last]);
    std::swap(c.in_strides[k], c.in_strides[last]);
    std::swap(c.out_strides[k], c.out_strides[last]);
    return;
  }
}

template <size_t kSize>
void RunElements(StridedCopy c, Walk walk, const char* in, char* out,
                 ThreadPool& pool) {
  const int last = c.rank - 1;
  if (c.rank == 0) {
    std::memcpy(out + c.out_offset, in + c.in_offset, kSize);
    return;
  }
  if (c.in_strides[last] == static_cast<int64_t>(kSize)) {
    PutDenseOutputLast(static_cast<int64_t>(kSize), c);
    walk.bytes = c;
  }
  // The dimension along which the input is dense; when it is not the last one,
  // the two make a transposed plane.
  int dense = last;
  for (int k = 0; k < last; ++k)
    if (c.in_strides[k] == static_cast<int64_t>(kSize)) dense = k;
  const int64_t n = c.dims[last];
  if (dense == last || c.dims[dense] < 4 || n < 4) {
    walk.outer = last;
    for (int k = 0; k < last; ++k) walk.pieces *= c.dims[k];
    ForEachPiece(walk, n * static_cast<int64_t>(kSize), pool,
                 [&](int64_t from, int64_t to) {
                   CopyLine<kSize>(in + from, c.in_strides[last], out + to,
                                   c.out_strides[last], n);
                 });
    return;
  }
  // Outer dimensions: the others, then bands of the dense one so that there
  // are pieces enough to share.
  StridedCopy outer;
  outer.in_offset = c.in_offset;
  outer.out_offset = c.out_offset;
  for (int k = 0; k < last; ++k) {
    if (k != dense) outer.Append(c.dims[k], c.in_strides[k], c.out_strides[k]);
  }
  constexpr int64_t kSide = kTile<kSize>;
  const int64_t rows = c.dims[dense];
  const int64_t bands = (rows + kSide - 1) / kSide;
  outer.Append(bands, kSide * c.in_strides[dense],
               kSide * c.out_strides[dense]);
  walk.bytes = outer;
  walk.outer = outer.rank;
  for (int k = 0; k < outer.rank; ++k) walk.pieces *= outer.dims[k];
  const int64_t grain = std::max<int64_t>(
      1, kGrainBytes / (kSide * n * static_cast<int64_t>(kSize)));
  pool.ParallelFor(
      static_cast<size_t>(walk.pieces), static_cast<size_t>(grain),
      [&](size_t begin, size_t end, int) {
        for (size_t i = begin; i < end; ++i) {
          const int64_t band = static_cast<int64_t>(i) % bands;
          const Offsets place = PlaceOf(walk, static_cast<int64_t>(i));
          CopyPlane<kSize>(in + place.in, c.in_strides[dense],
                           c.in_strides[last], out + place.out,
                           c.out_strides[dense], c.out_strides[last],
                           std::min(kSide, rows - band * kSide), n);
        }
      });
}

void RunBlocks(const StridedCopy& c, Walk walk, size_t block, const char* in,
               char* out, ThreadPool& pool) {
  walk.outer = c.rank;
  for (int k = 0; k < c.rank; ++k) walk.pieces *= c.dims[k];
  ForEachPiece(walk, static_cast<int64_t>(block), pool,
               [&](int64_t from, int64_t to) {
                 std::memcpy(out + to, in + from, block);
               });
}

}  // namespace

StridedCopy Simplify(const StridedCopy& copy) {
  StridedCopy result;
  result.in_offset = copy.in_offset;
  result.out_offset = copy.out_offset;
  for (int k = 0; k < copy.rank; ++k) {
    if (copy.dims[k] == 1) continue;
    const int last = result.rank - 1;
    if (last >= 0 &&
        result.in_strides[last] == copy.dims[k] * copy.in_strides[k] &&
        result.out_strides[last] == copy.dims[k] * copy.out_strides[k]) {
      result.dims[last] *= copy.dims[k];
      result.in_strides[last] = copy.in_strides[k];
      result.out_strides[last] = copy.out_strides[k];
    } else {
      result.Append(copy.dims[k], copy.in_strides[k], copy.out_strides[k]);
    }
  }
  return result;
}

void CopyStrided(const StridedCopy& copy, size_t element_size, const void* in,
                 void* out, ThreadPool& pool) {
  StridedCopy c = copy;
  const auto size = static_cast<int64_t>(element_size);
  for (int k = 0; k < c.rank; ++k) {
    if (c.dims[k] == 0) return;
    c.in_strides[k] *= size;
    c.out_strides[k] *= size;
  }
  c.in_offset *= size;
  c.out_offset *= size;
  // Elements contiguous on both sides become one larger element.
  size_t block = element_size;
  if (c.rank > 0 && c.in_strides[c.rank - 1] == size &&
      c.out_strides[c.rank - 1] == size) {
    block *= static_cast<size_t>(c.dims[--c.rank]);
  }
  const auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  Walk walk;
  if (c.rank == 0 && static_cast<int64_t>(block) > kGrainBytes) {
    // One long run: cut for the threads.
    pool.ParallelFor(block, kGrainBytes, [&](size_t begin, size_t end, int) {
      std::memcpy(to + c.out_offset + begin, from + c.in_offset + begin,
                  end - begin);
    });
    return;
  }
  walk.bytes = c;
  switch (block) {
    case 1:
      return RunElements<1>(c, walk, from, to, pool);
    case 2:
      return RunElements<2>(c, walk, from, to, pool);
    case 4:
      return RunElements<4>(c, walk, from, to, pool);
    case 8:
      return RunElements<8>(c, walk, from, to, pool);
    case 12:
      return RunElements<12>(c, walk, from, to, pool);
    case 16:
      return RunElements<16>(c, walk, from, to, pool);
    case 32:
      return RunElements<32>(c, walk, from, to, pool);
    case 64:
      return RunElements<64>(c, walk, from, to, pool);
    default:
      return RunBlocks(c, walk, block, from, to, pool);
  }
}

namespace reference {

void CopyStrided(const StridedCopy& copy, size_t element_size, const void* in,
                 void* out) {
  int64_t count = 1;
  for (int k = 0; k < copy.rank; ++k) count *= copy.dims[k];
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = copy.in_offset, to = copy.out_offset;
    for (int k = copy.rank - 1; k >= 0; --k) {
      from += rest % copy.dims[k] * copy.in_strides[k];
      to += rest % copy.dims[k] * copy.out_strides[k];
      rest /= copy.dims[k];
    }
    const auto size = static_cast<int64_t>(element_size);
    std::memcpy(static_cast<char*>(out) + to * size,
                static_cast<const char*>(in) + from * size, element_size);
  }
}

}  // namespace reference
}  // namespace munja::kernels
