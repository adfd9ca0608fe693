// A document as flat arrays, for bindings.
#ifndef MUNJA_CAPI_READING_DOCUMENT_ARRAYS_H_
#define MUNJA_CAPI_READING_DOCUMENT_ARRAYS_H_

#include <span>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/words.h"
#include "geometry/quad.h"
#include "munja/document.h"

namespace munja::capi {

struct DocumentArrays {
  std::string text;
  std::vector<munja_line_view> lines;
  std::vector<munja_word_view> words;
  std::vector<munja_character_view> characters;
};

// `words` are those of each line.
DocumentArrays MakeArrays(const document::Document& document,
                          std::span<const std::vector<document::Word>> words);

// Writes the corners as x0, y0, x1, y1, ...
void CopyQuad(const geometry::Quad& quad, float* polygon);

munja_direction DirectionCode(const document::Line& line);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_DOCUMENT_ARRAYS_H_
