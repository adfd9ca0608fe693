// Whole files: read, write without leaving half a file behind, map into memory.
#ifndef MUNJA_BASE_FILE_H_
#define MUNJA_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja {

// The bytes of a file, mapped read-only and private. The span stays valid as
// long as the object. An empty file gives an empty span.
class MappedFile {
 public:
  // kNotFound, kIo (also for a folder). Messages name the path.
  static Result<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Reads at most `limit` bytes; a longer file is kOutOfMemory.
Result<std::vector<uint8_t>> ReadFile(const std::string& path,
                                      size_t limit = size_t{1} << 31);

// Writes to a temporary name beside `path`, syncs and renames, so that a full
// disk or a crash leaves either the old file or the new one. kIo names what
// the system said.
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);
Status WriteFile(const std::string& path, std::string_view text);

// True for an existing folder / regular file.
bool IsDirectory(const std::string& path);
bool IsRegularFile(const std::string& path);

}  // namespace munja

#endif  // MUNJA_BASE_FILE_H_
