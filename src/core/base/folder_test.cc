#include "base/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/file.h"

namespace munja {
namespace {

TEST(NamesIn, Names_AreSorted) {
  const std::string folder = testing::TempDir() + "names_in";
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  EXPECT_THAT(NamesIn(folder).value(), testing::IsEmpty());
  for (const char* name : {"b", ".hidden", "a"})
    ASSERT_TRUE(WriteFile(folder + "/" + name, "x").ok());
  ASSERT_EQ(mkdir((folder + "/c").c_str(), 0755), 0);
  EXPECT_THAT(NamesIn(folder).value(),
              testing::ElementsAre(".hidden", "a", "b", "c"));
  // Neither is a folder.
  EXPECT_EQ(NamesIn(folder + "/a").status().code(), Code::kNotFound);
  const auto none = NamesIn(folder + "/none");
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(none.status().message()),
              testing::HasSubstr(folder + "/none: cannot list"));
}

TEST(FolderName, Path_GivesTheLastDirectory) {
  EXPECT_EQ(FolderName("models/first"), "first");
  EXPECT_EQ(FolderName("/first//"), "first");
  EXPECT_EQ(FolderName("first"), "first");
  EXPECT_EQ(FolderName("/"), "");
  EXPECT_EQ(FolderName(""), "");
}

}  // namespace
}  // namespace munja
