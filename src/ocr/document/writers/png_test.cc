#include <gtest/gtest.h>

#include "document/writers/testing.h"
#include "image/decode.h"

namespace munja::document {
namespace {

// A gray page: outlines of sure words are green, those of low-confidence words
// red, and nothing else changes.
TEST(PngWriter, Words_AreOutlinedInTheImage) {
  Document document = TwoBlocks();
  document.lines[0].characters.clear();
  document.lines[0].text = "ab";
  document.lines[0].confidence = 1;
  document.lines[1].confidence = 0;
  const std::vector<uint8_t> gray(200 * 100 * 3, 128);
  WriterPage page{document};
  page.picture.rgb = gray.data();
  page.picture.stride = 200 * 3;
  const auto file = WritePages(*FindWriter("png"), {&page, 1});
  ASSERT_TRUE(file.ok());
  const auto drawn = image::Decode(
      {reinterpret_cast<const uint8_t*>(file->data()), file->size()});
  ASSERT_TRUE(drawn.ok());
  ASSERT_EQ(drawn->width(), 200);
  ASSERT_EQ(drawn->height(), 100);
  const auto at = [&](int x, int y) {
    const uint8_t* const p = drawn->row(y) + 3 * x;
    return std::array<int, 3>{p[0], p[1], p[2]};
  };
  using Color = std::array<int, 3>;
  EXPECT_EQ(at(50, 10), (Color{0, 200, 0}));
  EXPECT_EQ(at(10, 20), (Color{0, 200, 0}));
  EXPECT_EQ(at(30, 70), (Color{200, 0, 0}));
  EXPECT_EQ(at(50, 20), (Color{128, 128, 128}));
  EXPECT_EQ(at(150, 60), (Color{128, 128, 128}));
}

TEST(PngWriter, PageWithoutImage_IsWhiteAndTheOnlyOne) {
  const Document document = TwoBlocks();
  const WriterPage page{document};
  const auto file = WritePages(*FindWriter("png"), {&page, 1});
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->starts_with("\x89PNG"));
  const WriterPage two[] = {page, page};
  const auto refused = WritePages(*FindWriter("png"), two);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Written("png", {}), "");
}

}  // namespace
}  // namespace munja::document
