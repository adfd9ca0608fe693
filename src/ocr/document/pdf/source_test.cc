#include "document/pdf/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/pdf/testing.h"
#include "document/writers/deflate.h"

namespace munja::document::pdf {
namespace {

using ::testing::HasSubstr;

TEST(PdfSource, Pages_HaveWhatTheyInherit) {
  for (const bool is_packed : {false, true}) {
    const std::string bytes = is_packed ? PackedFileOf(TwoPagesWithLinks())
                                        : PdfOf(TwoPagesWithLinks());
    auto file = SourceFile::Open(bytes);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->has_table_stream(), is_packed);
    EXPECT_EQ(file->next_object(), is_packed ? 10u : 8u);
    ASSERT_EQ(file->pages(), 2u);
    const auto first = file->Page(0), second = file->Page(1);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first->object.number, 3u);
    EXPECT_THAT(std::string(first->dictionary["Annots"]),
                HasSubstr("(http://a.b)"));
    EXPECT_THAT(std::string(second->fonts["F1"]), HasSubstr("/Helvetica"));
    EXPECT_EQ(first->view.width(), 200);
    EXPECT_EQ(second->view.width(), 100);
    EXPECT_EQ(second->view.rotation, 90);
    EXPECT_EQ(file->PagesRoot()->kids, "3 0 R 4 0 R ");
  }
}

// The corners of what is shown, from the lower left one on.
TEST(PdfSource, Views_LieInTheCropBox) {
  const auto corner = [](const PageView& view, double u, double v) {
    const auto m = view.FromShown();
    return std::pair(m[0] * u + m[2] * v + m[4], m[1] * u + m[3] * v + m[5]);
  };
  for (const int turn : {0, 90, 180, 270, -90, 450}) {
    const std::string bytes = PdfOf(
        {"<< /Pages 2 0 R >>", "<< /Kids [3 0 R] /Count 1 >>",
         "<< /Parent 2 0 R /MediaBox [400 0 0 300] /CropBox [10 20 110 500] "
         "/Rotate " +
             std::to_string(turn) + " >>"});
    auto file = SourceFile::Open(bytes);
    ASSERT_TRUE(file.ok()) << file.status().message();
    const PageView view = file->Page(0)->view;
    const std::vector<std::pair<double, double>> around = {
        {10, 20}, {110, 20}, {110, 300}, {10, 300}};
    // Turned clockwise, the left lower corner is where the right lower one was.
    const size_t first = static_cast<size_t>((turn + 360) / 90) % 4;
    EXPECT_EQ(corner(view, 0, 0), around[first]) << turn;
    EXPECT_EQ(corner(view, view.width(), 0), around[(first + 1) % 4]) << turn;
    EXPECT_EQ(corner(view, view.width(), view.height()),
              around[(first + 2) % 4])
        << turn;
  }
}

TEST(PdfSource, Updates_HideOlderObjects) {
  const std::string old = PdfOf(TwoPagesWithLinks());
  const std::string table = std::to_string(old.rfind("xref\n0"));
  const size_t page = old.size();
  std::string bytes =
      old + "3 0 obj\n<< /Parent 2 0 R /MediaBox [0 0 7 8] >>\nendobj\n";
  const size_t start = bytes.size();
  bytes += "xref\n3 1\n" + TenDigits(page) +
           " 00000 n \ntrailer\n<< /Size 8 "
           "/Root 1 0 R /Prev " +
           table + " >>\nstartxref\n" + std::to_string(start) + "\n%%EOF\n";
  auto file = SourceFile::Open(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->Page(0)->view.height(), 8);
  EXPECT_EQ(file->Page(1)->view.height(), 200);
  EXPECT_EQ(file->table(), start);
}

