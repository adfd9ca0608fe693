// Parts of documents and the files that they become, by the C interface.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/tools/testing.h"
#include "munja/document.h"
#include "munja/writer.h"

namespace munja::capi {
namespace {

geometry::Quad Rectangle(float left, float top, float right, float bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

// "a b" in block 1, "c", of which no characters are known, in block 2.
munja_document* TwoLines() {
  document::Document read;
  read.width = 100;
  read.height = 60;
  read.model = "tiny";
  document::Line line;
  line.text = "a b";
  line.confidence = 0.5f;
  line.block = 1;
  line.row = 4;
  line.polygon = Rectangle(10, 10, 70, 30);
  line.characters = {
      {"a", 0.75f, Rectangle(10, 12, 30, 28), {{"o", 0.25f}, {"e", 0.125f}}},
      {" ", 1, Rectangle(30, 12, 50, 28)},
      {"b", 0.5f, Rectangle(50, 12, 70, 28)}};
  read.lines.push_back(line);
  document::Line other;
  other.text = "c";
  other.block = 2;
  other.polygon = {{{20, 30}, {20, 50}, {10, 50}, {10, 30}}};
  read.lines.push_back(other);
  return new munja_document(std::move(read));
}

using DocumentHandle = Handle<munja_document, munja_document_free>;
using WriterHandle = Handle<munja_writer, munja_writer_free>;

template <class Part, class Get>
Part Read(Get get) {
  Part part = {};
  part.struct_size = sizeof part;
  EXPECT_EQ(get(&part), MUNJA_OK);
  return part;
}

TEST(DocumentParts, WordsAndCharacters_AreThoseOfTheLine) {
  const DocumentHandle document(TwoLines());
  const auto word = [&](int32_t i) {
    return Read<munja_word>([&](munja_word* w) {
      return munja_document_word(document.get(), 0, i, w);
    });
  };
  const auto character = [&](int32_t i) {
    return Read<munja_character>([&](munja_character* c) {
      return munja_document_character(document.get(), 0, i, c);
    });
  };
  ASSERT_EQ(munja_document_word_count(document.get(), 0), 2);
  EXPECT_STREQ(word(0).text, "a");
  EXPECT_EQ(word(0).confidence, 0.75f);
  EXPECT_EQ(word(0).polygon[0], 10);
  EXPECT_EQ(word(0).polygon[5], 28);
  EXPECT_EQ(word(0).first_character, 0);
  EXPECT_EQ(word(0).character_count, 1);
  EXPECT_STREQ(word(1).text, "b");
  EXPECT_EQ(word(1).first_character, 2);
  ASSERT_EQ(munja_document_character_count(document.get(), 0), 3);
  EXPECT_STREQ(character(1).text, " ");
  EXPECT_EQ(character(2).polygon[0], 50);
  ASSERT_EQ(character(0).alternative_count, 2);
  EXPECT_EQ(character(2).alternative_count, 0);
  const auto other = Read<munja_alternative>([&](munja_alternative* a) {
    return munja_document_alternative(document.get(), 0, 0, 1, a);
  });
  EXPECT_STREQ(other.text, "e");
  EXPECT_EQ(other.confidence, 0.125f);
  EXPECT_EQ(munja_document_word_count(document.get(), 1), 1);
  EXPECT_EQ(munja_document_character_count(document.get(), 1), 0);
}

munja_line LineAt(const munja_document* document, int32_t i) {
  return Read<munja_line>(
      [&](munja_line* l) { return munja_document_line(document, i, l); });
}

TEST(DocumentParts, Lines_HaveTheirLayout) {
  const DocumentHandle document(TwoLines());
  const munja_line first = LineAt(document.get(), 0);
  EXPECT_STREQ(first.text, "a b");
  EXPECT_EQ(first.block, 1);
  EXPECT_EQ(first.direction, MUNJA_DIRECTION_LEFT_TO_RIGHT);
  EXPECT_EQ(first.baseline[0], 10);
  EXPECT_EQ(first.baseline[1], 28);
  EXPECT_EQ(first.baseline[2], 70);
  EXPECT_EQ(first.row, 4);
  EXPECT_EQ(first.unknown_script, nullptr);
  const munja_line second = LineAt(document.get(), 1);
  EXPECT_EQ(second.row, -1);
  EXPECT_EQ(second.block, 2);
  EXPECT_EQ(second.direction, MUNJA_DIRECTION_DOWN);
}

// The arrays of the view say what the functions for single parts do.
TEST(DocumentView, Arrays_AgreeWithTheParts) {
  const DocumentHandle document(TwoLines());
  const auto view = Read<munja_document_view>([&](munja_document_view* v) {
    return munja_document_get_view(document.get(), v);
  });
  EXPECT_EQ(std::string(view.text, view.text_size), "a b\nc\n");
  ASSERT_EQ(view.line_count, 2u);
  ASSERT_EQ(view.word_count, 3u);
  ASSERT_EQ(view.character_count, 3u);
  const auto text = [&](const auto& part) {
    return std::string(view.text + part.text_begin, part.text_size);
  };
  for (size_t i = 0; i < view.line_count; ++i) {
    const munja_line_view& l = view.lines[i];
    const munja_line line = LineAt(document.get(), static_cast<int32_t>(i));
    EXPECT_EQ(text(l), line.text);
    EXPECT_EQ(l.block, line.block);
    EXPECT_EQ(l.row, line.row);
    EXPECT_EQ(l.direction, static_cast<int32_t>(line.direction));
    EXPECT_EQ(l.polygon[5], line.polygon[5]);
    EXPECT_EQ(l.baseline[3], line.baseline[3]);
    ASSERT_EQ(
        static_cast<int32_t>(l.word_count),
        munja_document_word_count(document.get(), static_cast<int32_t>(i)));
    for (uint32_t k = 0; k < l.word_count; ++k) {
      const munja_word_view& w = view.words[l.word_begin + k];
      const auto word = Read<munja_word>([&](munja_word* out) {
        return munja_document_word(document.get(), static_cast<int32_t>(i),
                                   static_cast<int32_t>(k), out);
      });
      EXPECT_EQ(text(w), word.text);
      EXPECT_EQ(w.line, i);
      EXPECT_EQ(w.confidence, word.confidence);
      EXPECT_EQ(w.polygon[0], word.polygon[0]);
      EXPECT_EQ(static_cast<int32_t>(w.character_count), word.character_count);
    }
  }
  EXPECT_EQ(text(view.characters[2]), "b");
  EXPECT_EQ(view.characters[2].polygon[0], 50);
}

TEST(DocumentParts, MissingPart_IsRefused) {
  const DocumentHandle document(TwoLines());
  munja_word word = {};
  munja_character character = {};
  munja_alternative other = {};
  munja_line line = {};
  // Sizes that are not set.
  EXPECT_EQ(munja_document_word(document.get(), 0, 0, &word),
            MUNJA_INVALID_ARGUMENT);
  word.struct_size = sizeof word;
  character.struct_size = sizeof character;
  other.struct_size = sizeof other;
  line.struct_size = sizeof line;
  for (const int32_t bad : {-1, 3}) {
    EXPECT_EQ(munja_document_word(document.get(), bad, 0, &word),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_word(document.get(), 0, bad, &word),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_character(document.get(), bad, 0, &character),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_character(document.get(), 0, bad, &character),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_alternative(document.get(), 0, 0, bad, &other),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_alternative(document.get(), 0, bad, 0, &other),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_line(document.get(), bad, &line),
              MUNJA_INVALID_ARGUMENT);
    EXPECT_EQ(munja_document_word_count(document.get(), bad), 0);
    EXPECT_EQ(munja_document_character_count(document.get(), bad), 0);
  }
  EXPECT_EQ(munja_document_word_count(nullptr, 0), 0);
  EXPECT_EQ(munja_document_character_count(nullptr, 0), 0);
  // A caller that knows less of a word gets what it has room for.
  munja_word half = {};
  half.struct_size = offsetof(munja_word, confidence);
  half.confidence = -1;
  EXPECT_EQ(munja_document_word(document.get(), 0, 0, &half), MUNJA_OK);
  EXPECT_STREQ(half.text, "a");
  EXPECT_EQ(half.confidence, -1);
}

TEST(Writers, Formats_AreListed) {
  bool has_pdf = false;
  for (int32_t i = 0; i < munja_format_count(); ++i) {
    munja_format format = {};
    format.struct_size = sizeof format;
    ASSERT_EQ(munja_format_get(i, &format), MUNJA_OK);
    if (std::string(format.name) != "pdf") continue;
    has_pdf = true;
    EXPECT_STREQ(format.extension, "pdf");
    EXPECT_STREQ(format.media_type, "application/pdf");
  }
  EXPECT_TRUE(has_pdf);
  munja_format format = {};
  format.struct_size = sizeof format;
  EXPECT_EQ(munja_format_get(-1, &format), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_format_get(munja_format_count(), &format),
            MUNJA_INVALID_ARGUMENT);
  munja_writer* writer = nullptr;
  EXPECT_EQ(munja_writer_create("docx", nullptr, &writer), MUNJA_NOT_FOUND);
  EXPECT_NE(std::string(munja_last_error()).find("text, json"),
            std::string::npos)
      << munja_last_error();
}

std::string Take(munja_writer* writer) {
  char* bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(munja_writer_take(writer, &bytes, &size), MUNJA_OK);
  const Handle<char, munja_free> owner(bytes);
  return std::string(bytes, size);
}

WriterHandle MakeWriter(const char* format,
                        const munja_writer_options* options = nullptr) {
  munja_writer* writer = nullptr;
  EXPECT_EQ(munja_writer_create(format, options, &writer), MUNJA_OK);
  return WriterHandle(writer);
}

munja_page PageOf(const DocumentHandle& document) {
  munja_page page = {};
  page.struct_size = sizeof page;
  page.document = document.get();
  return page;
}

TEST(Writers, Pages_AreWrittenOneByOne) {
  const DocumentHandle document(TwoLines());
  const munja_page page = PageOf(document);
  const WriterHandle writer = MakeWriter("tsv");
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_OK);
  const std::string first = Take(writer.get());
  EXPECT_NE(first.find("\t75\ta\n"), std::string::npos) << first;
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_OK);
  EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_OK);
  EXPECT_TRUE(Take(writer.get()).starts_with("1\t2\t"));
  EXPECT_EQ(Take(writer.get()), "");
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_INVALID_ARGUMENT);
}

