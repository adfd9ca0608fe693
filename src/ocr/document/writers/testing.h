// Documents for tests of writers.
#ifndef MUNJA_DOCUMENT_WRITERS_TESTING_H_
#define MUNJA_DOCUMENT_WRITERS_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "document/writers/writer.h"

namespace munja::document {

inline geometry::Quad Rectangle(float left, float top, float right,
                                float bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

// 200 x 100 pixels: "ab <&>" with characters, then, in a block of its own, "cd"
// without.
inline Document TwoBlocks() {
  Document document;
  document.source = "a \"b\" & c.png";
  document.model = "tiny";
  document.width = 200;
  document.height = 100;
  Line line;
  line.text = "ab <&>";
  line.confidence = 0.9f;
  line.polygon = Rectangle(10, 10, 90, 30);
  line.characters = {{"a", 1.0f, Rectangle(10, 14, 20, 28), {{"o", 0.125f}}},
                     {"b", 0.5f, Rectangle(20, 12, 30, 28)},
                     {" ", 1.0f, Rectangle(30, 12, 60, 28)},
                     {"<", 0.5f, Rectangle(60, 12, 70, 28)},
                     {"&", 0.5f, Rectangle(70, 12, 80, 28)},
                     {">", 0.5f, Rectangle(80, 12, 90, 28)}};
  document.lines.push_back(line);
  Line plain;
  plain.text = "cd";
  plain.confidence = 0.25f;
  plain.polygon = Rectangle(10, 50, 50, 70);
  plain.block = 1;
  document.lines.push_back(plain);
  return document;
}

// 200 x 100 pixels, one block: "Bread" and "7.80" side by side in a row,
// "Total" below.
inline Document OneRow() {
  Document document;
  document.width = 200;
  document.height = 100;
  document.lines = {{"Bread", 0.75f, Rectangle(10, 10, 60, 30), 0, 0},
                    {"7.80", 0.5f, Rectangle(150, 12, 190, 32), 0, 0},
                    {"Total", 0.25f, Rectangle(10, 40, 60, 60), 0, 1}};
  return document;
}

inline std::string Written(std::string_view format,
                           const std::vector<Document>& documents) {
  std::vector<WriterPage> pages;
  for (const Document& document : documents) pages.push_back({document});
  const Writer* const writer = FindWriter(format);
  if (writer == nullptr) {
    ADD_FAILURE() << "no writer " << format;
    return "";
  }
  auto file = WritePages(*writer, pages);
  EXPECT_TRUE(file.ok());
  return file.ok() ? *file : std::string();
}

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_TESTING_H_
