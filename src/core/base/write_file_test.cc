// WriteFile on names that exist already.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"

namespace munja {
namespace {

namespace fs = std::filesystem;

class WriteFileTest : public ::testing::Test {
 protected:
  WriteFileTest()
      : folder_(::testing::TempDir() + "munja_write_file_test_" +
                std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WriteFileTest() override {
    chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }
  std::string In(const std::string& name) const { return folder_ + "/" + name; }
  // By other means than what is tested.
  void Put(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  std::string Get(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  struct stat Look(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info;
  }
  mode_t Mode(const std::string& path) { return Look(path).st_mode & 07777; }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Runs in a process of its own, as a user who is not root, inside the
  // folder: those above it may not be open to everybody.
  template <class Function>
  int AsOtherUser(Function function) {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(98);
      if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(99);
      _exit(function());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // A node of the test's own that is always full, as /dev/full. Empty where
  // nodes cannot be made.
  std::string FullDevice() {
    const std::string path = In("full");
    if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) return "";
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return "";
    close(fd);
    return path;
  }

  std::string folder_;
};

TEST_F(WriteFileTest, Device_IsWrittenAndStaysADevice) {
  const std::string path = FullDevice();
  if (path.empty()) GTEST_SKIP() << "only root makes devices";
  const Status status = WriteFile(path, "x");
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_NE(status.message().find("No space left"), std::string::npos)
      << status.message();
  EXPECT_TRUE(S_ISCHR(Look(path).st_mode));
  EXPECT_EQ(Names(), std::vector<std::string>{"full"});
  // Through a link as well.
  ASSERT_EQ(symlink("full", In("link").c_str()), 0);
  EXPECT_EQ(WriteFile(In("link"), "x").code(), Code::kIo);
  EXPECT_TRUE(S_ISCHR(Look(path).st_mode));
  EXPECT_TRUE(S_ISLNK(Look(In("link")).st_mode));
}

TEST_F(WriteFileTest, Pipe_GetsTheBytesAndStaysAPipe) {
  const std::string path = In("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = Get(path); });
  const std::string text(200000, 'x');
  const Status status = WriteFile(path, text);
  // Replacing the pipe would leave its reader waiting.
  if (!S_ISFIFO(Look(path).st_mode)) std::abort();
  reader.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(got, text);
}

TEST_F(WriteFileTest, PipeWithoutReader_IsAnErrorNotASignal) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  const Status status =
      WriteFile("/proc/self/fd/" + std::to_string(ends[1]), "x");
  EXPECT_EQ(status.code(), Code::kIo) << status.message();
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  close(ends[1]);
}

TEST_F(WriteFileTest, OpenDescriptor_IsWrittenAtItsPosition) {
  Put(In("log"), "first\n");
  const int fd = open(In("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const ino_t before = Look(In("log")).st_ino;
  EXPECT_TRUE(WriteFile("/dev/fd/" + std::to_string(fd), "second\n").ok());
  EXPECT_TRUE(
      WriteFile("/proc/thread-self/fd/" + std::to_string(fd), "third\n").ok());
  close(fd);
  EXPECT_EQ(Get(In("log")), "first\nsecond\nthird\n");
  EXPECT_EQ(Look(In("log")).st_ino, before);
}

TEST_F(WriteFileTest, Parts_ReplaceTheOldFileTogether) {
  Put(In("book"), "old");
  for (const bool is_whole : {false, true}) {
    auto file = OutputFile::Open(In("book"));
    ASSERT_TRUE(file.ok()) << file.status().message();
    for (const char* part : {"one ", "two"}) {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(part);
      EXPECT_TRUE((*file)->Write({bytes, std::strlen(part)}).ok());
      EXPECT_EQ(Get(In("book")), "old");
      EXPECT_EQ(Names().size(), 2u);
    }
    if (is_whole) {
      EXPECT_TRUE((*file)->Commit().ok());
    }
    *file = nullptr;
    EXPECT_EQ(Get(In("book")), is_whole ? "one two" : "old");
    EXPECT_EQ(Names(), std::vector<std::string>{"book"});
  }
}

TEST_F(WriteFileTest, SocketsAndDirectories_AreRefusedAndStay) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = In("socket");
  if (path.size() < sizeof address.sun_path) {
    std::strcpy(address.sun_path, path.c_str());
    ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(WriteFile(path, "x").code(), Code::kIo);
    EXPECT_TRUE(S_ISSOCK(Look(path).st_mode));
  }
  close(fd);
  fs::create_directory(In("folder"));
  const Status status = WriteFile(In("folder"), "x");
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_NE(status.message().find("is a folder"), std::string::npos);
  EXPECT_EQ(WriteFile(In("new/"), "x").code(), Code::kIo);
  EXPECT_EQ(WriteFile("", "x").code(), Code::kIo);
}

TEST_F(WriteFileTest, Link_StaysAndItsTargetIsReplaced) {
  fs::create_directory(In("far"));
  Put(In("far/target"), "old");
  ASSERT_EQ(symlink("far/target", In("near").c_str()), 0);
  ASSERT_EQ(symlink(In("near").c_str(), In("nearer").c_str()), 0);
  ASSERT_TRUE(WriteFile(In("nearer"), "new").ok());
  EXPECT_TRUE(S_ISLNK(Look(In("near")).st_mode));
  EXPECT_TRUE(S_ISLNK(Look(In("nearer")).st_mode));
  EXPECT_EQ(Get(In("far/target")), "new");
}

TEST_F(WriteFileTest, DanglingLink_CreatesItsTarget) {
  ASSERT_EQ(symlink("later", In("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(In("link"), "x").ok());
  EXPECT_TRUE(S_ISLNK(Look(In("link")).st_mode));
  EXPECT_TRUE(S_ISREG(Look(In("later")).st_mode));
  EXPECT_EQ(Get(In("later")), "x");
}

TEST_F(WriteFileTest, CyclicLinks_AreAnError) {
  ASSERT_EQ(symlink("b", In("a").c_str()), 0);
  ASSERT_EQ(symlink("a", In("b").c_str()), 0);
  EXPECT_EQ(WriteFile(In("a"), "x").code(), Code::kIo);
  EXPECT_TRUE(S_ISLNK(Look(In("a")).st_mode));
}

TEST_F(WriteFileTest, PermissionsAndOwner_AreKept) {
  for (const mode_t mode : {0600, 0640, 0664, 0755, 02775}) {
    const std::string path = In("file" + std::to_string(mode));
    Put(path, "old");
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(WriteFile(path, "new").ok());
    EXPECT_EQ(Mode(path), mode);
    EXPECT_EQ(Get(path), "new");
  }
  if (geteuid() != 0) return;
  const std::string path = In("owned");
  Put(path, "old");
  ASSERT_EQ(chown(path.c_str(), 1234, 2345), 0);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(path, "new").ok());
  EXPECT_EQ(Look(path).st_uid, 1234u);
  EXPECT_EQ(Look(path).st_gid, 2345u);
  EXPECT_EQ(Mode(path), 0640u);
}

TEST_F(WriteFileTest, ExtendedAttributes_AreKept) {
  const std::string path = In("noted");
  Put(path, "old");
  if (setxattr(path.c_str(), "user.note", "mine", 4, 0) != 0)
    GTEST_SKIP() << "this file system has none";
  ASSERT_TRUE(WriteFile(path, "new").ok());
  char note[8] = {};
  EXPECT_EQ(getxattr(path.c_str(), "user.note", note, sizeof note), 4);
  EXPECT_STREQ(note, "mine");
}

TEST_F(WriteFileTest, NewFile_HasTheUsualPermissions) {
  const mode_t before = umask(027);
  const Status status = WriteFile(In("new"), "x");
  umask(before);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(Mode(In("new")), 0640u);
}

TEST_F(WriteFileTest, OtherHardLinks_KeepTheOldBytes) {
  Put(In("one"), "old");
  ASSERT_EQ(link(In("one").c_str(), In("other").c_str()), 0);
  ASSERT_TRUE(WriteFile(In("one"), "new").ok());
  EXPECT_EQ(Get(In("one")), "new");
  EXPECT_EQ(Get(In("other")), "old");
}

TEST_F(WriteFileTest, ProtectedFile_IsNotReplaced) {
  Put(In("file"), "old");
  ASSERT_EQ(chmod(In("file").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(AsOtherUser([&] {
              return WriteFile("file", "new").code() == Code::kIo ? 0 : 1;
            }),
            0);
  EXPECT_EQ(Get(In("file")), "old");
  EXPECT_EQ(Names(), std::vector<std::string>{"file"});
}

TEST_F(WriteFileTest, FileInAProtectedDirectory_IsWrittenInPlace) {
  Put(In("file"), "a longer text");
  ASSERT_EQ(chmod(In("file").c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  for (const std::string text : {"new", "this text is longer than the other"}) {
    EXPECT_EQ(AsOtherUser([&] { return WriteFile("file", text).ok() ? 0 : 1; }),
              0);
    EXPECT_EQ(Get(In("file")), text);
  }
  EXPECT_EQ(AsOtherUser([&] { return WriteFile("none", "x").ok() ? 1 : 0; }),
            0);
}

TEST_F(WriteFileTest, FullDisk_LeavesOnlyTheOldFile) {
  Put(In("file"), "old");
  ASSERT_EQ(chmod(In("file").c_str(), 0666), 0);
  const std::string much(100000, 'x');
  for (const mode_t mode : {0777, 0555}) {  // Beside it, and in place.
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(AsOtherUser([&] {
                const rlimit limit = {5000, 5000};
                setrlimit(RLIMIT_FSIZE, &limit);
                return WriteFile("file", much).code() == Code::kIo ? 0 : 1;
              }),
              0);
    EXPECT_EQ(Get(In("file")), "old");
    EXPECT_EQ(Names(), std::vector<std::string>{"file"});
  }
}

TEST_F(WriteFileTest, Reader_SeesTheOldFileOrTheNewOne) {
  const std::string one(50000, '1'), two(70000, '2');
  ASSERT_TRUE(WriteFile(In("file"), one).ok());
  std::thread writers[2];
  for (int w = 0; w < 2; ++w)
    writers[w] = std::thread([&, w] {
      for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(WriteFile(In("file"), w == 0 ? one : two).ok());
    });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = Get(In("file"));
    EXPECT_TRUE(seen == one || seen == two) << seen.size();
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace munja
