// PDF files that stay as they are and get text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "document/pdf/source.h"
#include "document/pdf/testing.h"
#include "document/writers/testing.h"

namespace munja::document {
namespace pdf {
namespace {

using ::testing::HasSubstr;

// TwoBlocks() of a page of this file.
class Pages {
 public:
  WriterPage Of(const std::string& file, int page) {
    Document& document = documents_.emplace_back(TwoBlocks());
    if (page == 1) std::swap(document.width, document.height);
    document.source = "a.pdf#page=" + std::to_string(page + 1);
    return {document, {.pdf = file, .pdf_page = page}};
  }

 private:
  std::list<Document> documents_;
};

// Collects the lines that are logged meanwhile.
class Notes {
 public:
  Notes() {
    SetLogSink([this](Severity, std::string_view line) {
      text += std::string(line) + '\n';
    });
  }
  ~Notes() { SetLogSink({}); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  std::string text;
};

std::string Saved(const std::vector<WriterPage>& pages,
                  std::string_view format = "pdf") {
  auto file = WritePages(*FindWriter(format), pages);
  EXPECT_TRUE(file.ok());
  return file.ok() ? *file : std::string();
}

TEST(PdfUpdate, Files_StayAsTheyAreBeforeTheText) {
  for (const bool is_packed : {false, true}) {
    const std::string trailer = "/ID [<0a> <0b>] /Info 7 0 R ";
    const std::string source = is_packed
                                   ? PackedFileOf(TwoPagesWithLinks(), trailer)
                                   : PdfOf(TwoPagesWithLinks(), trailer);
    Pages pages;
    const std::string file = Saved({pages.Of(source, 0), pages.Of(source, 1)});
    ASSERT_TRUE(file.starts_with(source));
    EXPECT_TRUE(file.ends_with("%%EOF\n"));
    auto read = SourceFile::Open(file);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->has_table_stream(), is_packed);
    ASSERT_EQ(read->pages(), 2u);
    EXPECT_EQ(read->trailer()["Info"], "7 0 R");
    EXPECT_TRUE(read->trailer()["ID"].starts_with("[<0a> ("));
    for (size_t i = 0; i < 2; ++i) {
      const auto page = read->Page(i);
      ASSERT_TRUE(page.ok());
      EXPECT_NE(page->fonts["MunjaText"], "");
      EXPECT_NE(page->fonts["F1"], "");
      EXPECT_NE(page->contents, "");
    }
    EXPECT_NE(read->Page(0)->dictionary["Annots"], "");
    EXPECT_EQ(read->Page(1)->dictionary["UserUnit"], "2");
    EXPECT_EQ(read->Page(1)->view.rotation, 90);
    // Once more: beside the text that is there.
    const std::string twice = Saved({pages.Of(file, 0)});
    ASSERT_TRUE(twice.starts_with(file));
    auto again = SourceFile::Open(twice);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_NE(again->Page(0)->fonts["MunjaText"], "");
  }
}

TEST(PdfUpdate, PagesOfOtherFiles_FollowAsImages) {
  const std::string source = PdfOf(TwoPagesWithLinks());
  const std::string other = PdfOf(TwoPagesWithLinks(), "/Info 7 0 R ");
  Pages pages;
  const Document image = TwoBlocks();
  const Notes notes;
  const std::string file = Saved({pages.Of(source, 1),
                                  {image},
                                  pages.Of(other, 0),
                                  pages.Of(other, 1),
                                  pages.Of(source, 0)});
  ASSERT_TRUE(file.starts_with(source));
  auto read = SourceFile::Open(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->pages(), 5u);
  EXPECT_EQ(read->Page(2)->dictionary["Rotate"], "0");
  EXPECT_NE(read->Page(0)->fonts["MunjaText"], "");
  // It is said once for a file.
  EXPECT_THAT(notes.text, HasSubstr("a.pdf#page=1: the PDF file is made anew"));
  EXPECT_THAT(notes.text, HasSubstr("links and notes, bookmarks, page labels, "
                                    "metadata of the old one are not in it"));
  EXPECT_EQ(notes.text.find("anew"), notes.text.rfind("anew"));
}

TEST(PdfUpdate, FilesThatCannotBeKept_AreMadeAnew) {
  const std::string locked =
      PdfOf(TwoPagesWithLinks(), "/Encrypt << /Filter /Standard >> ");
  const std::string plain = PdfOf(TwoPagesWithLinks());
  Pages pages;
  {
    const Notes notes;
    EXPECT_TRUE(Saved({pages.Of(locked, 0)}).starts_with("%PDF-1.7"));
    EXPECT_THAT(notes.text, HasSubstr("because the file is encrypted"));
    EXPECT_THAT(notes.text,
                HasSubstr("the file is encrypted, what is written is not"));
  }
  {
    const Notes notes;
    EXPECT_THAT(Saved({pages.Of(plain, 0)}, "pdfa"),
                HasSubstr("/OutputIntent"));
    EXPECT_THAT(notes.text, HasSubstr("files for archives are made anew"));
  }
  {
    // Its text alone is asked for.
    const Notes notes;
    EXPECT_TRUE(
        Saved({pages.Of(plain, 0)}, "pdf_text").starts_with("%PDF-1.7"));
    EXPECT_EQ(notes.text, "");
  }
}

// A page that the file has not is an image like those of other files.
TEST(PdfUpdate, PageBehindTheLast_FollowsAsAnImage) {
  const std::string source = PdfOf(TwoPagesWithLinks());
  Pages pages;
  const Notes notes;
  const std::string file = Saved({pages.Of(source, 0), pages.Of(source, 2)});
  ASSERT_TRUE(file.starts_with(source));
  auto read = SourceFile::Open(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->pages(), 3u);
}

TEST(PdfUpdate, PagesWithoutText_LeaveTheFileAlone) {
  const std::string source = PdfOf(TwoPagesWithLinks());
  Document empty = TwoBlocks();
  empty.lines.clear();
  EXPECT_EQ(Saved({{empty, {.pdf = source, .pdf_page = 0}}}), source);
}

TEST(PdfUpdate, TextOfAnImageOfOtherSides_IsNotAdded) {
  const std::string source = PdfOf(TwoPagesWithLinks());
  Document other = TwoBlocks();
  other.height = 150;
  const Notes notes;
  EXPECT_EQ(Saved({{other, {.pdf = source, .pdf_page = 0}}}), source);
  EXPECT_THAT(notes.text, HasSubstr("no text is added"));
}

}  // namespace
}  // namespace pdf
}  // namespace munja::document
