// The main() of every test program. Each test gets a folder of its own:
// testing::TempDir() names it, it is empty when the test starts, and it is
// removed when the test has passed. Nothing that a test writes there can meet
// what another one writes, in this process or beside it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;

class TestFolders : public testing::EmptyTestEventListener {
 public:
  // Files that a whole suite shares (SetUpTestSuite) lie in the program's
  // folder.
  void OnTestProgramStart(const testing::UnitTest&) override {
    const std::string base = testing::TempDir();
    fs::create_directories(base);
    program_ = base + "munja-test-XXXXXX";
    if (::mkdtemp(program_.data()) == nullptr) {
      perror(program_.c_str());
      exit(1);
    }
    Use(program_);
  }

  void OnTestStart(const testing::TestInfo& test) override {
    std::string name = test.test_suite_name() + std::string(".") + test.name();
    for (char& c : name)
      if (c == '/') c = '_';
    test_ = program_ + "/" + name;
    fs::remove_all(test_);  // --gtest_repeat after a failure.
    fs::create_directory(test_);
    Use(test_);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    Use(program_);
    if (test.result()->Failed())
      printf("What the test wrote is in %s\n", test_.c_str());
    else
      Remove(test_);
  }

  void OnTestProgramEnd(const testing::UnitTest& tests) override {
    if (tests.Passed()) Remove(program_);
  }

 private:
  // TMPDIR is for the programs that a test starts.
  static void Use(const std::string& folder) {
    ::setenv("TEST_TMPDIR", folder.c_str(), 1);
    ::setenv("TMPDIR", folder.c_str(), 1);
  }

  // A test may leave a folder without permission to write.
  static void Remove(const std::string& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end;
         !error && entry != end; entry.increment(error))
      if (entry->is_directory(error) && !entry->is_symlink(error))
        fs::permissions(entry->path(), fs::perms::owner_all,
                        fs::perm_options::add, error);
    fs::remove_all(folder, error);
  }

  std::string program_, test_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new TestFolders);
  return RUN_ALL_TESTS();
}
