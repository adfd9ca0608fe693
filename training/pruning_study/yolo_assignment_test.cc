#include "pruning_study/yolo_assignment.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace munja::train {
namespace {

constexpr int kSide = 64;
constexpr int kFields = kYoloBoxFields + 1;

class Maps {
 public:
  Maps() {
    for (int level = 0; level < kYoloLevels; ++level) {
      const int size = kSide / (8 << level);
      logits_[static_cast<size_t>(level)].assign(
          static_cast<size_t>(kYoloAnchors * kFields * size * size), 0.0f);
      maps_[static_cast<size_t>(level)] = {
          logits_[static_cast<size_t>(level)].data(), size, size};
    }
  }
  float& At(int level, int anchor, int field, int row, int column) {
    const int size = kSide / (8 << level);
    return logits_[static_cast<size_t>(level)][static_cast<size_t>(
        ((anchor * kFields + field) * size + row) * size + column)];
  }
  std::vector<YoloMatch> Assign(const std::vector<ObjectBox>& objects) {
    return AssignObjects(maps_, 1, kSide, objects);
  }

 private:
  std::array<std::vector<float>, kYoloLevels> logits_;
  std::array<YoloMap, kYoloLevels> maps_;
};

TEST(YoloAssignment, EveryObject_IsLearnedNearItsCenter) {
  Maps maps;
  const std::vector<ObjectBox> objects = {{4, 4, 14, 14}, {30, 34, 50, 46}};
  const auto matches = maps.Assign(objects);
  std::set<int> seen;
  std::set<std::tuple<int, int, int, int>> places;
  for (const YoloMatch& m : matches) {
    seen.insert(m.object);
    EXPECT_TRUE(places.insert({m.level, m.anchor, m.row, m.column}).second);
    const ObjectBox& box = objects[static_cast<size_t>(m.object)];
    const float stride = static_cast<float>(8 << m.level);
    EXPECT_LE(std::abs((box.left + box.right) / 2 / stride -
                       (static_cast<float>(m.column) + 0.5f)),
              1.5f);
    EXPECT_LE(std::abs((box.top + box.bottom) / 2 / stride -
                       (static_cast<float>(m.row) + 0.5f)),
              1.5f);
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1}));
  EXPECT_TRUE(maps.Assign({}).empty());
}

// With one prediction that is right already, that one is chosen.
TEST(YoloAssignment, BestPrediction_Learns) {
  Maps maps;
  // The second anchor of stride 16 is 6.6 x 2.6 here; an object twice as wide.
  const ObjectBox object = {17.4f, 21.4f, 30.6f, 26.6f};
  maps.At(1, 1, 2, 1, 1) = 0.88f;  // (2 sigmoid)^2 is about 2.
  maps.At(1, 1, 3, 1, 1) = 0.88f;
  maps.At(1, 1, 4, 1, 1) = 2;
  const auto matches = maps.Assign({object});
  ASSERT_FALSE(matches.empty());
  bool is_there = false;
  for (const YoloMatch& m : matches)
    is_there |= m.level == 1 && m.anchor == 1 && m.row == 1 && m.column == 1;
  EXPECT_TRUE(is_there);
}

}  // namespace
}  // namespace munja::train