// A sink has all of a page when the call that adds it returns, whatever the
// format: a book is never in memory as a whole.
TEST(Writers, Sink_GetsEachPageAsItIsAdded) {
  const DocumentHandle document(TwoLines());
  munja_page page = PageOf(document);
  for (int32_t i = 0; i < munja_format_count(); ++i) {
    munja_format format = {};
    format.struct_size = sizeof format;
    ASSERT_EQ(munja_format_get(i, &format), MUNJA_OK);
    if (std::string(format.name) == "png") continue;  // One page a file.
    std::string got;
    munja_writer_options options = {};
    options.struct_size = sizeof options;
    options.user = &got;
    options.sink = [](void* user, const void* bytes, size_t size) -> int32_t {
      static_cast<std::string*>(user)->append(static_cast<const char*>(bytes),
                                              size);
      return 0;
    };
    const WriterHandle writer = MakeWriter(format.name, &options);
    const WriterHandle whole = MakeWriter(format.name);
    for (const char* source : {"1.jpg", "2.jpg"}) {
      page.source = source;
      const size_t before = got.size();
      EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_OK);
      EXPECT_GT(got.size(), before) << format.name << " " << source;
      EXPECT_EQ(munja_writer_add(whole.get(), &page), MUNJA_OK);
    }
    EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_OK);
    EXPECT_EQ(munja_writer_finish(whole.get()), MUNJA_OK);
    EXPECT_EQ(got, Take(whole.get())) << format.name;
  }
}

