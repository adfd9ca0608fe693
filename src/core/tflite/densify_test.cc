#include "tflite/densify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace munja::tflite {
namespace {

using ::testing::HasSubstr;

struct Dimension {
  int32_t dense = 0;  // 0: compressed.
  std::vector<int32_t> segments, indices;
};

struct Sparse {
  std::vector<int32_t> order, block_map;
  std::vector<Dimension> dimensions;
  Shape shape;
  std::vector<int8_t> values;
  bool uses_bytes = false;  // For the indices.
  bool uses_words = false;  // 16-bit indices.
};

Result<std::vector<int8_t>> Expand(const Sparse& s) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<fb::DimensionMetadata>> dimensions;
  for (const Dimension& d : s.dimensions) {
    if (d.dense != 0) {
      dimensions.push_back(fb::CreateDimensionMetadata(b, 0, d.dense));
      continue;
    }
    const auto segments = fb::CreateInt32VectorDirect(b, &d.segments).Union();
    if (s.uses_bytes) {
      const std::vector<uint8_t> bytes(d.indices.begin(), d.indices.end());
      dimensions.push_back(fb::CreateDimensionMetadata(
          b, 1, 0, fb::SparseIndexVector::Int32Vector, segments,
          fb::SparseIndexVector::Uint8Vector,
          fb::CreateUint8VectorDirect(b, &bytes).Union()));
    } else if (s.uses_words) {
      const std::vector<uint16_t> words(d.indices.begin(), d.indices.end());
      dimensions.push_back(fb::CreateDimensionMetadata(
          b, 1, 0, fb::SparseIndexVector::Int32Vector, segments,
          fb::SparseIndexVector::Uint16Vector,
          fb::CreateUint16VectorDirect(b, &words).Union()));
    } else {
      dimensions.push_back(fb::CreateDimensionMetadata(
          b, 1, 0, fb::SparseIndexVector::Int32Vector, segments,
          fb::SparseIndexVector::Int32Vector,
          fb::CreateInt32VectorDirect(b, &d.indices).Union()));
    }
  }
  b.Finish(fb::CreateSparsityParametersDirect(
      b, &s.order, s.block_map.empty() ? nullptr : &s.block_map, &dimensions));
  const auto* sparsity =
      flatbuffers::GetRoot<fb::SparsityParameters>(b.GetBufferPointer());
  const auto* bytes = reinterpret_cast<const uint8_t*>(s.values.data());
  MUNJA_ASSIGN_OR_RETURN(const Buffer dense, Densify(*sparsity, s.shape, 1,
                                                     {bytes, s.values.size()}));
  return std::vector<int8_t>(dense.as<int8_t>(),
                             dense.as<int8_t>() + dense.size());
}

// 1 0 0
// 0 2 3
Sparse Rows() {
  return {
      {0, 1}, {}, {{2, {}, {}}, {0, {0, 1, 3}, {0, 1, 2}}}, {2, 3}, {1, 2, 3}};
}

TEST(DensifyTest, CompressedRows_AreDensified) {
  Sparse s = Rows();
  for (const bool uses_bytes : {false, true}) {
    s.uses_bytes = uses_bytes;
    const auto dense = Expand(s);
    ASSERT_TRUE(dense.ok()) << dense.status().message();
    EXPECT_EQ(*dense, (std::vector<int8_t>{1, 0, 0, 0, 2, 3}));
  }
}

// By columns: the same matrix, visited in the order 1, 0.
TEST(DensifyTest, CompressedColumns_AreDensified) {
  const auto dense = Expand({{1, 0},
                             {},
                             {{3, {}, {}}, {0, {0, 1, 2, 3}, {0, 1, 1}}},
                             {2, 3},
                             {1, 2, 3}});
  ASSERT_TRUE(dense.ok()) << dense.status().message();
  EXPECT_EQ(*dense, (std::vector<int8_t>{1, 0, 0, 0, 2, 3}));
}

