// munja read --output-dir: many pictures, runs that are ended and go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Batch : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"/in/a", "/in/b/c"})
      fs::create_directories(TestFolder() + folder);
    for (const char* name : {"a/1.jpg", "a/2.jpg", "b/c/1.jpg", "3.jpg"})
      fs::copy(TestData("pictures/receipt.jpg"), in_ + "/" + name);
  }
  Outcome Run(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "read",         "--model", DefaultBundle(), "--recursive",
        "--output-dir", out_,      "--threads=2"};
    words.insert(words.end(), more.begin(), more.end());
    return Munja(words);
  }
  std::map<std::string, std::string> Written() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(out_))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(out_).string()] =
            ReadAll(entry.path().string());
    return files;
  }
  const std::string in_ = TestFolder() + "/in", out_ = TestFolder() + "/out";
};

TEST_F(Batch, EachImage_HasItsFilesInTheSameFolders) {
  const Outcome outcome = Run({"--format=text", "--format=tsv", in_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  const auto files = Written();
  ASSERT_EQ(files.size(), 8u);
  const std::string text =
      Munja({"read", "--model", DefaultBundle(), in_ + "/3.jpg"}).out;
  for (const char* name : {"a/1", "a/2", "b/c/1", "3"}) {
    EXPECT_EQ(files.at(std::string(name) + ".txt"), text) << name;
    EXPECT_THAT(files.at(std::string(name) + ".tsv"), HasSubstr("\tBAKERY\n"));
  }
}

TEST_F(Batch, UnreadableImage_DoesNotStopTheOthers) {
  WriteAll(in_ + "/a/bad.png", "no picture");
  const Outcome outcome = Run({in_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 5 files could not be read:"));
  EXPECT_THAT(outcome.err, HasSubstr("  " + in_ + "/a/bad.png\n"));
  EXPECT_EQ(Written().size(), 4u);
}

TEST_F(Batch, UnreadablePages_DoNotStopTheOthersOfTheirFile) {
  WriteAll(in_ + "/a/five.tif", TiffOfPages(5, {3}));
  const Outcome outcome = Run({"--format=json", in_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr(in_ + "/a/five.tif#page=3: "));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 5 files could not be read:"));
  // Each page has a name of its own, as PDF viewers name it.
  std::istringstream pages(Written().at("a/five.json"));
  std::vector<std::string> sources;
  for (std::string line; std::getline(pages, line);)
    sources.push_back(nlohmann::json::parse(line)["source"]);
  std::vector<std::string> expected;
  for (const char* number : {"1", "2", "4", "5"})
    expected.push_back(in_ + "/a/five.tif#page=" + number);
  EXPECT_EQ(sources, expected);
  // Nothing is left of a file of which no page can be read.
  WriteAll(in_ + "/a/none.tif", TiffOfPages(2, {1, 2}));
  EXPECT_EQ(Run({"--format=json", in_}).exit_code, 1);
  EXPECT_EQ(Written().count("a/none.json"), 0u);
}

// A format that has no way to hold the second page is not written, the others
// are.
TEST_F(Batch, Formats_OfOnePage) {
  WriteAll(in_ + "/a/two.tif", TiffOfPages(2, {}));
  const Outcome outcome = Run({"--format=png", "--format=json", in_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("a PNG file holds one page"));
  const auto files = Written();
  EXPECT_EQ(files.count("a/two.png"), 0u);
  const std::string& pages = files.at("a/two.json");
  EXPECT_EQ(std::count(pages.begin(), pages.end(), '\n'), 2) << pages;
  EXPECT_EQ(files.count("a/1.png"), 1u);
}

TEST_F(Batch, Interrupted_GoesOnWhereItWas) {
  ASSERT_EQ(Run({in_}).exit_code, 0);
  const auto all = Written();
  // Existing outputs are kept, and missing ones are made. An interrupted run
  // may leave a partly written file.
  fs::remove(out_ + "/a/1.txt");
  WriteAll(out_ + "/a/2.txt", "there");
  WriteAll(out_ + "/a/.munja-1.part", "half");
  ASSERT_EQ(Run({"--resume", in_}).exit_code, 0);
  auto again = Written();
  EXPECT_EQ(again["a/2.txt"], "there");
  again["a/2.txt"] = all.at("a/2.txt");
  again.erase("a/.munja-1.part");
  EXPECT_EQ(again, all);
}

// A file is done when all of its formats are there.
TEST_F(Batch, FileThatLacksAFormat_IsReadAgain) {
  ASSERT_EQ(Run({"--format=text", "--format=json", in_}).exit_code, 0);
  const auto all = Written();
  for (const char* lacking : {"a/1.txt", "a/1.json"}) {
    for (const char* name : {"a/1.txt", "a/1.json", "a/2.txt", "a/2.json"})
      WriteAll(out_ + "/" + name, "there");
    fs::remove(out_ + "/" + lacking);
    ASSERT_EQ(
        Run({"--format=text", "--format=json", "--resume", in_}).exit_code, 0);
    const auto again = Written();
    EXPECT_EQ(again.at("a/1.txt"), all.at("a/1.txt")) << lacking;
    EXPECT_NE(again.at("a/1.json"), "there") << lacking;
    EXPECT_EQ(again.at("a/2.txt"), "there") << lacking;
    EXPECT_EQ(again.at("a/2.json"), "there") << lacking;
  }
}

TEST_F(Batch, TwoImages_NeverGoToOneFile) {
  fs::copy(in_ + "/3.jpg", in_ + "/3.png");
  const Outcome outcome = Run({in_});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/in/3.jpg and "));
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_EQ(Run({"--output-name={folder}/{name}", in_}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out_ + "/3.png.txt"));
}

// Also by another name of the same file.
TEST_F(Batch, Outputs_NeverReplaceInputs) {
  const std::string before = ReadAll(in_ + "/3.jpg");
  fs::rename(in_ + "/3.jpg", in_ + "/3.png");
  fs::create_symlink(in_, TestFolder() + "/other");
  const Outcome outcome =
      Munja({"read", "--model", DefaultBundle(), "--format=png", "--output-dir",
             TestFolder() + "/other", in_ + "/3.png"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("this is also an input"));
  EXPECT_EQ(ReadAll(in_ + "/3.png"), before);
}

TEST_F(Batch, OutputDirectory_ThatCannotBeMade_IsNamed) {
  WriteAll(out_, "a file");
  EXPECT_EQ(Run({in_}).exit_code, 7);
  EXPECT_EQ(ReadAll(out_), "a file");
  // One that cannot even be looked at.
  fs::create_symlink(TestFolder() + "/loop", TestFolder() + "/loop");
  const Outcome outcome =
      Munja({"read", "--model", DefaultBundle(), "--output-dir",
             TestFolder() + "/loop/x", in_ + "/3.jpg"});
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(outcome.err, HasSubstr("/loop/x: cannot make the folder: "));
}

TEST_F(Batch, Inputs_ByPatternsAndLists) {
  ASSERT_EQ(Run({in_ + "/a/*.jpg"}).exit_code, 0);
  EXPECT_EQ(Written().size(), 2u);
  const Outcome none = Run({in_ + "/a/*.tif"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no file has a name like this"));
  const Outcome list =
      Munja({"read", "--model", DefaultBundle(), "--files-from=-"},
            {.input = in_ + "/3.jpg\n"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("BAKERY NORTHWIND"));
}

// Ctrl-C: the pictures in hand are finished.
TEST_F(Batch, Interrupted_SaysHowToGoOn) {
  for (int i = 0; i < 40; ++i)
    fs::copy(in_ + "/3.jpg", in_ + "/more" + std::to_string(i) + ".jpg");
  std::string seen;
  const int code = OnTerminal({"read", "--model", DefaultBundle(),
                               "--threads=2", "--output-dir", out_, in_},
                              false, &seen, "/41]", 2);
  EXPECT_EQ(code, 130) << seen;
  EXPECT_THAT(seen, HasSubstr("--resume reads the others"));
  const auto files = Written();
  EXPECT_GT(files.size(), 0u);
  EXPECT_LT(files.size(), 41u);
  for (const auto& [name, text] : files)
    EXPECT_THAT(text, HasSubstr("BAKERY NORTHWIND")) << name;
}

}  // namespace
}  // namespace munja::cli_test
