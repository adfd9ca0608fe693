// Lines, words and characters of documents.
#include "munja/document.h"

#include "capi/reading/document_arrays.h"
#include "capi/reading/document_parts.h"
#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"

using munja::Status;
using munja::capi::At;
using munja::capi::CopyQuad;
using munja::capi::Guard;
using munja::capi::LineIndex;
using munja::capi::RequireAll;
using munja::document::Line;

extern "C" {

void munja_document_free(munja_document* document) { delete document; }

int32_t munja_document_width(const munja_document* document) {
  return document ? document->document.width : 0;
}

int32_t munja_document_height(const munja_document* document) {
  return document ? document->document.height : 0;
}

int32_t munja_document_line_count(const munja_document* document) {
  return document ? static_cast<int32_t>(document->document.lines.size()) : 0;
}

munja_status munja_document_line(const munja_document* document, int32_t index,
                                 munja_line* line) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, line));
    MUNJA_ASSIGN_OR_RETURN(const size_t i, LineIndex(document, index));
    const Line& read = document->document.lines[i];
    munja_line result = {};
    result.text = read.text.c_str();
    result.confidence = read.confidence;
    CopyQuad(read.polygon, result.polygon);
    result.block = read.block;
    result.row = read.row;
    result.direction = munja::capi::DirectionCode(read);
    const auto [from, to] = munja::document::BaselineOf(read);
    result.baseline[0] = from.x;
    result.baseline[1] = from.y;
    result.baseline[2] = to.x;
    result.baseline[3] = to.y;
    if (!read.unknown_writing.empty())
      result.unknown_script = read.unknown_writing.c_str();
    return munja::capi::WriteStruct(result, line);
  });
}

int32_t munja_document_word_count(const munja_document* document,
                                  int32_t line) {
  if (document == nullptr || line < 0 ||
      static_cast<size_t>(line) >= document->words.size())
    return 0;
  return static_cast<int32_t>(
      document->words[static_cast<size_t>(line)].size());
}

munja_status munja_document_word(const munja_document* document, int32_t line,
                                 int32_t index, munja_word* word) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, word));
    MUNJA_ASSIGN_OR_RETURN(const size_t i, LineIndex(document, line));
    MUNJA_ASSIGN_OR_RETURN(const munja::document::Word* read,
                           At(document->words[i], index, "word"));
    munja_word result = {};
    result.text = read->text.c_str();
    result.confidence = read->confidence;
    CopyQuad(read->polygon, result.polygon);
    result.first_character = static_cast<int32_t>(read->begin);
    result.character_count = static_cast<int32_t>(read->end - read->begin);
    return munja::capi::WriteStruct(result, word);
  });
}

int32_t munja_document_character_count(const munja_document* document,
                                       int32_t line) {
  if (document == nullptr || line < 0 ||
      static_cast<size_t>(line) >= document->document.lines.size())
    return 0;
  return static_cast<int32_t>(
      document->document.lines[static_cast<size_t>(line)].characters.size());
}

munja_status munja_document_character(const munja_document* document,
                                      int32_t line, int32_t index,
                                      munja_character* character) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, character));
    MUNJA_ASSIGN_OR_RETURN(const size_t i, LineIndex(document, line));
    MUNJA_ASSIGN_OR_RETURN(
        const munja::document::Character* read,
        At(document->document.lines[i].characters, index, "character"));
    munja_character result = {};
    result.text = read->text.c_str();
    result.confidence = read->confidence;
    CopyQuad(read->polygon, result.polygon);
    result.alternative_count = static_cast<int32_t>(read->alternatives.size());
    return munja::capi::WriteStruct(result, character);
  });
}

munja_status munja_document_alternative(const munja_document* document,
                                        int32_t line, int32_t character,
                                        int32_t index,
                                        munja_alternative* alternative) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, alternative));
    MUNJA_ASSIGN_OR_RETURN(const size_t i, LineIndex(document, line));
    MUNJA_ASSIGN_OR_RETURN(
        const munja::document::Character* of,
        At(document->document.lines[i].characters, character, "character"));
    MUNJA_ASSIGN_OR_RETURN(const munja::document::Alternative* read,
                           At(of->alternatives, index, "alternative"));
    munja_alternative result = {};
    result.text = read->text.c_str();
    result.confidence = read->confidence;
    return munja::capi::WriteStruct(result, alternative);
  });
}

}  // extern "C"