TEST(PdfSource, PackedRows_AreUnpacked) {
  // Rows by every kind of prediction: 1 2 3 each.
  std::string rows;
  rows += std::string("\0\1\2\3", 4) + std::string("\1\1\1\1", 4) +
          std::string("\2\0\0\0", 4) + std::string("\3\1\1\1", 4) +
          std::string("\4\0\0\0", 4);
  auto packed = Deflate(rows);
  ASSERT_TRUE(packed.ok());
  const std::string object =
      "1 0 obj\n<< /Type /XRef /W [1 1 1] /Size 5 /Filter [/FlateDecode] "
      "/DecodeParms [<< /Predictor 15 /Columns 3 >>] /Length " +
      std::to_string(packed->size()) + " >>\nstream\r\n" + *packed +
      "\nendstream\nendobj\n";
  // All five are objects of stream 2, which is none.
  const auto file =
      SourceFile::Open("%PDF-1.5\n" + object + "startxref\n9\n%%EOF\n");
  EXPECT_EQ(file.status().code(), Code::kMalformed);
}

TEST(PdfSource, FilesThatCannotBeKept_SayWhy) {
  const auto error = [](const std::string& bytes) {
    auto file = SourceFile::Open(bytes);
    return std::string(file.ok() ? "" : file.status().message());
  };
  EXPECT_THAT(error("GIF89a"), HasSubstr("%PDF-"));
  EXPECT_THAT(error(PdfOf(TwoPagesWithLinks(), "/Encrypt 5 0 R ")),
              HasSubstr("encrypted"));
  auto objects = TwoPagesWithLinks();
  objects[1] = "<< /Kids [3 0 R 3 0 R] /MediaBox [0 0 1 1] >>";
  EXPECT_THAT(error(PdfOf(objects)), HasSubstr("twice"));
  objects[1] = "<< /Kids [3 0 R 2 0 R] /MediaBox [0 0 1 1] >>";
  EXPECT_THAT(error(PdfOf(objects)), HasSubstr("twice"));
  objects[1] = "<< /Kids [] /MediaBox [0 0 1 1] >>";
  EXPECT_THAT(error(PdfOf(objects)), HasSubstr("no pages"));
  std::string circle = PdfOf(TwoPagesWithLinks());
  const std::string table = std::to_string(circle.rfind("xref\n0"));
  circle = PdfOf(TwoPagesWithLinks(), "/Prev " + table + " ");
  EXPECT_THAT(error(circle), HasSubstr("circle"));
}

TEST(PdfSource, DamagedFiles_NeverEndTheProgram) {
  for (const std::string& whole :
       {PdfOf(TwoPagesWithLinks()), PackedFileOf(TwoPagesWithLinks())}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const char c : {'\0', '9', '[', '>'}) {
        std::string bytes = whole;
        bytes[i] = c;
        auto file = SourceFile::Open(bytes);
        if (!file.ok()) continue;
        for (size_t page = 0; page < file->pages(); ++page)
          EXPECT_TRUE(file->Page(page).ok());
      }
      std::string cut = whole.substr(0, i);
      EXPECT_FALSE(SourceFile::Open(cut).ok() &&
                   cut.find("startxref") == cut.npos);
    }
  }
}

TEST(PdfSource, Files_AreKnownAgain) {
  const std::string bytes = PdfOf(TwoPagesWithLinks());
  const auto file = SourceFile::Open(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->IsOf(std::string(bytes)));
  std::string other = bytes;
  other[other.size() / 2] ^= 1;
  EXPECT_FALSE(file->IsOf(other));
  EXPECT_FALSE(file->IsOf(bytes + "\n"));
}

TEST(Inflate, Limits_AreKept) {
  const std::string bytes(100'000, 'a');
  const auto packed = Deflate(bytes);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(*Inflate(*packed, bytes.size()), bytes);
  EXPECT_EQ(Inflate(*packed, bytes.size() - 1).status().code(),
            Code::kOutOfMemory);
  EXPECT_EQ(Inflate(packed->substr(0, packed->size() / 2), bytes.size())
                .status()
                .code(),
            Code::kMalformed);
  EXPECT_EQ(Inflate("", 1).status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::document::pdf
