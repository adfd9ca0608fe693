// Parts of documents and the files that they become, by the C interface.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "capi/reading/handles.h"
#include "munja/munja.hpp"

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

TEST(DocumentParts, WordsAndCharacters) {
  const api::Document document(TwoLines());
  const auto words = document.words(0);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_STREQ(words[0].text, "a");
  EXPECT_EQ(words[0].confidence, 0.75f);
  EXPECT_EQ(words[0].polygon[0], 10);
  EXPECT_EQ(words[0].polygon[5], 28);
  EXPECT_EQ(words[0].first_character, 0);
  EXPECT_EQ(words[0].character_count, 1);
  EXPECT_STREQ(words[1].text, "b");
  EXPECT_EQ(words[1].first_character, 2);
  const auto characters = document.characters(0);
  ASSERT_EQ(characters.size(), 3u);
  EXPECT_STREQ(characters[1].text, " ");
  EXPECT_EQ(characters[2].polygon[0], 50);
  const auto others = document.alternatives(0, 0);
  ASSERT_EQ(others.size(), 2u);
  EXPECT_STREQ(others[1].text, "e");
  EXPECT_EQ(others[1].confidence, 0.125f);
  EXPECT_TRUE(document.alternatives(0, 2).empty());
  EXPECT_EQ(document.words(1).size(), 1u);
  EXPECT_TRUE(document.characters(1).empty());
}

TEST(DocumentParts, Layout) {
  const api::Document document(TwoLines());
  EXPECT_EQ(document.layout(0).block, 1);
  EXPECT_EQ(document.layout(0).direction, MUNJA_LEFT_TO_RIGHT);
  EXPECT_EQ(document.layout(0).baseline[0], 10);
  EXPECT_EQ(document.layout(0).baseline[1], 28);
  EXPECT_EQ(document.layout(0).baseline[2], 70);
  EXPECT_EQ(document.layout(0).row, 4);
  EXPECT_EQ(document.layout(1).row, -1);
  EXPECT_EQ(document.layout(1).block, 2);
  EXPECT_EQ(document.layout(1).direction, MUNJA_DOWNWARDS);
}

TEST(DocumentParts, WhatIsNotThere) {
  const api::Document document(TwoLines());
  munja_word word = {};
  munja_character character = {};
  munja_alternative other = {};
  munja_line_layout layout = {};
  // Sizes that are not set.
  EXPECT_EQ(munja_document_word(document.get(), 0, 0, &word),
            MUNJA_INVALID_ARGUMENT);
  word.struct_size = sizeof word;
  character.struct_size = sizeof character;
  other.struct_size = sizeof other;
  layout.struct_size = sizeof layout;
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
    EXPECT_EQ(munja_document_line_layout(document.get(), bad, &layout),
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

TEST(Writers, AreListed) {
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
  EXPECT_EQ(munja_writer_create("docx", &writer), MUNJA_NOT_FOUND);
  EXPECT_NE(std::string(munja_last_error()).find("text, json"),
            std::string::npos)
      << munja_last_error();
}

TEST(Writers, WritePageByPage) {
  const api::Document document(TwoLines());
  api::Writer writer("tsv");
  writer.Add(document);
  const std::string first = writer.Take();
  EXPECT_NE(first.find("\t75\ta\n"), std::string::npos) << first;
  writer.Add(document);
  writer.Finish();
  EXPECT_TRUE(writer.Take().starts_with("1\t2\t"));
  EXPECT_EQ(writer.Take(), "");
  EXPECT_THROW(writer.Add(document), api::Error);
  EXPECT_THROW(writer.Finish(), api::Error);
}

// A JPEG's bytes are in the file where it is the picture that was read.
TEST(Writers, ShowThePicture) {
  const api::Document document(TwoLines());
  const std::string jpeg(
      "\xFF\xD8\xFF\xC0\x00\x08\x08\x00\x3C\x00\x64\x03\xFF\xD9", 14);
  for (const bool fits : {true, false}) {
    std::string file = jpeg;
    if (!fits) file[8] = '\x3D';
    api::Writer writer("pdf");
    writer.Add(document, {.source = "a.jpg", .file = file});
    writer.Finish();
    EXPECT_EQ(writer.Take().find(file) != std::string::npos, fits);
  }
  const std::string ppm = "P6 100 60 255\n" + std::string(100 * 60 * 3, 'x');
  const api::Image image = api::Image::Decode(
      {reinterpret_cast<const uint8_t*>(ppm.data()), ppm.size()});
  api::Writer writer("pdf");
  writer.Add(document, {.image = &image, .dpi = 36});
  writer.Finish();
  const std::string file = writer.Take();
  EXPECT_NE(file.find("/Width 100 /Height 60"), std::string::npos);
  EXPECT_NE(file.find("/MediaBox [0 0 200 120 ]"), std::string::npos);
  munja_page page = {};
  page.struct_size = sizeof page;
  page.document = document.get();
  page.dpi = -1;
  munja_writer* raw = nullptr;
  ASSERT_EQ(munja_writer_create("pdf", &raw), MUNJA_OK);
  EXPECT_EQ(munja_writer_add(raw, &page), MUNJA_INVALID_ARGUMENT);
  munja_writer_free(raw);
}

}  // namespace
}  // namespace munja::capi
