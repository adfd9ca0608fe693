#include "bundle/search.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

class Search : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/munja_search_" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    ::setenv("XDG_DATA_HOME", (root_ + "/data").c_str(), 1);
    ::setenv("MUNJA_MODELS", (root_ + "/a:" + root_ + "/b").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(root_); }
  void MakeBundle(const std::string& path) {
    fs::create_directories(root_ + "/" + path);
    ASSERT_TRUE(WriteFile(root_ + "/" + path + "/bundle.json", "{}").ok());
  }
  std::string root_;
};

TEST_F(Search, EarlierFoldersHideLaterOnes) {
  MakeBundle("b/two");
  MakeBundle("a/one");
  MakeBundle("a/two");
  MakeBundle("data/munja/models/three");
  MakeBundle("data/munja/models/four.part");  // An unfinished download.
  std::string names;
  for (const FoundBundle& bundle : ListBundles()) names += bundle.name + " ";
  EXPECT_EQ(names, "one two three ");
  EXPECT_EQ(*FindBundle("two"), root_ + "/a/two");
  EXPECT_EQ(*FindBundle("three"), root_ + "/data/munja/models/three");
  EXPECT_EQ(*FindBundle(""), root_ + "/a/one");
}

TEST_F(Search, AFolderIsTakenAsItIs) {
  MakeBundle("elsewhere/mine");
  EXPECT_EQ(*FindBundle(root_ + "/elsewhere/mine"), root_ + "/elsewhere/mine");
  ::setenv("MUNJA_MODELS", (root_ + "/elsewhere/mine").c_str(), 1);
  EXPECT_EQ(*FindBundle("mine"), root_ + "/elsewhere/mine");
}

TEST_F(Search, SaysWhereItLooked) {
  const Result<std::string> none = FindBundle("absent");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_NE(none.status().message().find(root_ + "/a"), std::string::npos);
  EXPECT_NE(none.status().message().find("absent"), std::string::npos);
  fs::create_directories(root_ + "/plain");
  const Result<std::string> folder = FindBundle(root_ + "/plain");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.status().message().find("bundle.json"), std::string::npos);
}

}  // namespace
}  // namespace munja::bundle
