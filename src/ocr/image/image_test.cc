#include "image/image.h"

#include <gtest/gtest.h>

#include <utility>

namespace munja::image {
namespace {

TEST(Image, MovedImages_KeepAllOfThem) {
  Image from = std::move(Image::Create(3, 2)).value();
  for (int i = 0; i < 9; ++i) from.row(1)[i] = static_cast<uint8_t>(i);
  from.SetPaper(10, 20);
  const uint8_t* const pixels = from.row(0);
  Image moved(std::move(from));
  Image to = std::move(Image::Create(7, 7)).value();
  to = std::move(moved);
  EXPECT_EQ(to.width(), 3);
  EXPECT_EQ(to.height(), 2);
  EXPECT_EQ(to.paper_width(), 10);
  EXPECT_EQ(to.paper_height(), 20);
  EXPECT_EQ(to.row(0), pixels);
  EXPECT_EQ(to.row(1)[8], 8);
}

TEST(Image, Sides_AreOneToTheLargest) {
  EXPECT_EQ(Image::Create(kMaxImageSide, 1)->width(), kMaxImageSide);
  EXPECT_EQ(Image::Create(1, kMaxImageSide)->height(), kMaxImageSide);
  for (const auto& [width, height] : {std::pair(0, 1),
                                      {1, 0},
                                      {-1, 1},
                                      {kMaxImageSide + 1, 1},
                                      {1, kMaxImageSide + 1}})
    EXPECT_EQ(Image::Create(width, height).status().code(),
              Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::image
