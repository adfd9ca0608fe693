#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(ComplexTest, PartsAndMagnitude_AreComputed) {
  const TestTensor x =
      MakeTensor<float>(ElementType::kComplex64, {2}, {3, 4, -1, 0});
  ExpectOutput<float>({.op = "REAL", .inputs = {x}}, {2}, {3, -1});
  ExpectOutput<float>({.op = "IMAG", .inputs = {x}}, {2}, {4, 0});
  ExpectOutput<float>({.op = "COMPLEX_ABS", .inputs = {x}}, {2}, {5, 1}, 1e-6);
  ExpectOutput<double>(
      {.op = "COMPLEX_ABS",
       .inputs = {MakeTensor<double>(ElementType::kComplex128, {1}, {5, -12})},
       .outputs = {{ElementType::kFloat64}}},
      {1}, {13}, 1e-12);
}

TEST(ComplexTest, Mul_MultipliesComplexValues) {
  const TestNode node{
      .op = "MUL",
      .inputs = {MakeTensor<float>(ElementType::kComplex64, {2}, {3, 4, 1, 0}),
                 MakeTensor<float>(ElementType::kComplex64, {1}, {0, 2})},
      .outputs = {{ElementType::kComplex64}}};
  ExpectOutput<float>(node, {2}, {-8, 6, 0, 2});
}

TEST(ComplexTest, InvalidNodes_AreRefused) {
  ExpectRefused({.op = "REAL", .inputs = {Floats({1}, {1})}},
                Code::kUnsupported, "the input is float32");
  ExpectRefused(
      {.op = "REAL",
       .inputs = {MakeTensor<float>(ElementType::kComplex64, {1}, {1, 2})},
       .outputs = {{ElementType::kFloat64}}},
      Code::kUnsupported, "the output is float64");
}

}  // namespace
}  // namespace munja::ops
