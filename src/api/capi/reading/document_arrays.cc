#include "capi/reading/document_arrays.h"

#include <cstddef>
#include <cstdint>

namespace munja::capi {
namespace {

uint32_t Number(size_t value) { return static_cast<uint32_t>(value); }

}  // namespace

void CopyQuad(const geometry::Quad& quad, float* polygon) {
  for (size_t i = 0; i < 4; ++i) {
    polygon[2 * i] = quad[i].x;
    polygon[2 * i + 1] = quad[i].y;
  }
}

munja_direction DirectionCode(const document::Line& line) {
  switch (document::DirectionOf(line)) {
    case document::Direction::kRightToLeft:
      return MUNJA_DIRECTION_RIGHT_TO_LEFT;
    case document::Direction::kDownwards:
      return MUNJA_DIRECTION_DOWN;
    case document::Direction::kUpwards:
      return MUNJA_DIRECTION_UP;
    default:
      return MUNJA_DIRECTION_LEFT_TO_RIGHT;
  }
}

DocumentArrays MakeArrays(const document::Document& document,
                          std::span<const std::vector<document::Word>> words) {
  DocumentArrays arrays;
  for (size_t i = 0; i < document.lines.size(); ++i) {
    const document::Line& line = document.lines[i];
    munja_line_view& l = arrays.lines.emplace_back();
    l.text_begin = Number(arrays.text.size());
    l.text_size = Number(line.text.size());
    l.word_begin = Number(arrays.words.size());
    l.word_count = Number(words[i].size());
    l.character_begin = Number(arrays.characters.size());
    l.character_count = Number(line.characters.size());
    l.confidence = line.confidence;
    CopyQuad(line.polygon, l.polygon);
    const auto [from, to] = document::BaselineOf(line);
    l.baseline[0] = from.x;
    l.baseline[1] = from.y;
    l.baseline[2] = to.x;
    l.baseline[3] = to.y;
    l.block = line.block;
    l.row = line.row;
    l.direction = DirectionCode(line);
    // Characters follow each other in the text of the line, and so do words,
    // with white space between them.
    size_t at = 0;
    for (const document::Character& character : line.characters) {
      munja_character_view& c = arrays.characters.emplace_back();
      c.text_begin = Number(l.text_begin + at);
      c.text_size = Number(character.text.size());
      c.confidence = character.confidence;
      CopyQuad(character.polygon, c.polygon);
      at += character.text.size();
    }
    size_t from_here = 0;
    for (const document::Word& word : words[i]) {
      munja_word_view& w = arrays.words.emplace_back();
      const size_t found = line.text.find(word.text, from_here);
      const size_t begin = found == line.text.npos ? from_here : found;
      w.text_begin = Number(l.text_begin + begin);
      w.text_size = Number(word.text.size());
      w.line = Number(i);
      w.character_begin = Number(l.character_begin + word.begin);
      w.character_count = Number(word.end - word.begin);
      w.confidence = word.confidence;
      CopyQuad(word.polygon, w.polygon);
      from_here = begin + word.text.size();
    }
    arrays.text += line.text;
    arrays.text += '\n';
  }
  return arrays;
}

}  // namespace munja::capi