// The file at a path is the old one until the new one is complete.
TEST(Writers, Path_IsReplacedAsAWhole) {
  const std::string folder = ::testing::TempDir() + "munja_writer_path";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/book.tsv";
  const auto text = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  };
  std::ofstream(path) << "old";
  munja_writer_options options = {};
  options.struct_size = sizeof options;
  options.path = path.c_str();
  const DocumentHandle document(TwoLines());
  const munja_page page = PageOf(document);
  for (const bool is_finished : {false, true}) {
    WriterHandle writer = MakeWriter("tsv", &options);
    EXPECT_EQ(files(), 1);
    EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_OK);
    EXPECT_EQ(files(), 2);
    EXPECT_EQ(text(), "old");
    char* bytes = nullptr;
    size_t size = 0;
    EXPECT_EQ(munja_writer_take(writer.get(), &bytes, &size),
              MUNJA_INVALID_ARGUMENT);
    if (is_finished) {
      EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_OK);
    }
    writer.reset();
    EXPECT_EQ(files(), 1);
    if (is_finished) {
      EXPECT_NE(text().find("\t75\ta\n"), std::string::npos) << text();
    } else {
      EXPECT_EQ(text(), "old");
    }
  }
  options.path = "/no/such/folder/book.tsv";
  const WriterHandle writer = MakeWriter("tsv", &options);
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_IO);
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_INVALID_ARGUMENT);
  options.sink = [](void*, const void*, size_t) -> int32_t { return 0; };
  munja_writer* both = nullptr;
  EXPECT_EQ(munja_writer_create("tsv", &options, &both),
            MUNJA_INVALID_ARGUMENT);
  std::filesystem::remove_all(folder);
}

