// munja read --html and munja eval --html: pages of HTML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++count;
  return count;
}

std::string Decoded(const std::string& base64) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const int digit = c == '+'   ? 62
                      : c == '/' ? 63
                      : c >= 'a' ? c - 'a' + 26
                      : c >= 'A' ? c - 'A'
                                 : c - '0' + 52;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

// Returns the bytes of the first picture of a page.
std::string FirstPicture(const std::string& page) {
  const size_t begin = page.find(";base64,") + 8;
  return Decoded(page.substr(begin, page.find('"', begin) - begin));
}

class Report : public testing::Test {
 protected:
  const std::string picture_ = TestData("pictures/receipt.jpg");
  const std::string page_ = TestFolder() + "/page.html";
};

TEST_F(Report, Page_ShowsWhatWasReadWithoutTheNetwork) {
  const Outcome outcome =
      Munja({"read", "--format=json", "--html", page_, picture_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json read = Json::parse(outcome.out);
  const std::string page = ReadAll(page_);
  EXPECT_EQ(Count(page, "<polygon "), static_cast<int>(read["lines"].size()));
  for (const Json& line : read["lines"]) {
    // In the list, over its box and in the box's title.
    EXPECT_GE(Count(page, ">" + line["text"].get<std::string>()), 3)
        << line["text"];
  }
  EXPECT_EQ(FirstPicture(page), ReadAll(picture_));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(page, HasSubstr("recognize "));
}

TEST_F(Report, ImagesThatBrowsersDoNotShow_AreMadeBitmaps) {
  // Two rows of three pixels: red, green, blue, and white.
  const std::string file = TestFolder() + "/small.ppm";
  WriteAll(file, std::string("P6 3 2 255\n") + "\xFF" + std::string(3, '\0') +
                     "\xFF" + std::string(3, '\0') + "\xFF" +
                     std::string(9, '\xFF'));
  const Outcome outcome = Munja({"read", "--html", page_, file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string bitmap = FirstPicture(ReadAll(page_));
  ASSERT_EQ(bitmap.size(), 54u + 2 * 12);
  EXPECT_EQ(bitmap.substr(0, 2), "BM");
  EXPECT_EQ(bitmap[18], 3);
  EXPECT_EQ(bitmap[22], 2);
  // Blue, green, red; the last row first; rows of whole four bytes.
  EXPECT_EQ(bitmap.substr(54, 9), std::string(9, '\xFF'));
  EXPECT_EQ(bitmap.substr(66, 9), std::string("\0\0\xFF\0\xFF\0\xFF\0\0", 9));
}

TEST_F(Report, EveryLineThatIsNotRight_IsShown) {
  const std::string results = TestFolder() + "/results.jsonl";
  const Json read = Json::parse(Munja({"read", "--format=json", picture_}).out);
  // The truth is what is read, but for one word, one line and one more.
  Json label = {{"image", picture_}, {"lines", Json::array()}};
  for (const Json& line : read["lines"])
    label["lines"].push_back(
        {{"text", line["text"]}, {"poly", line["polygon"]}});
  label["lines"][0]["text"] = "BAKERY <SOUTHWIND>";
  label["lines"].erase(label["lines"].size() - 1);
  label["lines"].push_back(
      {{"text", "never"}, {"poly", {{1, 1}, {9, 1}, {9, 5}, {1, 5}}}});
  const std::string labels = TestFolder() + "/labels.jsonl";
  WriteAll(labels, label.dump() + "\n");
  const Outcome outcome = Munja({"eval", "--labels", labels, "--html", page_});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = ReadAll(page_);
  EXPECT_EQ(Count(page, "<tr data-line"), 3);
  // The text that is there, what lacks and what should not be.
  EXPECT_THAT(page, HasSubstr("BAKERY &lt;SOUTHWIND&gt;"));
  EXPECT_THAT(page, HasSubstr("BAKERY <del>&lt;S"));
  EXPECT_THAT(page, HasSubstr("not found"));
  EXPECT_THAT(page, HasSubstr("not labeled"));
  EXPECT_THAT(page, HasSubstr("det_hmean"));
  const std::string count = std::to_string(read["lines"].size());
  EXPECT_THAT(page, HasSubstr(std::to_string(read["lines"].size() - 2) +
                              " of " + count + " labeled lines"));
}

TEST_F(Report, Output_IsNoInputAndNoFullDisk) {
  EXPECT_EQ(Munja({"read", "--html", picture_, picture_}).exit_code, 2);
  EXPECT_EQ(Munja({"read", "--html", "/dev/full", picture_}).exit_code, 7);
}

}  // namespace
}  // namespace munja::cli_test
