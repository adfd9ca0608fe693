#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// The same file by two tests: each finds its folder empty, wherever and
// whenever the other runs.
class TestFolder : public testing::TestWithParam<int> {};

TEST_P(TestFolder, Directory_IsEmptyAndOfThisTestAlone) {
  const std::string folder = testing::TempDir();
  ASSERT_TRUE(fs::is_directory(folder));
  EXPECT_TRUE(fs::is_empty(folder));
  std::ofstream(folder + "file") << GetParam();
  fs::create_directory(folder + "closed");
  std::ofstream(folder + "closed/file") << GetParam();
  fs::permissions(folder + "closed", fs::perms::owner_read);
  static std::string of_the_other;
  if (!of_the_other.empty()) {
    EXPECT_NE(folder, of_the_other);
    EXPECT_FALSE(fs::exists(of_the_other)) << "left after it has passed";
  }
  of_the_other = folder;
}
INSTANTIATE_TEST_SUITE_P(Twice, TestFolder, testing::Values(1, 2));

}  // namespace
