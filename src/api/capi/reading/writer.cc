#include "munja/writer.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/writers/file_writer.h"
#include "document/writers/writer.h"
#include "image/file_info.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::RequireAll;
using munja::document::Document;

namespace {

// The image of a page, in the form that shows it best.
munja::document::Picture PictureOf(const munja_page& page) {
  munja::document::Picture picture;
  const Document& document = page.document->document;
  if (page.image != nullptr && page.image->view().width == document.width &&
      page.image->view().height == document.height) {
    picture.rgb = page.image->view().data;
    picture.stride = page.image->view().stride;
    if (!(page.dpi > 0)) {
      picture.paper_width = page.image->image.paper_width();
      picture.paper_height = page.image->image.paper_height();
    }
  }
  if (page.file != nullptr) {
    const munja::image::FileInfo info = munja::image::ReadFileInfo(
        {static_cast<const uint8_t*>(page.file), page.file_size});
    const bool is_across = info.orientation >= 5;
    if (info.is_jpeg &&
        (is_across ? info.height : info.width) == document.width &&
        (is_across ? info.width : info.height) == document.height) {
      picture.jpeg = {static_cast<const char*>(page.file), page.file_size};
      picture.jpeg_width = info.width;
      picture.jpeg_height = info.height;
      picture.jpeg_components = info.components;
      picture.is_inverted = info.is_inverted;
      picture.orientation = info.orientation;
    }
    picture.dpi = info.dpi;
    if (page.keep_pdf != 0 && picture.rgb != nullptr &&
        page.image->image.page() >= 0) {
      picture.pdf = {static_cast<const char*>(page.file), page.file_size};
      picture.pdf_page = page.image->image.page();
    }
  }
  if (page.dpi > 0) picture.dpi = page.dpi;
  return picture;
}

munja_error* ErrorIn(const munja_writer* writer) {
  return writer != nullptr ? writer->error : nullptr;
}

}  // namespace

extern "C" {

munja_status munja_writer_create(const char* format,
                                 const munja_writer_options* options,
                                 munja_writer** writer) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(format, writer));
        munja_writer_options o;
        MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(options, &o));
        const munja::document::Writer* const found =
            munja::document::FindWriter(format);
        if (found == nullptr) {
          std::string all;
          for (const munja::document::Writer& other :
               munja::document::AllWriters())
            all += (all.empty() ? "" : ", ") + std::string(other.name);
          return munja::NotFound("there is no format \"" + std::string(format) +
                                 "\", but " + all);
        }
        munja::document::FileWriter::Sink sink;
        if (o.sink != nullptr) {
          sink = [give = o.sink, user = o.user](std::string_view bytes) {
            return give(user, bytes.data(), bytes.size()) == 0
                       ? Status()
                       : munja::IoError(
                             "the sink of the writer refused the bytes");
          };
        }
        MUNJA_ASSIGN_OR_RETURN(auto file, munja::document::FileWriter::Create(
                                              *found, std::move(sink),
                                              o.path != nullptr ? o.path : ""));
        *writer = new munja_writer{std::move(file), o.error};
        return Status();
      }));
}

void munja_writer_free(munja_writer* writer) { delete writer; }

munja_status munja_writer_add(munja_writer* writer, const munja_page* page) {
  return KeepError(ErrorIn(writer), Guard([&]() -> Status {
                     MUNJA_RETURN_IF_ERROR(RequireAll(writer, page));
                     munja_page p;
                     MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(page, &p));
                     MUNJA_RETURN_IF_ERROR(RequireAll(p.document));
                     if (!(p.dpi >= 0 && p.dpi <= 1e6))
                       return InvalidArgument("dpi must be 0 to 1000000");
                     Document document = p.document->document;
                     document.source = p.source != nullptr ? p.source : "";
                     return writer->file->Add({document, PictureOf(p)});
                   }));
}

munja_status munja_writer_finish(munja_writer* writer) {
  return KeepError(ErrorIn(writer), Guard([&]() -> Status {
                     MUNJA_RETURN_IF_ERROR(RequireAll(writer));
                     return writer->file->Finish();
                   }));
}

munja_status munja_writer_take(munja_writer* writer, char** bytes,
                               size_t* size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(writer, bytes, size));
    MUNJA_ASSIGN_OR_RETURN(const std::string taken, writer->file->Take());
    // One byte more: an end for who takes it for a string.
    auto* const copy = static_cast<char*>(std::malloc(taken.size() + 1));
    if (copy == nullptr) return munja::OutOfMemory("no memory for the file");
    std::memcpy(copy, taken.c_str(), taken.size() + 1);
    *bytes = copy;
    *size = taken.size();
    return Status();
  });
}

}  // extern "C"
