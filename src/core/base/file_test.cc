#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

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

TEST_F(FileTest, WrittenBytes_AreReadBack) {
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

TEST_F(FileTest, Errors_NameThePath) {
  EXPECT_EQ(ReadFile(folder_ + "/none").status().code(), Code::kNotFound);
  EXPECT_NE(ReadFile(folder_ + "/none").status().message().find("/none"),
            std::string::npos);
  EXPECT_EQ(ReadFile(folder_).status().code(), Code::kIo);
  EXPECT_EQ(MappedFile::Open(folder_).status().code(), Code::kIo);
  // A program that asks why it could not write is told so.
  EXPECT_EQ(WriteFile(folder_ + "/no/such", "x").code(), Code::kIo);
}

TEST_F(FileTest, FileOverTheLimit_IsRefused) {
  const std::string path = folder_ + "/b";
  ASSERT_TRUE(WriteFile(path, "12345678").ok());
  EXPECT_EQ(ReadFile(path, 7).status().code(), Code::kOutOfMemory);
  EXPECT_EQ(ReadStream(path, 7).status().code(), Code::kOutOfMemory);
  EXPECT_TRUE(ReadFile(path, 8).ok());
}

TEST_F(FileTest, EmptyFile_MapsToNothing) {
  const std::string path = folder_ + "/empty";
  ASSERT_TRUE(WriteFile(path, "").ok());
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_TRUE((*mapped)->bytes().empty());
}

TEST_F(FileTest, IrregularFile_IsRefused) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // It has no writer: opening it as files are opened would never return.
  EXPECT_EQ(ReadFile(pipe).status().code(), Code::kIo);
  const auto mapped = MappedFile::Open(pipe);
  EXPECT_EQ(mapped.status().code(), Code::kIo);
  EXPECT_NE(mapped.status().message().find("a pipe"), std::string::npos);
  EXPECT_EQ(ReadFile("/dev/zero").status().code(), Code::kIo);
}

TEST_F(FileTest, Stream_IsReadToItsEndOrTheLimit) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(300000, 'x');
  std::thread writer([&] { EXPECT_TRUE(WriteFile(pipe, text).ok()); });
  const auto bytes = ReadStream(pipe, 300000);
  writer.join();
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), text);
  const auto endless = ReadStream("/dev/zero", 1000);
  EXPECT_EQ(endless.status().code(), Code::kOutOfMemory);
  EXPECT_NE(endless.status().message().find("/dev/zero"), std::string::npos);
  EXPECT_EQ(ReadStream(folder_, 1000).status().code(), Code::kIo);
}

TEST_F(FileTest, SystemFilesWithoutSize_AreRead) {
  const auto bytes = ReadFile("/proc/self/status");
  ASSERT_TRUE(bytes.ok());
  EXPECT_GT(bytes->size(), 100u);
}

TEST_F(FileTest, NamesOfOneFile_AreRecognized) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "1").ok());
  ASSERT_TRUE(WriteFile(folder_ + "/b", "1").ok());
  ASSERT_EQ(symlink("a", (folder_ + "/soft").c_str()), 0);
  ASSERT_EQ(link(path.c_str(), (folder_ + "/hard").c_str()), 0);
  EXPECT_TRUE(IsSameFile(path, folder_ + "/soft"));
  EXPECT_TRUE(IsSameFile(path, folder_ + "/./hard"));
  EXPECT_FALSE(IsSameFile(path, folder_ + "/b"));
  EXPECT_FALSE(IsSameFile(path, folder_ + "/none"));
  EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null"));
  EXPECT_TRUE(IsInFolder(path, folder_ + "/"));
  EXPECT_TRUE(IsInFolder(folder_, folder_));
  EXPECT_FALSE(IsInFolder(folder_, path));
  ASSERT_TRUE(std::filesystem::create_directories(folder_ + "/in"));
  EXPECT_FALSE(IsInFolder(path, folder_ + "/in"));
}

}  // namespace
}  // namespace munja