// The error of a call reaches the caller's struct, not this thread alone.
TEST(Writers, Errors_BelongToTheCall) {
  munja_error error = {};
  error.struct_size = sizeof error;
  munja_writer_options options = {};
  options.struct_size = sizeof options;
  options.error = &error;
  munja_writer* none = nullptr;
  EXPECT_EQ(munja_writer_create("docx", &options, &none), MUNJA_NOT_FOUND);
  EXPECT_EQ(error.status, MUNJA_NOT_FOUND);
  EXPECT_STREQ(error.message, munja_last_error());
  options.sink = [](void*, const void*, size_t) -> int32_t { return 1; };
  const WriterHandle writer = MakeWriter("tsv", &options);
  const DocumentHandle document(TwoLines());
  const munja_page page = PageOf(document);
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_IO);
  EXPECT_EQ(error.status, MUNJA_IO);
  EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_INVALID_ARGUMENT);
}

// A JPEG's bytes are in the file where it is the image that was read.
TEST(Writers, Pdf_EmbedsTheImage) {
  const DocumentHandle document(TwoLines());
  const std::string jpeg(
      "\xFF\xD8\xFF\xC0\x00\x08\x08\x00\x3C\x00\x64\x03\xFF\xD9", 14);
  for (const bool fits : {true, false}) {
    std::string file = jpeg;
    if (!fits) file[8] = '\x3D';
    const WriterHandle writer = MakeWriter("pdf");
    munja_page page = PageOf(document);
    page.source = "a.jpg";
    page.file = file.data();
    page.file_size = file.size();
    EXPECT_EQ(munja_writer_add(writer.get(), &page), MUNJA_OK);
    EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_OK);
    EXPECT_EQ(Take(writer.get()).find(file) != std::string::npos, fits);
  }
  const std::string ppm = "P6 100 60 255\n" + std::string(100 * 60 * 3, 'x');
  munja_image* decoded = nullptr;
  ASSERT_EQ(munja_image_decode(ppm.data(), ppm.size(), nullptr, &decoded),
            MUNJA_OK);
  const Handle<munja_image, munja_image_free> image(decoded);
  const WriterHandle writer = MakeWriter("pdf");
  munja_page shown = PageOf(document);
  shown.image = image.get();
  shown.dpi = 36;
  EXPECT_EQ(munja_writer_add(writer.get(), &shown), MUNJA_OK);
  EXPECT_EQ(munja_writer_finish(writer.get()), MUNJA_OK);
  const std::string file = Take(writer.get());
  EXPECT_NE(file.find("/Width 100 /Height 60"), std::string::npos);
  EXPECT_NE(file.find("/MediaBox [0 0 200 120 ]"), std::string::npos);
  munja_page page = {};
  page.struct_size = sizeof page;
  page.document = document.get();
  page.dpi = -1;
  munja_writer* raw = nullptr;
  ASSERT_EQ(munja_writer_create("pdf", nullptr, &raw), MUNJA_OK);
  EXPECT_EQ(munja_writer_add(raw, &page), MUNJA_INVALID_ARGUMENT);
  munja_writer_free(raw);
}

}  // namespace
}  // namespace munja::capi
