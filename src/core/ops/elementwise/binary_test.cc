#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(BinaryTest, Floats_FollowArithmetic) {
  const TestTensor a = Floats({4}, {1, -2, 3, 8});
  const TestTensor b = Floats({4}, {2, 5, -3, 4});
  const struct {
    const char* op;
    std::vector<float> want;
  } cases[] = {
      {"ADD", {3, 3, 0, 12}},
      {"SUB", {-1, -7, 6, 4}},
      {"MUL", {2, -10, -9, 32}},
      {"DIV", {0.5f, -0.4f, -1, 2}},
      {"MINIMUM", {1, -2, -3, 4}},
      {"MAXIMUM", {2, 5, 3, 8}},
      {"SQUARED_DIFFERENCE", {1, 49, 36, 16}},
      {"PRELU", {1, -10, 3, 8}},
  };
  for (const auto& c : cases)
    ExpectOutput<float>({.op = c.op, .inputs = {a, b}}, {4}, c.want);
}

TEST(BinaryTest, FloatDivisionByZero_IsInfinite) {
  const float inf = std::numeric_limits<float>::infinity();
  ExpectOutput<float>(
      {.op = "DIV", .inputs = {Floats({3}, {1, -1, 0}), Floats({1}, {0})}}, {3},
      {inf, -inf, NAN});
}

TEST(BinaryTest, FusedActivation_IsApplied) {
  const TestNode node{
      .op = "ADD",
      .inputs = {Floats({4}, {-9, -0.5f, 2, 9}), Floats({1}, {0})}};
  const struct {
    const char* name;
    std::vector<float> want;
  } cases[] = {{"NONE", {-9, -0.5f, 2, 9}},
               {"RELU", {0, 0, 2, 9}},
               {"RELU6", {0, 0, 2, 6}},
               {"RELU_N1_TO_1", {-1, -0.5f, 1, 1}}};
  for (const auto& c : cases) {
    TestNode with = node;
    with.attributes.Set("fused_activation_function", std::string(c.name));
    ExpectOutput<float>(with, {4}, c.want);
  }
}

TEST(BinaryTest, Broadcast_FollowsNumPy) {
  const auto add = [](TestTensor a, TestTensor b) {
    return TestNode{.op = "ADD", .inputs = {std::move(a), std::move(b)}};
  };
  // A column and a row.
  ExpectOutput<float>(add(Floats({2, 1}, {10, 20}), Floats({3}, {1, 2, 3})),
                      {2, 3}, {11, 12, 13, 21, 22, 23});
  // Per channel, and per image and channel (squeeze and excitation).
  ExpectOutput<float>(
      add(Floats({2, 1, 2, 2}, Count(8)), Floats({1, 1, 1, 2}, {10, 20})),
      {2, 1, 2, 2}, {10, 21, 12, 23, 14, 25, 16, 27});
  ExpectOutput<float>(add(Floats({2, 1, 2, 2}, Count(8)),
                          Floats({2, 1, 1, 2}, {10, 20, 30, 40})),
                      {2, 1, 2, 2}, {10, 21, 12, 23, 34, 45, 36, 47});
  // Both sides repeat, on every second dimension of six.
  ExpectOutput<float>(
      add(Floats({2, 1, 2, 1, 2, 1}, Count(8)),
          Floats({1, 2, 1, 1, 1, 2}, {0, 100, 200, 300})),
      {2, 2, 2, 1, 2, 2},
      {0, 100, 1, 101, 2, 102, 3, 103, 200, 300, 201, 301, 202, 302, 203, 303,
       4, 104, 5, 105, 6, 106, 7, 107, 204, 304, 205, 305, 206, 306, 207, 307});
  // Scalars and nothing at all.
  ExpectOutput<float>(add(Floats({}, {1}), Floats({}, {2})), {}, {3});
  ExpectOutput<float>(add(Floats({0, 2}, {}), Floats({2}, {1, 2})), {0, 2}, {});
}

// Long enough that several threads and every tail take part.
TEST(BinaryTest, LargeMaps_MatchReference) {
  for (const int c : {1, 3, 16, 24, 33}) {
    const Shape map{2, 61, 47, c};
    const auto values = RandomFloats(static_cast<size_t>(map.elements()), 1);
    for (const Shape& other :
         {map, Shape{1, 1, 1, c}, Shape{2, 1, 1, c}, Shape{1},
          Shape{1, 61, 1, 1}, Shape{2, 61, 47, 1}}) {
      const auto b = RandomFloats(static_cast<size_t>(other.elements()), 2);
      for (const char* op : {"SUB", "MUL"}) {
        ExpectTwinsAgree(
            {.op = op, .inputs = {Floats(map, values), Floats(other, b)}}, 0);
        ExpectTwinsAgree(
            {.op = op, .inputs = {Floats(other, b), Floats(map, values)}}, 0);
      }
    }
  }
}

TEST(BinaryTest, Integers_WrapAndTruncate) {
  const TestTensor a = Ints({4}, {7, -7, INT32_MAX, INT32_MIN});
  const TestTensor b = Ints({4}, {2, 2, 1, -1});
  const auto node = [&](const char* op) {
    return TestNode{
        .op = op, .inputs = {a, b}, .outputs = {{ElementType::kInt32}}};
  };
  ExpectOutput<int32_t>(node("ADD"), {4}, {9, -5, INT32_MIN, INT32_MAX});
  ExpectOutput<int32_t>(node("MUL"), {4}, {14, -14, INT32_MAX, INT32_MIN});
  ExpectOutput<int32_t>(node("DIV"), {4}, {3, -3, INT32_MAX, INT32_MIN});
  ExpectOutput<int32_t>(node("MAXIMUM"), {4}, {7, 2, INT32_MAX, -1});
  ExpectOutput<int64_t>(
      {.op = "MUL",
       .inputs = {MakeTensor<int64_t>(ElementType::kInt64, {2}, {1LL << 40, 3}),
                  MakeTensor<int64_t>(ElementType::kInt64, {1}, {4})},
       .outputs = {{ElementType::kInt64}}},
      {2}, {1LL << 42, 12});
}

TEST(BinaryTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "DIV",
                 .inputs = {Ints({2}, {1, 2}), Ints({2}, {1, 0})},
                 .outputs = {{ElementType::kInt32}}},
                Code::kInvalidArgument, "by zero");
  ExpectRefused(
      {.op = "ADD", .inputs = {Floats({2}, {1, 2}), Floats({3}, {1, 2, 3})}},
      Code::kMalformed, "2 and 3 do not broadcast");
  const TestTensor q = MakeTensor<int8_t>(ElementType::kInt8, {1}, {1});
  ExpectRefused(
      {.op = "ADD", .inputs = {q, q}, .outputs = {{ElementType::kInt8}}},
      Code::kMalformed, "no scale");
  ExpectRefused({.op = "ADD", .inputs = {Floats({1}, {1})}}, Code::kMalformed,
                "inputs");
  ExpectRefused(
      {.op = "PRELU", .inputs = {Floats({1}, {1}), Floats({2}, {1, 2})}},
      Code::kMalformed, "slopes");
}

}  // namespace
}  // namespace munja::ops
