#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace munja {
namespace {

class FileTest : public ::testing::Test {
 protected:
  FileTest()
      : folder_(::testing::TempDir() + "munja_file_test_" +
                std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "hello").ok());
  ASSERT_TRUE(WriteFile(path, "again").ok());
  const auto bytes = ReadFile(path);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "again");
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ((*mapped)->bytes().size(), 5u);
}

TEST_F(FileTest, ErrorsNameThePath) {
  EXPECT_EQ(ReadFile(folder_ + "/none").status().code(), Code::kNotFound);
  EXPECT_NE(ReadFile(folder_ + "/none").status().message().find("/none"),
            std::string::npos);
  EXPECT_EQ(ReadFile(folder_).status().code(), Code::kIo);
  EXPECT_EQ(MappedFile::Open(folder_).status().code(), Code::kIo);
  EXPECT_EQ(WriteFile(folder_ + "/no/such", "x").code(), Code::kNotFound);
}

TEST_F(FileTest, AFileOverTheLimitIsRefused) {
  const std::string path = folder_ + "/b";
  ASSERT_TRUE(WriteFile(path, "12345678").ok());
  EXPECT_EQ(ReadFile(path, 4).status().code(), Code::kOutOfMemory);
}

TEST_F(FileTest, AnEmptyFileMapsToNothing) {
  const std::string path = folder_ + "/empty";
  ASSERT_TRUE(WriteFile(path, "").ok());
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_TRUE((*mapped)->bytes().empty());
}

}  // namespace
}  // namespace munja
