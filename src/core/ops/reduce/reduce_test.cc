#include <gtest/gtest.h>

#include <limits>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Reduce(const char* op, TestTensor x, std::vector<int32_t> axes,
                bool keep_dims) {
  const auto rank = static_cast<int32_t>(axes.size());
  const ElementType type = x.type;
  return {.op = op,
          .attributes = Options({{"keep_dims", keep_dims}}),
          .inputs = {std::move(x), Ints({rank}, axes).Constant()},
          .outputs = {{type}}};
}

TEST(ReduceTest, EachKind_ReducesAMatrix) {
  const TestTensor x = Floats({2, 3}, {1, 2, 3, -4, 5, 6});
  const struct {
    const char* op;
    std::vector<float> rows, columns;
    float all;
  } cases[] = {
      {"SUM", {6, 7}, {-3, 7, 9}, 13},
      {"MEAN", {2, 7.0f / 3}, {-1.5f, 3.5f, 4.5f}, 13.0f / 6},
      {"REDUCE_MAX", {3, 6}, {1, 5, 6}, 6},
      {"REDUCE_MIN", {1, -4}, {-4, 2, 3}, -4},
      {"REDUCE_PROD", {6, -120}, {-4, 10, 18}, -720},
  };
  for (const auto& c : cases) {
    ExpectOutput<float>(Reduce(c.op, x, {1}, false), {2}, c.rows);
    ExpectOutput<float>(Reduce(c.op, x, {-1}, true), {2, 1}, c.rows);
    ExpectOutput<float>(Reduce(c.op, x, {0}, true), {1, 3}, c.columns);
    ExpectOutput<float>(Reduce(c.op, x, {0, 1, -1}, false), {}, {c.all});
    ExpectOutput<float>(Reduce(c.op, x, {}, false), {2, 3},
                        {1, 2, 3, -4, 5, 6});
  }
}

TEST(ReduceTest, AlternatingAxes_AreReduced) {
  // Over the first and the third of four: 2 x 2 left.
  ExpectOutput<float>(
      Reduce("SUM", Floats({2, 2, 2, 2}, Count(16)), {0, 2}, false), {2, 2},
      {0 + 2 + 8 + 10, 1 + 3 + 9 + 11, 4 + 6 + 12 + 14, 5 + 7 + 13 + 15});
  ExpectOutput<float>(
      Reduce("SUM", Floats({2, 2, 2, 2}, Count(16)), {1, 3}, true),
      {2, 1, 2, 1},
      {0 + 1 + 4 + 5, 2 + 3 + 6 + 7, 8 + 9 + 12 + 13, 10 + 11 + 14 + 15});
}

TEST(ReduceTest, EmptyReductions_GiveTheIdentity) {
  const float inf = std::numeric_limits<float>::infinity();
  const TestTensor none = Floats({2, 0}, {});
  ExpectOutput<float>(Reduce("SUM", none, {1}, false), {2}, {0, 0});
  ExpectOutput<float>(Reduce("REDUCE_PROD", none, {1}, false), {2}, {1, 1});
  ExpectOutput<float>(Reduce("REDUCE_MAX", none, {1}, false), {2},
                      {-inf, -inf});
}

// Global pooling and the statistics of a normalization, on shapes whose sums
// run over many chunks.
TEST(ReduceTest, LargeMaps_MatchReference) {
  for (const int c : {1, 3, 16, 33, 96}) {
    const Shape map{2, 53, 41, c};
    const auto x = RandomFloats(static_cast<size_t>(map.elements()), 9);
    for (const char* op : {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"}) {
      for (const auto& axes : {std::vector<int32_t>{1, 2}, {3}, {0}, {0, 2}}) {
        // 1e-4: 2,173 terms whose sizes add up to about 1,087, which 2^-24
        // makes 6.5e-5, while the total itself may cancel to nothing.
        ExpectTwinsAgree(Reduce(op, Floats(map, x), axes, true), 1e-4);
      }
    }
  }
}

TEST(ReduceTest, Integers_AreReduced) {
  ExpectOutput<int32_t>(
      Reduce("MEAN", Ints({2, 2}, {1, 2, -4, -3}), {1}, false), {2}, {1, -3});
  ExpectOutput<int32_t>(
      Reduce("REDUCE_PROD", Ints({4}, {1, 48, 1, 6}), {0}, false), {}, {288});
  const auto bytes =
      MakeTensor<uint8_t>(ElementType::kUInt8, {2, 2}, {1, 200, 3, 4});
  ExpectOutput<uint8_t>(Reduce("REDUCE_MAX", bytes, {1}, false), {2}, {200, 4});
  const auto bools =
      MakeTensor<uint8_t>(ElementType::kBool, {2, 2}, {0, 1, 0, 0});
  ExpectOutput<uint8_t>(Reduce("REDUCE_ANY", bools, {1}, false), {2}, {1, 0});
  ExpectOutput<uint8_t>(Reduce("REDUCE_ALL", bools, {0}, false), {2}, {0, 0});
}

TEST(ReduceTest, InvalidNodes_AreRefused) {
  ExpectRefused(Reduce("SUM", Floats({2}, {1, 2}), {1}, false),
                Code::kMalformed, "axis 1");
  ExpectRefused({.op = "SUM", .inputs = {Floats({2}, {1, 2}), Ints({1}, {0})}},
                Code::kNeedsValues, "list of axes is not known before the run");
  const auto q = MakeTensor<int8_t>(ElementType::kInt8, {1}, {1});
  ExpectRefused(Reduce("MEAN", q, {0}, false), Code::kMalformed, "no scale");
}

}  // namespace
}  // namespace munja::ops
