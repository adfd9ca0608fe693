#include "bundle/staged_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/control.h"
#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "bundle/testing.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StagedFolderTest : public testing::Test {
 protected:
  StagedFolderTest()
      : root_(testing::TempDir() + "/munja_staged_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~StagedFolderTest() override { fs::remove_all(root_); }
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Get(const std::string& path) {
    const auto bytes = ReadFile(path);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }
  Status Write(const std::string& folder, const std::string& text) {
    MUNJA_ASSIGN_OR_RETURN(const auto staged, StagedFolder::Create(folder));
    for (const char* name : {"detector.tflite", "bundle.json"})
      MUNJA_RETURN_IF_ERROR(WriteFile(staged->path() + "/" + name, text));
    return staged->Publish();
  }

  std::string root_;
};

TEST_F(StagedFolderTest, Publish_ReplacesAtOnceAndKeepsPermissions) {
  const std::string folder = root_ + "/a/b";
  ASSERT_TRUE(Write(folder, "1").ok());
  ASSERT_TRUE(WriteFile(folder + "/MODEL_CARD.md", "old").ok());
  ASSERT_EQ(chmod(folder.c_str(), 0750), 0);
  ASSERT_EQ(chmod((folder + "/bundle.json").c_str(), 0600), 0);
  const Status status = Write(folder + "/", "2");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Get(folder + "/bundle.json"), "2");
  EXPECT_THAT(Names(folder), ElementsAre("bundle.json", "detector.tflite"));
  EXPECT_THAT(Names(root_ + "/a"), ElementsAre("b"));
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms(0750));
  EXPECT_EQ(fs::status(folder + "/bundle.json").permissions(), fs::perms(0600));
}

TEST_F(StagedFolderTest, UnpublishedFolder_LeavesNothing) {
  ASSERT_TRUE(Write(root_ + "/a", "1").ok());
  {
    auto staged = StagedFolder::Create(root_ + "/a");
    ASSERT_TRUE(staged.ok());
    ASSERT_TRUE(WriteFile((*staged)->path() + "/detector.tflite", "2").ok());
  }
  EXPECT_EQ(Get(root_ + "/a/detector.tflite"), "1");
  EXPECT_THAT(Names(root_), ElementsAre("a"));
}

TEST_F(StagedFolderTest, Link_Stays) {
  ASSERT_TRUE(Write(root_ + "/real", "1").ok());
  fs::create_directory_symlink("real", root_ + "/link");
  ASSERT_TRUE(Write(root_ + "/link", "2").ok());
  EXPECT_TRUE(fs::is_symlink(root_ + "/link"));
  EXPECT_EQ(Get(root_ + "/real/bundle.json"), "2");
}

TEST_F(StagedFolderTest, FilesThatAreNotABundles_AreNotLost) {
  const std::string folder = root_ + "/a";
  ASSERT_TRUE(Write(folder, "1").ok());
  auto late = StagedFolder::Create(folder);
  ASSERT_TRUE(late.ok());
  ASSERT_TRUE(WriteFile(folder + "/notes.txt", "mine").ok());
  Status status = Write(folder, "2");
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_THAT(std::string(status.message()), HasSubstr("notes.txt"));
  // Also when they come while the new folder is made.
  EXPECT_EQ((*late)->Publish().code(), Code::kIo);
  EXPECT_EQ(Get(folder + "/bundle.json"), "1");
  fs::remove(folder + "/notes.txt");
  fs::create_directory(folder + "/sub");
  EXPECT_EQ(Write(folder, "2").code(), Code::kIo);
  EXPECT_TRUE(fs::exists(folder + "/sub"));
  ASSERT_TRUE(WriteFile(root_ + "/file", "x").ok());
  EXPECT_EQ(Write(root_ + "/file", "2").code(), Code::kIo);
  EXPECT_EQ(Get(root_ + "/file"), "x");
}

TEST_F(StagedFolderTest, NamesOfTheOldBundle_AreItsOwn) {
  TinyBundle().WriteTo(root_ + "/a");  // det.tflite, keys.txt and others.
  ASSERT_TRUE(Write(root_ + "/a", "2").ok());
  EXPECT_THAT(Names(root_ + "/a"),
              ElementsAre("bundle.json", "detector.tflite"));
}

TEST_F(StagedFolderTest, BundleFiles_AreKnownAfterTheTimeLimit) {
  const std::string folder = root_ + "/old";
  TinyBundle().WriteTo(folder);
  Control control({});
  control.Cancel();
  const ControlScope scope(&control);
  EXPECT_TRUE(CheckReplaceable(folder).ok());
}

TEST_F(StagedFolderTest, ConcurrentWriters_EndWithOneOfThem) {
  const std::string folder = root_ + "/a";
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < 20; ++i) {
        const Status status = Write(folder, std::to_string(w));
        EXPECT_TRUE(status.ok()) << status.message();
      }
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Get(folder + "/bundle.json"), Get(folder + "/detector.tflite"));
  EXPECT_THAT(Names(folder), ElementsAre("bundle.json", "detector.tflite"));
  EXPECT_THAT(Names(root_), ElementsAre("a"));
}

TEST_F(StagedFolderTest, LeftoversOfAKilledProgram_AreRemoved) {
  const std::string folder = root_ + "/a";
  ASSERT_TRUE(Write(folder, "1").ok());
  const pid_t child = fork();
  if (child == 0) {
    auto staged = StagedFolder::Create(folder);
    if (staged.ok() &&
        WriteFile((*staged)->path() + "/detector.tflite", "2").ok())
      kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Names(root_).size(), 2u);  // The folder and what was begun.
  EXPECT_EQ(Get(folder + "/detector.tflite"), "1");
  // Work of others that goes on stays.
  auto other = StagedFolder::Create(folder);
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(Write(folder, "3").ok());
  EXPECT_EQ(Names(root_).size(), 2u);
  EXPECT_TRUE(IsDirectory((*other)->path()));
  // Ended between two renames, where they cannot be one.
  fs::rename(folder, root_ + "/.a.munja-old-0123456789abcdef");
  ASSERT_TRUE(StagedFolder::Create(folder).ok());
  EXPECT_EQ(Get(folder + "/bundle.json"), "3");
}

TEST_F(StagedFolderTest, FailedExtract_LeavesTheOldFolder) {
  TinyBundle good, bad;
  const std::string folder = root_ + "/a";
  ASSERT_TRUE(Extract(*good.InMemory(), folder).ok());
  const auto names = Names(folder);
  bad.files["rec.tflite"] += "x";
  EXPECT_EQ(Extract(*bad.InMemory(), folder).code(), Code::kMalformed);
  EXPECT_EQ(Names(folder), names);
  EXPECT_TRUE(LoadBundle(FolderFiles(folder)).ok());
  EXPECT_THAT(Names(root_), ElementsAre("a"));
}

}  // namespace
}  // namespace munja::bundle
