#include "munja/document.h"

#include <cstring>
#include <string>
#include <vector>

#include "capi/reading/handles.h"
#include "capi/reading/stage_files.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/writers/writer.h"
#include "image/encode.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::Document;
using munja::document::Line;

namespace {

Result<size_t> LineIndex(const munja_document* document, int32_t index) {
  if (index < 0 ||
      static_cast<size_t>(index) >= document->document.lines.size())
    return InvalidArgument("there is no line " + std::to_string(index));
  return static_cast<size_t>(index);
}

// The part of a line with this number.
template <class Part>
Result<const Part*> At(const std::vector<Part>& parts, int32_t index,
                       const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= parts.size())
    return InvalidArgument(std::string("there is no ") + what + " " +
                           std::to_string(index));
  return &parts[static_cast<size_t>(index)];
}

void Copy(const munja::geometry::Quad& quad, float* polygon) {
  for (size_t i = 0; i < 4; ++i) {
    polygon[2 * i] = quad[i].x;
    polygon[2 * i + 1] = quad[i].y;
  }
}

}  // namespace

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
    Copy(read.polygon, result.polygon);
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
    Copy(read->polygon, result.polygon);
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
    Copy(read->polygon, result.polygon);
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

munja_status munja_document_get_view(const munja_document* document,
                                     munja_document_view* view) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, view));
    std::call_once(document->has_view, [&] {
      document->arrays =
          munja::capi::MakeArrays(document->document, document->words);
    });
    const munja::capi::DocumentArrays& a = document->arrays;
    return munja::capi::WriteStruct(
        munja_document_view{0, a.text.c_str(), a.text.size(), a.lines.data(),
                            a.lines.size(), a.words.data(), a.words.size(),
                            a.characters.data(), a.characters.size()},
        view);
  });
}

munja_status munja_document_timing(const munja_document* document,
                                   munja_timing* timing) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, timing));
    const munja::document::Timing& t = document->document.timing;
    return munja::capi::WriteStruct(
        munja_timing{0, t.decode, t.detect, t.recognize, t.total}, timing);
  });
}

munja_status munja_document_to_text(const munja_document* document,
                                    char** text) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, text));
    return CopyText(munja::document::WriteText(document->document), text);
  });
}

munja_status munja_document_to_json(const munja_document* document,
                                    const char* source, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, source, json));
    Document named = document->document;
    named.source = source;
    MUNJA_RETURN_IF_ERROR(CopyText(munja::document::WriteJson(named), json));
    // The writer ends its line; here the caller does.
    if (size_t size = std::strlen(*json); size > 0 && (*json)[size - 1] == '\n')
      (*json)[size - 1] = 0;
    return Status();
  });
}

munja_status munja_document_write_overlay(const munja_document* document,
                                          const munja_image* image,
                                          const char* path) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, image, path));
    std::vector<munja::geometry::Quad> quads;
    for (const Line& line : document->document.lines)
      quads.push_back(line.polygon);
    MUNJA_ASSIGN_OR_RETURN(const munja::image::Image drawn,
                           munja::capi::DrawQuads(image->view(), quads));
    return munja::image::WritePng(path, drawn.view());
  });
}

}  // extern "C"
