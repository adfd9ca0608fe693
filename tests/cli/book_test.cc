// munja read -o and --html: many pages in one file, which is written as they
// are read.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Book : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(out_);
    ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
  }
  static std::vector<std::string> Words(const std::string& option,
                                        const std::string& value,
                                        const std::string& first,
                                        const std::string& second = "") {
    std::vector<std::string> words = {"read", "--model", DefaultBundle(),
                                      option, value,     first};
    if (!second.empty()) words.push_back(second);
    return words;
  }
  std::vector<std::string> Written() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(out_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Reads the receipt and then the page that comes from the pipe, which gets
  // its bytes once `is_there` holds: for a command that keeps pages until all
  // are read that would be never.
  Outcome ReadTwo(const std::string& option, const std::string& value,
                  const Call& call, const std::function<bool()>& is_there) {
    Outcome outcome;
    std::thread command([&] {
      outcome = Munja(Words(option, value, ReceiptPicture(), pipe_), call);
    });
    // Opens once the command waits for the second page.
    const int fd = ::open(pipe_.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_GE(fd, 0);
    EXPECT_TRUE(is_there());
    const std::string page = TiffOfPages(1);
    EXPECT_EQ(::write(fd, page.data(), page.size()),
              static_cast<ssize_t>(page.size()));
    ::close(fd);
    command.join();
    return outcome;
  }
  const std::string out_ = TestFolder() + "/out", pipe_ = TestFolder() + "/in";
};

// The command asks for the second page only when the first is written: nothing
// of it waits in memory.
TEST_F(Book, EachPage_IsWrittenBeforeTheNextIsRead) {
  const std::string jpeg = ReadAll(ReceiptPicture());
  const std::string book = out_ + "/book.pdf";
  WriteAll(book, "old");
  const Outcome outcome = ReadTwo("-o", book, {}, [&] {
    const auto names = Written();
    return names.size() == 2 && names[0].starts_with(".munja-") &&
           ReadAll(out_ + "/" + names[0]).find(jpeg) != std::string::npos &&
           ReadAll(book) == "old";
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(Written(), ElementsAre("book.pdf"));
  EXPECT_THAT(ReadAll(book), HasSubstr("/Count 2"));
}

TEST_F(Book, EachPageOfHtml_IsWrittenBeforeTheNextIsRead) {
  const std::string page = out_ + "/page.html";
  WriteAll(page, "old");
  const Outcome outcome = ReadTwo("--html", page, {}, [&] {
    const auto names = Written();
    return names.size() == 2 && names[0].starts_with(".munja-") &&
           ReadAll(out_ + "/" + names[0]).find("BAKERY") != std::string::npos &&
           ReadAll(page) == "old";
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(Written(), ElementsAre("page.html"));
  const std::string whole = ReadAll(page);
  EXPECT_THAT(whole, HasSubstr("<h2 id=\"p2\">" + pipe_));
  EXPECT_TRUE(whole.ends_with("</body></html>\n"));
}

TEST_F(Book, HtmlWithoutPages_LeavesTheOldFile) {
  const std::string page = out_ + "/page.html";
  WriteAll(page, "old");
  EXPECT_EQ(Munja(Words("--html", page, out_ + "/none.png")).exit_code, 3);
  EXPECT_EQ(ReadAll(page), "old");
}

TEST_F(Book, StandardOutput_GetsEachPageAsItIsRead) {
  const std::string seen = TestFolder() + "/seen";
  Call call;
  call.stdout_path = seen;
  for (const std::string format : {"pdf", "hocr", "text", "json", "alto"}) {
    std::string before;
    const Outcome outcome = ReadTwo("-f", format, call, [&] {
      before = ReadAll(seen);
      return before.find("BAKERY") != std::string::npos || format == "pdf";
    });
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_GT(before.size(), 300u) << format;
    const std::string whole = ReadAll(seen);
    EXPECT_TRUE(whole.starts_with(before)) << format;
    EXPECT_GT(whole.size(), before.size()) << format;
  }
}

TEST_F(Book, UnreadablePage_IsLeftOutAndNamed) {
  const std::string five = TestFolder() + "/five.tif";
  WriteAll(five, TiffOfPages(5, {3}));
  const Outcome outcome = Munja(Words("-o", out_ + "/book.pdf", five));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, StartsWith("munja: " + five + "#page=3: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  EXPECT_THAT(ReadAll(out_ + "/book.pdf"), HasSubstr("/Count 4"));
  // Nothing is written if no page of a file can be read.
  WriteAll(five, TiffOfPages(2, {1, 2}));
  EXPECT_EQ(Munja(Words("-o", out_ + "/none.pdf", five)).exit_code, 3);
  EXPECT_THAT(Written(), ElementsAre("book.pdf"));
}

TEST_F(Book, InterruptedReading_LeavesTheOldFile) {
  const std::string book = out_ + "/book.pdf";
  WriteAll(book, "old");
  std::string seen;
  const int code = OnTerminal(Words("-o", book, ReceiptPicture(), pipe_), false,
                              &seen, "[2/2]", 2);
  EXPECT_EQ(code, 130) << seen;
  EXPECT_THAT(seen, HasSubstr("munja: interrupted"));
  EXPECT_EQ(ReadAll(book), "old");
  EXPECT_THAT(Written(), ElementsAre("book.pdf"));
}

// As on a full disk: the first block is written, the rest cannot be.
TEST_F(Book, FullDisk_LeavesTheOldFile) {
  const std::string book = out_ + "/book.pdf";
  WriteAll(book, "old");
  const Outcome outcome = cli_test::Run(
      "/bin/bash", {"-c", "ulimit -f 8; exec \"$0\" \"$@\"", MUNJA_PROGRAM,
                    "read", "--model", DefaultBundle(), "-o", book,
                    ReceiptPicture(), ReceiptPicture()});
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(book + ": cannot write: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  EXPECT_EQ(ReadAll(book), "old");
  EXPECT_THAT(Written(), ElementsAre("book.pdf"));
}

// By its schema a file of PAGE XML is one page.
TEST_F(Book, PageXml_HasAFileForEachPage) {
  const std::string tiff = TestFolder() + "/three.tif";
  WriteAll(tiff, TiffOfPages(3));
  const Outcome outcome = Munja(Words("-o", out_ + "/book.page.xml", tiff));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(Written(), ElementsAre("book-2.page.xml", "book-3.page.xml",
                                     "book.page.xml"));
  for (const std::string& name : Written()) {
    const std::string xml = ReadAll(out_ + "/" + name);
    EXPECT_EQ(xml.find("<PcGts"), xml.rfind("<PcGts")) << name;
  }
  // Standard output is one file.
  const Outcome printed = Munja(Words("--format", "page", tiff));
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_THAT(printed.err, HasSubstr("one page"));
  EXPECT_EQ(printed.out.find("<PcGts"), printed.out.rfind("<PcGts"));
}

}  // namespace
}  // namespace munja::cli_test
