#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode Slice(TestTensor x, std::vector<int32_t> begin,
               std::vector<int32_t> end, std::vector<int32_t> strides,
               graph::Attributes attributes = {}) {
  const auto n = static_cast<int32_t>(begin.size());
  const ElementType type = x.type;
  return {.op = "STRIDED_SLICE",
          .attributes = std::move(attributes),
          .inputs = {std::move(x), Ints({n}, begin).Constant(),
                     Ints({n}, end).Constant(), Ints({n}, strides).Constant()},
          .outputs = {{type}}};
}

TEST(StridedSliceTest, BoundsAndStrides_SelectElements) {
  const TestTensor x = Floats({6}, Count(6));
  ExpectOutput<float>(Slice(x, {1}, {5}, {2}), {2}, {1, 3});
  ExpectOutput<float>(Slice(x, {-2}, {100}, {1}), {2}, {4, 5});
  ExpectOutput<float>(Slice(x, {-100}, {2}, {1}), {2}, {0, 1});
  ExpectOutput<float>(Slice(x, {4}, {1}, {-2}), {2}, {4, 2});
  ExpectOutput<float>(Slice(x, {5}, {-100}, {-1}), {6}, {5, 4, 3, 2, 1, 0});
  ExpectOutput<float>(Slice(x, {4}, {2}, {1}), {0}, {});
  ExpectOutput<float>(Slice(x, {0}, {6}, {4}), {2}, {0, 4});
}

// Bounds that a mask leaves out are the ends that the stride comes from and
// goes to, shrunk axes and those counted from `begin` included.
TEST(StridedSliceTest, MasksOfOneAxis_SelectElements) {
  const TestTensor x = Floats({6}, Count(6));
  for (const int32_t stride : {1, -1}) {
    const float first = stride > 0 ? 0.0f : 5.0f;
    ExpectOutput<float>(Slice(x, {2}, {0}, {stride},
                              Options({{"begin_mask", int64_t{1}},
                                       {"shrink_axis_mask", int64_t{1}}})),
                        {}, {first});
  }
  ExpectOutput<float>(Slice(x, {2}, {3}, {1}, Options({{"offset", true}})), {3},
                      {2, 3, 4});
}

TEST(StridedSliceTest, Masks_AreCombined) {
  const TestTensor x = Floats({2, 3}, Count(6));
  const auto mask = [](const char* name, int64_t bits) {
    return Options({{name, bits}});
  };
  ExpectOutput<float>(Slice(x, {1, 1}, {2, 2}, {1, 1}, mask("begin_mask", 2)),
                      {1, 2}, {3, 4});
  ExpectOutput<float>(Slice(x, {0, 1}, {1, 1}, {1, 1}, mask("end_mask", 3)),
                      {2, 2}, {1, 2, 4, 5});
  ExpectOutput<float>(
      Slice(x, {0, 0}, {0, 0}, {-1, -1},
            Options({{"begin_mask", int64_t{3}}, {"end_mask", int64_t{3}}})),
      {2, 3}, {5, 4, 3, 2, 1, 0});
  ExpectOutput<float>(
      Slice(x, {1, 0}, {2, 3}, {1, 1}, mask("shrink_axis_mask", 1)), {3},
      {3, 4, 5});
  ExpectOutput<float>(
      Slice(x, {-1, -1}, {0, 0}, {1, 1}, mask("shrink_axis_mask", 3)), {}, {5});
  ExpectOutput<float>(
      Slice(x, {0, 0}, {0, 1}, {1, 1}, mask("new_axis_mask", 1)), {1, 1, 3},
      {0, 1, 2});
  ExpectOutput<float>(
      Slice(x, {0, 2}, {0, 3}, {1, 1}, mask("ellipsis_mask", 1)), {2, 1},
      {2, 5});
  // x[1, ..., newaxis, 0:2] of rank 3, and with the end given from the begin.
  ExpectOutput<float>(Slice(Floats({2, 2, 3}, Count(12)), {1, 0, 0, 0},
                            {2, 0, 0, 2}, {1, 1, 1, 1},
                            Options({{"shrink_axis_mask", int64_t{1}},
                                     {"ellipsis_mask", int64_t{2}},
                                     {"new_axis_mask", int64_t{4}}})),
                      {2, 1, 2}, {6, 7, 9, 10});
  ExpectOutput<float>(
      Slice(x, {0, 1}, {2, 2}, {1, 1}, Options({{"offset", true}})), {2, 2},
      {1, 2, 4, 5});
}

// How converters read one number of a shape.
TEST(StridedSliceTest, ElementOfAShape_IsSelected) {
  ExpectOutput<int32_t>(Slice(Ints({4}, {1, 48, 320, 3}), {2}, {3}, {1},
                              Options({{"shrink_axis_mask", int64_t{1}}})),
                        {}, {320});
}

TEST(StridedSliceTest, InvalidNodes_AreRefused) {
  const TestTensor x = Floats({2, 3}, Count(6));
  ExpectRefused(Slice(x, {0}, {1}, {0}), Code::kMalformed, "stride is 0");
  ExpectRefused(Slice(x, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}), Code::kMalformed,
                "more dimensions");
  ExpectRefused(
      Slice(x, {2}, {3}, {1}, Options({{"shrink_axis_mask", int64_t{1}}})),
      Code::kMalformed, "element 2");
  ExpectRefused(Slice(x, {0, 0}, {1, 1}, {1, 1},
                      Options({{"ellipsis_mask", int64_t{3}}})),
                Code::kMalformed, "ellipsis");
  ExpectRefused({.op = "STRIDED_SLICE",
                 .inputs = {x, Ints({1}, {0}), Ints({1}, {1}), Ints({1}, {1})}},
                Code::kNeedsValues, "begin is not known before the run");
}

}  // namespace
}  // namespace munja::ops
