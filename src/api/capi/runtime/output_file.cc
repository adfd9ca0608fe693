#include "munja/tools/file.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/file.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"

using munja::InvalidArgument;
using munja::OutputFile;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;

struct munja_output_file {
  std::unique_ptr<OutputFile> file;  // Null: committed, or a part has failed.
};

namespace {

Result<std::span<const uint8_t>> PartOf(const void* data, size_t size) {
  if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
  return std::span(static_cast<const uint8_t*>(data), size);
}

Status CheckIsOpen(const munja_output_file* file) {
  MUNJA_RETURN_IF_ERROR(RequireAll(file));
  return file->file != nullptr
             ? Status()
             : InvalidArgument(
                   "the file is complete, or a part of it could "
                   "not be written");
}

}  // namespace

extern "C" {

munja_status munja_write_file(const char* path, const void* data, size_t size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path));
    MUNJA_ASSIGN_OR_RETURN(const auto bytes, PartOf(data, size));
    return munja::WriteFile(path, bytes);
  });
}

munja_status munja_output_file_open(const char* path,
                                    munja_output_file** file) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, file));
    MUNJA_ASSIGN_OR_RETURN(auto opened, OutputFile::Open(path));
    *file = new munja_output_file{std::move(opened)};
    return Status();
  });
}

munja_status munja_output_file_write(munja_output_file* file, const void* data,
                                     size_t size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(CheckIsOpen(file));
    MUNJA_ASSIGN_OR_RETURN(const auto bytes, PartOf(data, size));
    Status status = file->file->Write(bytes);
    if (!status.ok()) file->file.reset();
    return status;
  });
}

munja_status munja_output_file_commit(munja_output_file* file) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(CheckIsOpen(file));
    return std::exchange(file->file, nullptr)->Commit();
  });
}

void munja_output_file_free(munja_output_file* file) { delete file; }

}  // extern "C"
