#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TEST(AddNTest, AllInputs_AreAdded) {
  ExpectOutput<float>({.op = "ADD_N",
                       .inputs = {Floats({2}, {1, 2}), Floats({2}, {10, 20}),
                                  Floats({2}, {100, 200})}},
                      {2}, {111, 222});
  ExpectOutput<int32_t>({.op = "ADD_N",
                         .inputs = {Ints({1}, {INT32_MAX}), Ints({1}, {1})},
                         .outputs = {{ElementType::kInt32}}},
                        {1}, {INT32_MIN});
  ExpectOutput<float>({.op = "ADD_N", .inputs = {Floats({2}, {1, 2})}}, {2},
                      {1, 2});
}

TEST(AddNTest, InvalidNodes_AreRefused) {
  ExpectRefused(
      {.op = "ADD_N", .inputs = {Floats({2}, {1, 2}), Floats({1}, {1})}},
      Code::kMalformed, "adds 1 to 2");
  ExpectRefused({.op = "ADD_N", .inputs = {Floats({1}, {1}), Ints({1}, {1})}},
                Code::kMalformed, "mixes");
  ExpectRefused({.op = "ADD_N", .inputs = {Absent()}}, Code::kMalformed,
                "absent");
}

}  // namespace
}  // namespace munja::ops
