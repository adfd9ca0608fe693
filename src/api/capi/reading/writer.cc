#include "munja/writer.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/file.h"
#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
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
  }
  if (page.dpi > 0) picture.dpi = page.dpi;
  return picture;
}

munja_error* ErrorIn(const munja_writer* writer) {
  return writer != nullptr ? writer->error : nullptr;
}

// Whether the bytes go somewhere as they come.
bool IsStreaming(const munja_writer* writer) {
  return writer->sink != nullptr || !writer->path.empty();
}

// Gives the bytes away, if they go somewhere.
Status Drain(munja_writer* writer) {
  if (!IsStreaming(writer) || writer->bytes.empty()) return Status();
  const std::string bytes = std::exchange(writer->bytes, {});
  if (writer->sink != nullptr) {
    return writer->sink(writer->user, bytes.data(), bytes.size()) == 0
               ? Status()
               : munja::IoError("the sink of the writer refused the bytes");
  }
  if (writer->file == nullptr) {
    MUNJA_ASSIGN_OR_RETURN(writer->file, munja::OutputFile::Open(writer->path));
  }
  return writer->file->Write(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

Status CheckIsOpen(const munja_writer* writer) {
  if (writer->is_broken)
    return InvalidArgument("the file is incomplete: an earlier call failed");
  if (writer->is_finished) return InvalidArgument("the file has been finished");
  return Status();
}

// Appends to the file by `write` and gives the bytes away. A failure that left
// a part of them breaks the writer; an exception counts as one.
template <class Write>
Status Append(munja_writer* writer, const Write& write) {
  const size_t before = writer->bytes.size();
  writer->is_broken = true;
  Status status = write(writer->bytes);
  const bool is_unchanged = !status.ok() && writer->bytes.size() == before;
  if (status.ok()) status = Drain(writer);
  writer->is_broken = !status.ok() && !is_unchanged;
  if (writer->is_broken) writer->file.reset();
  return status;
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
        const std::string path = o.path != nullptr ? o.path : "";
        if (o.sink != nullptr && !path.empty())
          return InvalidArgument("a writer has a sink or a path, not both");
        *writer =
            new munja_writer{found->make(), o.sink, o.user, o.error, path};
        return Status();
      }));
}

void munja_writer_free(munja_writer* writer) { delete writer; }

munja_status munja_writer_add(munja_writer* writer, const munja_page* page) {
  return KeepError(
      ErrorIn(writer), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(writer, page));
        munja_page p;
        MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(page, &p));
        MUNJA_RETURN_IF_ERROR(RequireAll(p.document));
        if (!(p.dpi >= 0 && p.dpi <= 1e6))
          return InvalidArgument("dpi must be 0 to 1000000");
        MUNJA_RETURN_IF_ERROR(CheckIsOpen(writer));
        Document document = p.document->document;
        document.source = p.source != nullptr ? p.source : "";
        return Append(writer, [&](std::string& bytes) {
          return writer->writer->Add({document, PictureOf(p)}, bytes);
        });
      }));
}

munja_status munja_writer_finish(munja_writer* writer) {
  return KeepError(
      ErrorIn(writer), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(writer));
        MUNJA_RETURN_IF_ERROR(CheckIsOpen(writer));
        writer->is_finished = true;
        MUNJA_RETURN_IF_ERROR(Append(writer, [&](std::string& bytes) {
          return writer->writer->Finish(bytes);
        }));
        if (writer->path.empty()) return Status();
        // A file of no pages may have no bytes.
        if (writer->file == nullptr) {
          MUNJA_ASSIGN_OR_RETURN(writer->file,
                                 munja::OutputFile::Open(writer->path));
        }
        const auto file = std::move(writer->file);
        return file->Commit();
      }));
}

munja_status munja_writer_take(munja_writer* writer, char** bytes,
                               size_t* size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(writer, bytes, size));
    if (IsStreaming(writer))
      return InvalidArgument("the bytes go to the writer's sink or path");
    // One byte more: an end for who takes it for a string.
    auto* const copy =
        static_cast<char*>(std::malloc(writer->bytes.size() + 1));
    if (copy == nullptr) return munja::OutOfMemory("no memory for the file");
    std::memcpy(copy, writer->bytes.c_str(), writer->bytes.size() + 1);
    *bytes = copy;
    *size = writer->bytes.size();
    writer->bytes.clear();
    return Status();
  });
}

}  // extern "C"
