// Documents as arrays, text, JSON and overlays.
#include "munja/document.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "capi/reading/document_arrays.h"
#include "capi/reading/handles.h"
#include "capi/reading/stage_files.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/writers/writer.h"
#include "image/encode.h"

using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::Document;
using munja::document::Line;

extern "C" {

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
