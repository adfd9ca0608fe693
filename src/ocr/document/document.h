// Document: what was read from an image.
#ifndef MUNJA_DOCUMENT_DOCUMENT_H_
#define MUNJA_DOCUMENT_DOCUMENT_H_

#include <string>
#include <vector>

#include "geometry/quad.h"

namespace munja::document {

// Another candidate for a character.
struct Alternative {
  std::string text;
  float confidence = 0;
};

// A character of a line; spaces are characters, too.
struct Character {
  std::string text;      // UTF-8; one symbol of the reader's alphabet.
  float confidence = 0;  // The network's probability.
  // Page pixels, clockwise from the character's own top-left: around its ink.
  geometry::Quad polygon{};
  std::vector<Alternative> alternatives = {};  // The most likely first.
};

struct Line {
  std::string text;      // UTF-8.
  float confidence = 0;  // In [0, 1].
  // Page pixels, clockwise from the top-left of the text in its own reading
  // direction.
  geometry::Quad polygon{};
  // Lines of one paragraph, column or table part have the same number; it
  // grows along the document.
  int block = 0;
  // Lines that stand side by side and read on from one to the next, the cells
  // of a table's row or an item and its amount, have the same number; it grows
  // along the document. -1: the line is a row by itself.
  int row = -1;
  // Not empty: the reader does not know the writing; the text is empty unless
  // this one line was asked for. A guess at what it is: "cyrillic", "cjk",
  // "other".
  std::string unknown_writing = {};
  // Their texts in a row are the line's. Empty where only the line is known.
  std::vector<Character> characters = {};
};

// Milliseconds.
struct Timing {
  double decode = 0, detect = 0, recognize = 0, total = 0;
};

struct Document {
  std::string source;  // As the caller named it.
  std::string model;
  int width = 0, height = 0;  // Size of the upright image in pixels.
  std::vector<Line> lines;    // In reading order.
  Timing timing;
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_DOCUMENT_H_
