#include "document/writers/file_writer.h"

#include <cstdint>
#include <utility>

namespace munja::document {

Result<std::unique_ptr<FileWriter>> FileWriter::Create(const Writer& format,
                                                       Sink sink,
                                                       std::string path) {
  if (sink != nullptr && !path.empty())
    return InvalidArgument("a writer has a sink or a path, not both");
  return std::unique_ptr<FileWriter>(
      new FileWriter(format, std::move(sink), std::move(path)));
}

Status FileWriter::CheckIsOpen() const {
  if (is_broken_)
    return InvalidArgument("the file is incomplete: an earlier call failed");
  if (is_finished_) return InvalidArgument("the file has been finished");
  return Status();
}

Status FileWriter::OpenFile() {
  if (file_ != nullptr) return Status();
  MUNJA_ASSIGN_OR_RETURN(file_, OutputFile::Open(path_));
  return Status();
}

// Gives the bytes away, if they go somewhere.
Status FileWriter::Drain() {
  if (!is_streaming() || bytes_.empty()) return Status();
  const std::string bytes = std::exchange(bytes_, {});
  if (sink_ != nullptr) return sink_(bytes);
  MUNJA_RETURN_IF_ERROR(OpenFile());
  return file_->Write(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

// Appends to the file by `write` and gives the bytes away. A failure that left
// a part of them breaks the writer; an exception counts as one.
template <class Write>
Status FileWriter::Append(const Write& write) {
  const size_t before = bytes_.size();
  is_broken_ = true;
  Status status = write(bytes_);
  const bool is_unchanged = !status.ok() && bytes_.size() == before;
  if (status.ok()) status = Drain();
  is_broken_ = !status.ok() && !is_unchanged;
  if (is_broken_) file_.reset();
  return status;
}

Status FileWriter::Add(const WriterPage& page) {
  MUNJA_RETURN_IF_ERROR(CheckIsOpen());
  return Append([&](std::string& bytes) { return writer_->Add(page, bytes); });
}

Status FileWriter::Finish() {
  MUNJA_RETURN_IF_ERROR(CheckIsOpen());
  is_finished_ = true;
  MUNJA_RETURN_IF_ERROR(
      Append([&](std::string& bytes) { return writer_->Finish(bytes); }));
  if (path_.empty()) return Status();
  // A file of no pages may have no bytes.
  MUNJA_RETURN_IF_ERROR(OpenFile());
  return std::exchange(file_, nullptr)->Commit();
}

Result<std::string> FileWriter::Take() {
  if (is_streaming())
    return InvalidArgument("the bytes go to the writer's sink or path");
  return std::exchange(bytes_, {});
}

}  // namespace munja::document
