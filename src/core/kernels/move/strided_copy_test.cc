#include "kernels/move/strided_copy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace munja::kernels {
namespace {

// Numbers from a fixed sequence.
struct RandomCopy {
  uint32_t state = 1;
  uint32_t operator()(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  }
};

// Both ways of copying, into buffers that were filled alike, so that elements
// which must stay untouched are compared, too.
void ExpectSameCopy(const StridedCopy& copy, size_t element, size_t in_elements,
                    size_t out_elements) {
  std::vector<uint8_t> in(in_elements * element);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 7);
  std::vector<uint8_t> want(out_elements * element, 0xEE), got = want;
  reference::CopyStrided(copy, element, in.data(), want.data());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const StridedCopy& c : {copy, Simplify(copy)}) {
      got.assign(got.size(), 0xEE);
      CopyStrided(c, element, in.data(), got.data(), pool);
      ASSERT_EQ(got, want) << element << " bytes, rank " << copy.rank;
    }
  }
}

// Every order of four dimensions, for all element sizes; lengths around the
// tile of a transpose.
TEST(StridedCopyTest, EveryTranspose_MatchesReference) {
  for (const size_t element : {1, 2, 3, 4, 8, 12, 16}) {
    for (const auto& dims : {std::array<int64_t, 4>{2, 3, 17, 5},
                             {1, 33, 4, 16},
                             {3, 1, 1, 31},
                             {2, 16, 16, 1}}) {
      for (int number = 0; number < 256; ++number) {
        const int order[] = {number & 3, number >> 2 & 3, number >> 4 & 3,
                             number >> 6};
        if ((1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3]) !=
            15) {
          continue;
        }
        int64_t strides[4], stride = 1;
        for (int i = 3; i >= 0; --i) {
          strides[i] = stride;
          stride *= dims[i];
        }
        StridedCopy copy;
        for (const int k : order) copy.Append(dims[k], strides[k], 0);
        int64_t out = 1;
        for (int i = 3; i >= 0; --i) {
          copy.out_strides[i] = out;
          out *= copy.dims[i];
        }
        const auto n = static_cast<size_t>(stride);
        ExpectSameCopy(copy, element, n, n);
      }
    }
  }
}

// The dimension along which the output is dense need not come last: blocks of
// depth that become pixels are told so.
TEST(StridedCopyTest, OutputDenseAlongAnyDimension_MatchesReference) {
  for (const size_t element : {1, 2, 3, 4, 8, 16}) {
    for (const int64_t n : {1, 3, 4, 5, 16, 17, 40}) {
      for (const int64_t m : {1, 3, 4, 5, 16}) {
        // 3 x n x m, of which the output has the last two changed round.
        const int64_t in[] = {n * m, m, 1}, out[] = {n * m, 1, n};
        const int64_t dims[] = {3, n, m};
        for (const auto& order : {std::array<int, 3>{0, 1, 2},
                                  {1, 0, 2},
                                  {0, 2, 1},
                                  {1, 2, 0},
                                  {2, 1, 0}}) {
          StridedCopy copy;
          for (const int k : order) copy.Append(dims[k], in[k], out[k]);
          const auto all = static_cast<size_t>(3 * n * m);
          ExpectSameCopy(copy, element, all, all);
        }
      }
    }
  }
}

// Planes that fill the vectors, by a little more, a little less and several
// times, at odd places.
TEST(StridedCopyTest, PlanesOfAnySize_MatchReference) {
  for (const size_t element : {1, 2, 4, 8}) {
    for (const int64_t n : {15, 16, 17, 63, 64, 65, 130}) {
      for (const int64_t m : {4, 8, 15, 16, 31, 64, 79}) {
        StridedCopy copy;
        copy.Append(3, n * m, n * (m + 3));
        copy.Append(n, 1, m + 3);
        copy.Append(m, n, 1);
        copy.out_offset = 1;
        ExpectSameCopy(copy, element, static_cast<size_t>(3 * n * m),
                       static_cast<size_t>(3 * n * (m + 3)) + 1);
      }
    }
  }
}

// Boxes out of larger boxes, with strides, walking back, repeating.
TEST(StridedCopyTest, RandomBoxes_MatchReference) {
  RandomCopy random;
  for (int round = 0; round < 600; ++round) {
    const int rank = 1 + static_cast<int>(random(5));
    StridedCopy copy;
    std::vector<int64_t> in_dims, out_dims;
    for (int k = 0; k < rank; ++k) {
      const int64_t dim = random(8);
      const int64_t step = random(3);  // 0 repeats.
      in_dims.push_back(std::max<int64_t>(1, (dim - 1) * step + 1) + random(2));
      out_dims.push_back(dim + random(2));
      copy.Append(dim, step, 1);
    }
    int64_t in = 1, out = 1;
    for (int k = rank - 1; k >= 0; --k) {
      if (random(4) == 0 && copy.in_strides[k] != 0 && copy.dims[k] > 0) {
        copy.in_offset += (copy.dims[k] - 1) * copy.in_strides[k] * in;
        copy.in_strides[k] = -copy.in_strides[k];
      }
      copy.in_strides[k] *= in;
      copy.out_strides[k] = out;
      in *= in_dims[k];
      out *= std::max<int64_t>(1, out_dims[k]);
    }
    ExpectSameCopy(copy, size_t{1} << random(4), static_cast<size_t>(in),
                   static_cast<size_t>(out));
  }
}

TEST(StridedCopyTest, LongRuns_AreSharedAmongThreads) {
  StridedCopy copy;
  copy.Append(100003, 1, 1);
  ExpectSameCopy(copy, 4, 100003, 100004);
  StridedCopy fill;
  fill.Append(100003, 0, 1);
  ExpectSameCopy(fill, 4, 1, 100004);
  StridedCopy scalar;
  ExpectSameCopy(scalar, 8, 1, 2);
}

TEST(StridedCopyTest, Simplify_MergesContiguousDimensions) {
  StridedCopy copy;
  copy.Append(2, 60, 60);
  copy.Append(1, 7, 9);
  copy.Append(3, 20, 20);
  copy.Append(4, 5, 5);
  copy.Append(5, 1, 1);
  const StridedCopy simple = Simplify(copy);
  EXPECT_EQ(simple.rank, 1);
  EXPECT_EQ(simple.dims[0], 120);
}

}  // namespace
}  // namespace munja::kernels
