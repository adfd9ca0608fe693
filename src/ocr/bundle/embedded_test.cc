#include "bundle/embedded.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"

namespace munja::bundle {

std::vector<NamedBytes> EmbeddedTestFiles();  // LICENSE and a bundle.json.

namespace {

TEST(Embedded, Files_AreThoseOfTheSourcesAndAligned) {
  const std::vector<NamedBytes> files = EmbeddedTestFiles();
  const std::string root = MUNJA_SOURCE_DIR;
  const std::string paths[] = {
      root + "/LICENSE", root + "/fuzz/corpora/manifest_fuzz/bundle.json"};
  const char* const names[] = {"LICENSE", "bundle.json"};
  ASSERT_EQ(files.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(files[i].first, names[i]);
    const auto expected = ReadFile(paths[i]);
    ASSERT_TRUE(expected.ok());
    EXPECT_TRUE(std::ranges::equal(files[i].second, *expected)) << paths[i];
    // Aligned for the widest vector loads, and for models to be used in place.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(files[i].second.data()) % 64, 0u);
  }
}

}  // namespace
}  // namespace munja::bundle
