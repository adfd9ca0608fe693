#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "ops/expect.h"
#include "tensor/strings.h"

namespace munja::ops {
namespace {

TEST(CompareTest, EachOperator_ComparesElements) {
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

TEST(CompareTest, Logic_FollowsTruthTables) {
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

TEST(CompareTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "LOGICAL_AND",
                 .inputs = {Ints({1}, {1}), Ints({1}, {1})},
                 .outputs = {{ElementType::kBool}}},
                Code::kUnsupported, "int32");
  ExpectRefused({.op = "LESS", .inputs = {Ints({1}, {1}), Ints({1}, {1})}},
                Code::kUnsupported, "the output is float32");
}

// Compares dequantized values, each by its own scale and zero point.
TEST(CompareTest, QuantizedValues_CompareDequantized) {
  const TestTensor a = Int8s({4}, {-128, 0, 10, 127}, 0.5f, 0);
  const TestTensor b = Int8s({4}, {-128, 7, 27, 90}, 0.25f, 7);
  const auto node = [&](const char* op) {
    return TestNode{
        .op = op, .inputs = {a, b}, .outputs = {{ElementType::kBool}}};
  };
  // -64, 0, 5, 63.5 and -33.75, 0, 5, 20.75.
  ExpectOutput<uint8_t>(node("EQUAL"), {4}, {0, 1, 1, 0});
  ExpectOutput<uint8_t>(node("NOT_EQUAL"), {4}, {1, 0, 0, 1});
  ExpectOutput<uint8_t>(node("LESS"), {4}, {1, 0, 0, 0});
  ExpectOutput<uint8_t>(node("GREATER_EQUAL"), {4}, {0, 1, 1, 1});
  // Without scales: the numbers themselves.
  ExpectOutput<uint8_t>(
      {.op = "GREATER",
       .inputs = {MakeTensor<uint8_t>(ElementType::kUInt8, {2}, {200, 3}),
                  MakeTensor<uint8_t>(ElementType::kUInt8, {1}, {100})},
       .outputs = {{ElementType::kBool}}},
      {2}, {1, 0});
}

TEST(CompareTest, Strings_CompareByBytes) {
  const auto strings = [](Shape shape, std::vector<std::string_view> v) {
    std::vector<uint8_t> bytes(StringBytes(v));
    WriteStrings(v, bytes.data());
    return MakeTensor<uint8_t>(ElementType::kString, shape, bytes);
  };
  const auto node = [&](const char* op) {
    return TestNode{.op = op,
                    .inputs = {strings({2, 2}, {"a", "bc", "", "a"}),
                               strings({2}, {"a", "bc"})},
                    .outputs = {{ElementType::kBool}}};
  };
  ExpectOutput<uint8_t>(node("EQUAL"), {2, 2}, {1, 1, 0, 0});
  ExpectOutput<uint8_t>(node("NOT_EQUAL"), {2, 2}, {0, 0, 1, 1});
  ExpectRefused(node("LESS"), Code::kUnsupported, "string");
}

}  // namespace
}  // namespace munja::ops
