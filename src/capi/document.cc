#include "munja/document.h"

#include <cstring>
#include <string>
#include <vector>

#include "capi/arguments.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/stage_files.h"
#include "document/writers/writer.h"
#include "image/encode.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::Document;
using munja::document::Line;

namespace {

Status Write(const Document& document, const char* format, char** text) {
  const munja::document::Writer* writer = munja::document::FindWriter(format);
  if (writer == nullptr)
    return munja::Unsupported(std::string("no writer named ") + format);
  return CopyText(writer->write(document), text);
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
    const std::vector<Line>& lines = document->document.lines;
    if (index < 0 || static_cast<size_t>(index) >= lines.size())
      return InvalidArgument("there is no line " + std::to_string(index));
    const Line& read = lines[static_cast<size_t>(index)];
    line->text = read.text.c_str();
    line->confidence = read.confidence;
    for (size_t i = 0; i < 4; ++i) {
      line->polygon[2 * i] = read.polygon[i].x;
      line->polygon[2 * i + 1] = read.polygon[i].y;
    }
    return Status();
  });
}

const char* munja_document_unknown_writing(const munja_document* document,
                                           int32_t index) {
  if (document == nullptr || index < 0) return nullptr;
  const std::vector<Line>& lines = document->document.lines;
  if (static_cast<size_t>(index) >= lines.size()) return nullptr;
  const std::string& writing =
      lines[static_cast<size_t>(index)].unknown_writing;
  return writing.empty() ? nullptr : writing.c_str();
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
    return Write(document->document, "text", text);
  });
}

munja_status munja_document_to_json(const munja_document* document,
                                    const char* source, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(document, source, json));
    Document named = document->document;
    named.source = source;
    MUNJA_RETURN_IF_ERROR(Write(named, "json", json));
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
                           munja::capi::DrawQuads(image->image.view(), quads));
    return munja::image::WritePng(path, drawn.view());
  });
}

}  // extern "C"
