// Parts of documents: blocks of lines, words of lines, and where they are.
#ifndef MUNJA_DOCUMENT_WORDS_H_
#define MUNJA_DOCUMENT_WORDS_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"
#include "geometry/quad.h"

namespace munja::document {

// A word, separated by white space; a line of a script without spaces is one
// word.
struct Word {
  std::string text;
  float confidence = 0;  // Mean of the characters'.
  // Around its characters, its sides along and across the line.
  geometry::Quad polygon{};
  // The range [begin, end) of the line's characters; both 0 if it has none.
  size_t begin = 0, end = 0;
};

// Where the line has no characters its words have their shares of its length.
std::vector<Word> WordsOf(const Line& line);

// As seen on the page.
enum class Direction { kLeftToRight, kRightToLeft, kDownwards, kUpwards };
Direction DirectionOf(const Line& line);

// Where the line's letters stand, from its start to its end.
std::array<geometry::Point, 2> BaselineOf(const Line& line);

// The upright rectangle around a quad, in whole pixels; never empty, at least
// 0, and inside of width x height where these are not 0.
struct PixelBox {
  int left = 0, top = 0, right = 0, bottom = 0;
  int width() const { return right - left; }
  int height() const { return bottom - top; }
};
PixelBox BoxOf(const geometry::Quad& quad, int width, int height);
// Around both.
PixelBox Union(const PixelBox& a, const PixelBox& b);

// Whether the second line goes on in the row of the first.
bool AreOneRow(const Line& first, const Line& second);

// Lines of one block, those without text left out.
struct Block {
  int number = 0;  // Line::block.
  std::vector<size_t> lines;
  PixelBox box;
};
std::vector<Block> BlocksOf(const Document& document);

// A row of a block: the lines that go on from one to the next, or one alone.
struct TextRow {
  std::vector<size_t> lines;
  PixelBox box;
};
std::vector<TextRow> TextRowsOf(const Document& document, const Block& block);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WORDS_H_
