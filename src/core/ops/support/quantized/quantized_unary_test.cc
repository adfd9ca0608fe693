#include "ops/support/quantized/quantized_unary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode UnaryOn8(const std::string& op, const std::vector<int8_t>& values,
                  float scale, int64_t zero, float out_scale,
                  int64_t out_zero) {
  return {.op = op,
          .inputs = {Int8s({static_cast<int32_t>(values.size())}, values, scale,
                           zero)},
          .outputs = {{ElementType::kInt8, {{out_scale}, {out_zero}}}}};
}

TEST(QuantizedUnaryTest, Abs_MatchesHandComputation) {
  ExpectOutput<int8_t>(UnaryOn8("ABS", {-128, 2, 5, 127}, 0.5f, 2, 0.5f, -100),
                       {4}, {30, -100, -97, 25});
  ExpectOutput<int8_t>(UnaryOn8("ABS", {-128, 2, 5}, 0.5f, 2, 1.0f, 0), {3},
                       {65, 0, 2});
  const TestNode plain{
      .op = "ABS",
      .inputs = {MakeTensor<int16_t>(ElementType::kInt16, {2}, {-300, 7})},
      .outputs = {{ElementType::kInt16}}};
  ExpectOutput<int16_t>(plain, {2}, {300, 7});
}

TEST(QuantizedUnaryTest, Roots_MatchHandComputation) {
  // Roots of 0, 1, 2, 25 in quarters, cut.
  ExpectOutput<int8_t>(UnaryOn8("SQRT", {-10, -9, -8, 15}, 1, -10, 0.25f, 0),
                       {4}, {0, 4, 5, 20});
  // 1 / sqrt: the largest, 1, 0.5, 0.2 in 64ths.
  ExpectOutput<int8_t>(UnaryOn8("RSQRT", {0, 1, 4, 25}, 1, 0, 1.0f / 64, 0),
                       {4}, {127, 64, 32, 13});
  for (const char* op : {"SQRT", "RSQRT"}) {
    ExpectRefused(UnaryOn8(op, {1, -1}, 1, 0, 1, 0), Code::kInvalidArgument,
                  "root of a negative number");
  }
  const TestNode wide{.op = "RSQRT",
                      .inputs = {Int16s({2}, {4096, 16384}, 1.0f / 4096)},
                      .outputs = {{ElementType::kInt16, {{1.0f / 8192}, {0}}}}};
  ExpectOutput<int16_t>(wide, {2}, {8192, 4096});
}

TEST(QuantizedUnaryTest, ExponentAndLogarithm_MatchHandComputation) {
  // e^-1, 1, e^1 in 32nds: 11.77, 32, 86.99.
  ExpectOutput<int8_t>(UnaryOn8("EXP", {-4, 0, 4}, 0.25f, 0, 1.0f / 32, -10),
                       {3}, {2, 22, 77});
  // log of -1, 0, 1, 2.5: the lowest twice, 0, 14.66 sixteenths.
  ExpectOutput<int8_t>(UnaryOn8("LOG", {-2, 0, 2, 5}, 0.5f, 0, 1.0f / 16, 3),
                       {4}, {-128, -128, 3, 18});
  const TestNode wide{.op = "EXP",
                      .inputs = {Int16s({3}, {-8192, 0, 8192}, 1.0f / 8192)},
                      .outputs = {{ElementType::kInt16, {{1.0f / 2048}, {0}}}}};
  // 5567.1, but the sample is moved for the sake of the line behind it.
  ExpectOutput<int16_t>(wide, {3}, {753, 2048, 5566});
}

TEST(QuantizedUnaryTest, InvalidNodes_AreRefused) {
  ExpectRefused(UnaryOn8("SIN", {0}, 1, 0, 1, 0), Code::kUnsupported,
                "no quantized form");
}

}  // namespace
}  // namespace munja::ops
