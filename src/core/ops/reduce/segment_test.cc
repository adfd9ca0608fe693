#include <limits>

#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

TestNode Sorted(TestTensor data, const std::vector<int32_t>& ids) {
  const ElementType type = data.type;
  return {.op = "SEGMENT_SUM",
          .inputs = {std::move(data),
                     Ints({static_cast<int32_t>(ids.size())}, ids).Constant()},
          .outputs = {{type}}};
}

TestNode Unsorted(const char* reduction, TestTensor data, TestTensor ids,
                  int32_t count) {
  const ElementType type = data.type;
  return {
      .op = std::string("UNSORTED_SEGMENT_") + reduction,
      .inputs = {std::move(data), std::move(ids), Ints({}, {count}).Constant()},
      .outputs = {{type}}};
}

TEST(SegmentTest, SlicesOfEqualIds_AreSummed) {
  ExpectOutput<int32_t>(Sorted(Ints({3, 2}, {1, 2, 3, 4, 5, 6}), {0, 0, 1}),
                        {2, 2}, {4, 6, 5, 6});
  ExpectOutput<float>(Sorted(Floats({4}, {1, 2, 3, 4}), {0, 1, 1, 2}), {3},
                      {1, 5, 4});
  ExpectOutput<float>(Sorted(Floats({0, 2}, {}), {}), {0, 2}, {});
}

TEST(SegmentTest, UnsortedIds_AreReduced) {
  const auto data = [] { return Ints({4, 2}, {1, 2, 3, 4, 5, -6, 7, 8}); };
  const auto ids = [] { return Ints({4}, {2, 0, 2, -1}); };
  ExpectOutput<int32_t>(Unsorted("SUM", data(), ids(), 3), {3, 2},
                        {3, 4, 0, 0, 6, -4});
  ExpectOutput<int32_t>(Unsorted("PROD", data(), ids(), 3), {3, 2},
                        {3, 4, 1, 1, 5, -12});
  ExpectOutput<int32_t>(Unsorted("MIN", data(), ids(), 3), {3, 2},
                        {3, 4, INT32_MAX, INT32_MAX, 1, -6});
  ExpectOutput<int32_t>(Unsorted("MAX", data(), ids(), 3), {3, 2},
                        {3, 4, INT32_MIN, INT32_MIN, 5, 2});
  ExpectOutput<float>(
      Unsorted("MAX", Floats({1, 2}, {1, 2}), Ints({1, 2}, {1, 1}), 2), {2},
      {std::numeric_limits<float>::lowest(), 2});
  ExpectOutput<float>(Unsorted("SUM", Floats({}, {3}), Ints({}, {1}), 2), {2},
                      {0, 3});
  ExpectOutput<int32_t>(
      Unsorted("PROD", Ints({2}, {1 << 30, 4}), Ints({2}, {0, 0}), 1), {1},
      {0});
}

TEST(SegmentTest, InvalidNodes_AreRefused) {
  const auto two = [] { return Ints({2}, {1, 2}); };
  for (const std::vector<int32_t>& ids : std::vector<std::vector<int32_t>>{
           {1, 1}, {-1, 0}, {-1, -1}, {0, 2}, {1, 0}}) {
    ExpectRefused(Sorted(two(), ids), Code::kMalformed, "follows");
  }
  ExpectRefused(Sorted(two(), {0, 0, 0}), Code::kMalformed, "ids of shape 3");
  TestNode node = Sorted(two(), {0, 0});
  node.inputs[1].is_constant = false;
  ExpectRefused(node, Code::kNeedsValues, "not known before the run");
  ExpectRefused(Unsorted("SUM", two(), Ints({2}, {0, 3}), 3),
                Code::kInvalidArgument, "id 3 is outside of 3 segments");
  ExpectRefused(Unsorted("SUM", two(), Ints({2}, {0, 0}), -1), Code::kMalformed,
                "would be -1");
  ExpectRefused(Unsorted("SUM", two(), Ints({1, 2}, {0, 0}), 1),
                Code::kMalformed, "ids of shape 1x2");
}

}  // namespace
}  // namespace munja::ops
