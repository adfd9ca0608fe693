// FileWriter: a file of pages that goes to its destination as it grows.
#ifndef MUNJA_DOCUMENT_WRITERS_FILE_WRITER_H_
#define MUNJA_DOCUMENT_WRITERS_FILE_WRITER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/status.h"
#include "document/writers/writer.h"

namespace munja::document {

class FileWriter {
 public:
  // Receives the next bytes of the file.
  using Sink = std::function<Status(std::string_view bytes)>;

  // The bytes go to the sink if there is one, else to the file of this path
  // (OutputFile), else they wait for Take(). kInvalidArgument: both are given.
  static Result<std::unique_ptr<FileWriter>> Create(const Writer& format,
                                                    Sink sink,
                                                    std::string path);

  // After a call that failed with a part of its bytes written, the file is
  // incomplete and every other call fails.
  Status Add(const WriterPage& page);
  Status Finish();

  // The bytes since the last call. kInvalidArgument: they go elsewhere.
  Result<std::string> Take();

 private:
  FileWriter(const Writer& format, Sink sink, std::string path)
      : writer_(format.make()),
        sink_(std::move(sink)),
        path_(std::move(path)) {}

  bool is_streaming() const { return sink_ != nullptr || !path_.empty(); }
  Status CheckIsOpen() const;
  Status OpenFile();
  template <class Write>
  Status Append(const Write& write);
  Status Drain();

  std::unique_ptr<PageWriter> writer_;
  Sink sink_;
  std::string path_;
  std::unique_ptr<OutputFile> file_;  // Null: not opened yet.
  std::string bytes_;                 // Not taken or written yet.
  bool is_finished_ = false;
  bool is_broken_ = false;  // A call failed in the middle.
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_FILE_WRITER_H_
