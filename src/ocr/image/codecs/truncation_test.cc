// An image that is cut off is an error, wherever it is cut: never other
// pixels, and never another side up.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "image/codecs/testing.h"
#include "image/testing.h"

namespace munja::image::test_pictures {
namespace {

TEST(Truncation, AnyLength_GivesAnErrorOrTheWholeImage) {
  for (const DrawnFile& file : EveryVariant()) {
    SCOPED_TRACE(file.name);
    const Result<Image> whole = Decode(file.bytes);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    size_t wrong = 0;
    for (size_t size = 0; size < file.bytes.size(); ++size) {
      // A copy of exactly this size, so that a sanitizer sees every byte beyond
      // it.
      const std::vector<uint8_t> cut(
          file.bytes.begin(),
          file.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const Result<Image> image = Decode(cut);
      if (image.ok()) {
        if (LargestDifference(*image, *whole) == 0) continue;
        if (wrong++ == 0)
          ADD_FAILURE() << size << " of " << file.bytes.size() << " bytes";
      } else {
        EXPECT_FALSE(image.status().message().empty()) << size;
        EXPECT_NE(image.status().code(), Code::kInternal)
            << image.status().message();
      }
    }
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace munja::image::test_pictures