// Blocks of 2x2 in a 4x4 matrix: those at (0, 1) and (1, 0).
TEST(DensifyTest, Blocks_AreDensified) {
  const auto dense =
      Expand({{0, 1, 2, 3},
              {0, 1},
              {{2, {}, {}}, {0, {0, 1, 2}, {1, 0}}, {2, {}, {}}, {2, {}, {}}},
              {4, 4},
              {1, 2, 3, 4, 5, 6, 7, 8}});
  ASSERT_TRUE(dense.ok()) << dense.status().message();
  EXPECT_EQ(*dense, (std::vector<int8_t>{0, 0, 1, 2,  //
                                         0, 0, 3, 4,  //
                                         5, 6, 0, 0,  //
                                         7, 8, 0, 0}));
}

TEST(DensifyTest, InvalidSparsity_IsRefused) {
  struct Row {
    const char* part;
    std::function<void(Sparse&)> change;
  };
  const Row rows[] = {
      {"does not fit rank", [](Sparse& s) { s.order.pop_back(); }},
      {"does not fit rank", [](Sparse& s) { s.dimensions.pop_back(); }},
      {"order", [](Sparse& s) { s.order[0] = 1; }},
      {"order", [](Sparse& s) { s.order[0] = -1; }},
      {"order", [](Sparse& s) { s.order[1] = 2; }},
      {"dense dimension", [](Sparse& s) { s.dimensions[0].dense = 5; }},
      {"row pointers for",
       [](Sparse& s) { s.dimensions[1].segments.pop_back(); }},
      {"do not rise", [](Sparse& s) { s.dimensions[1].segments[1] = 4; }},
      {"do not rise", [](Sparse& s) { s.dimensions[1].segments[0] = 1; }},
      {"row pointers end", [](Sparse& s) { s.dimensions[1].segments[2] = 2; }},
      {"has index 3", [](Sparse& s) { s.dimensions[1].indices[2] = 3; }},
      {"has index -1", [](Sparse& s) { s.dimensions[1].indices[2] = -1; }},
      {"3 values, but it has 2", [](Sparse& s) { s.values.pop_back(); }},
      {"more values",
       [](Sparse& s) {
         s.dimensions[1].segments = {0, 3, 7};
         s.dimensions[1].indices = {0, 1, 2, 0, 1, 2, 2};
       }},
      {"do not divide",
       [](Sparse& s) {
         s.order = {0, 1, 2};
         s.block_map = {1};
         s.dimensions.push_back({2, {}, {}});
       }},
      {"do not divide",
       [](Sparse& s) {
         s.order = {0, 1, 2};
         s.block_map = {7};
         s.dimensions.push_back({1, {}, {}});
       }},
  };
  for (const Row& row : rows) {
    Sparse s = Rows();
    row.change(s);
    const auto dense = Expand(s);
    ASSERT_FALSE(dense.ok()) << row.part;
    EXPECT_EQ(dense.status().code(), Code::kMalformed);
    EXPECT_THAT(std::string(dense.status().message()), HasSubstr(row.part));
  }
}

// Indices up to the largest number of their type.
TEST(Densify, IndicesOfEveryWidth_AreDensified) {
  for (const int32_t size : {200, 60000}) {
    for (const int bytes : {1, 2, 4}) {
      if (bytes == 1 && size > 256) continue;
      Sparse s;
      s.order = {0};
      s.shape = Shape{size};
      s.dimensions = {{0, {0, 2}, {3, size - 1}}};
      s.values = {5, 7};
      s.uses_bytes = bytes == 1;
      s.uses_words = bytes == 2;
      const auto dense = Expand(s);
      ASSERT_TRUE(dense.ok()) << dense.status().message();
      std::vector<int8_t> want(static_cast<size_t>(size));
      want[3] = 5;
      want.back() = 7;
      EXPECT_EQ(*dense, want) << bytes;
    }
  }
}

}  // namespace
}  // namespace munja::tflite
