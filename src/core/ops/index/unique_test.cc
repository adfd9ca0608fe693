#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;

TestNode Unique(TestTensor in, ElementType index = ElementType::kInt32) {
  const ElementType type = in.type;
  return {
      .op = "UNIQUE", .inputs = {std::move(in)}, .outputs = {{type}, {index}}};
}

TEST(UniqueTest, Duplicates_KeepTheFirst) {
  ExpectOutputs<int32_t>(Unique(Ints({8}, {5, 2, 5, 5, -1, 2, 0, -1})),
                         {Shape{4}, Shape{8}},
                         {{5, 2, -1, 0}, {0, 1, 0, 0, 2, 1, 3, 2}});
  ExpectOutputs<int32_t>(Unique(Ints({0}, {})), {Shape{0}, Shape{0}}, {{}, {}});
  ExpectOutputs<int64_t>(Unique(MakeTensor<int64_t>(ElementType::kInt64, {3},
                                                    {7, int64_t{7} << 32, 7}),
                                ElementType::kInt64),
                         {Shape{2}, Shape{3}},
                         {{7, int64_t{7} << 32}, {0, 1, 0}});
}

TEST(UniqueTest, Floats_AreSupported) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto out = RunNode(Unique(Floats({5}, {0.0f, nan, -0.0f, nan, 1.0f})));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{4}));
  EXPECT_THAT((*out)[1].values<int32_t>(), ElementsAre(0, 1, 0, 2, 3));
}

TEST(UniqueTest, InvalidNodes_AreRefused) {
  ExpectRefused(Unique(Ints({1, 2}, {1, 2})), Code::kMalformed, "no vector");
  ExpectRefused(Unique(Ints({1}, {1}), ElementType::kInt8), Code::kUnsupported,
                "the index list is int8");
  ExpectRefused(Unique(Halves({1}, {1})), Code::kUnsupported, "is float16");
}

}  // namespace
}  // namespace munja::ops
