// The C++20 interface of munja/tools, header-only over the C interface. Its
// functions are those of libmunja-tools and may change from version to version;
// programs that only read and run networks need munja/munja.hpp alone.
#ifndef MUNJA_TOOLS_TOOLS_HPP_
#define MUNJA_TOOLS_TOOLS_HPP_

#include <string>
#include <string_view>

#include "munja/munja.hpp"
#include "munja/tools/file.h"

namespace munja {
inline namespace v0 {

// ---- Files ------------------------------------------------------------------

// Replaces a file as a whole; see munja_write_file().
inline Status WriteFile(const std::string& path, std::string_view bytes) {
  return StatusOf(munja_write_file(path.c_str(), bytes.data(), bytes.size()));
}

// The same in parts. Without Commit() the old file stays.
class OutputFile {
 public:
  static Result<OutputFile> Open(const std::string& path) {
    munja_output_file* file = nullptr;
    const Status status = StatusOf(munja_output_file_open(path.c_str(), &file));
    if (!status.ok()) return status;
    return OutputFile(file);
  }
  Status Write(std::string_view bytes) {
    return StatusOf(
        munja_output_file_write(handle_.get(), bytes.data(), bytes.size()));
  }
  Status Commit() { return StatusOf(munja_output_file_commit(handle_.get())); }

 private:
  explicit OutputFile(munja_output_file* file) : handle_(file) {}
  Handle<munja_output_file, munja_output_file_free> handle_;
};

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_TOOLS_TOOLS_HPP_
