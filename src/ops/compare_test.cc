#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(CompareTest, EachOperator) {
  const TestTensor a = Floats({4}, {1, 2, 3, NAN});
  const TestTensor b = Floats({4}, {2, 2, 2, 2});
  const struct {
    const char* op;
    std::vector<uint8_t> want;
  } cases[] = {
      {"EQUAL", {0, 1, 0, 0}},   {"NOT_EQUAL", {1, 0, 1, 1}},
      {"LESS", {1, 0, 0, 0}},    {"LESS_EQUAL", {1, 1, 0, 0}},
      {"GREATER", {0, 0, 1, 0}}, {"GREATER_EQUAL", {0, 1, 1, 0}},
  };
  for (const auto& c : cases) {
    ExpectOutput<uint8_t>(
        {.op = c.op, .inputs = {a, b}, .outputs = {{ElementType::kBool}}}, {4},
        c.want);
  }
  ExpectOutput<uint8_t>({.op = "LESS",
                         .inputs = {Ints({2, 1}, {1, 3}), Ints({2}, {2, 4})},
                         .outputs = {{ElementType::kBool}}},
                        {2, 2}, {1, 1, 0, 1});
}

TEST(CompareTest, Logic) {
  const auto bools = [](std::vector<uint8_t> v) {
    return MakeTensor<uint8_t>(ElementType::kBool,
                               {static_cast<int32_t>(v.size())}, v);
  };
  const TestTensor a = bools({0, 0, 1, 1}), b = bools({0, 1, 0, 1});
  const auto node = [&](const char* op) {
    return TestNode{
        .op = op, .inputs = {a, b}, .outputs = {{ElementType::kBool}}};
  };
  ExpectOutput<uint8_t>(node("LOGICAL_AND"), {4}, {0, 0, 0, 1});
  ExpectOutput<uint8_t>(node("LOGICAL_OR"), {4}, {0, 1, 1, 1});
  ExpectOutput<uint8_t>(
      {.op = "LOGICAL_NOT", .inputs = {a}, .outputs = {{ElementType::kBool}}},
      {4}, {1, 1, 0, 0});
}

TEST(CompareTest, Refuses) {
  ExpectRefused({.op = "LOGICAL_AND",
                 .inputs = {Ints({1}, {1}), Ints({1}, {1})},
                 .outputs = {{ElementType::kBool}}},
                Code::kUnsupported, "int32");
  ExpectRefused({.op = "LESS", .inputs = {Ints({1}, {1}), Ints({1}, {1})}},
                Code::kUnsupported, "the output is float32");
}

}  // namespace
}  // namespace munja::ops
