#include "pruning_study/parcels.h"

#include <gtest/gtest.h>

#include <cstring>

namespace munja::train {
namespace {

TEST(Parcels, SeedAndIndex_Decide) {
  const auto a = MakeParcels(96, 1, 5), b = MakeParcels(96, 1, 5);
  const auto c = MakeParcels(96, 1, 6);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  const auto same = [](const image::Image& x, const image::Image& y) {
    return std::memcmp(x.row(0), y.row(0), x.stride() * 96) == 0;
  };
  EXPECT_TRUE(same(a->picture, b->picture));
  EXPECT_FALSE(same(a->picture, c->picture));
  EXPECT_EQ(a->boxes.size(), b->boxes.size());
}

TEST(Parcels, Boxes_LieInTheImage) {
  size_t boxes = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const auto sample = MakeParcels(96, 2, i);
    ASSERT_TRUE(sample.ok());
    EXPECT_LE(sample->boxes.size(), 5u);
    boxes += sample->boxes.size();
    for (const ObjectBox& box : sample->boxes) {
      EXPECT_GE(box.left, 0);
      EXPECT_GE(box.top, 0);
      EXPECT_LE(box.right, 96);
      EXPECT_LE(box.bottom, 96);
      EXPECT_GT(box.width(), 2);
      EXPECT_GT(box.height(), 2);
    }
  }
  EXPECT_GT(boxes, 100u);
}

TEST(Parcels, IntersectionOverUnion_ByHand) {
  EXPECT_FLOAT_EQ(IntersectionOverUnion({0, 0, 2, 2}, {0, 0, 2, 2}), 1);
  EXPECT_FLOAT_EQ(IntersectionOverUnion({0, 0, 2, 2}, {1, 0, 3, 2}), 1.0f / 3);
  EXPECT_FLOAT_EQ(IntersectionOverUnion({0, 0, 2, 2}, {2, 0, 3, 2}), 0);
}

}  // namespace
}  // namespace munja::train
