// Whole files: read, write without leaving half a file behind, map into memory.
#ifndef MUNJA_BASE_FILE_H_
#define MUNJA_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace munja {

// The bytes of a file, mapped read-only and private. The span stays valid as
// long as the object. An empty file gives an empty span.
class MappedFile {
 public:
  // kNotFound; kIo, also for anything that is not a regular file, without
  // waiting for it. Messages name the path.
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

// Reads a regular file of at most `limit` bytes; a longer one is kOutOfMemory.
// kNotFound; kIo for anything that is not a regular file, without waiting for
// it: what a path inside a bundle or a list names is not the user's choice.
Result<std::vector<uint8_t>> ReadFile(const std::string& path,
                                      size_t limit = size_t{1} << 31);

// As ReadFile, but also takes what a pipe or a character device gives until its
// end, and waits for that as any program does: for files that the user named.
// One that never ends is kOutOfMemory at the limit.
Result<std::vector<uint8_t>> ReadStream(const std::string& path, size_t limit);

// Reads `size` bytes from `offset` of an open file; size 0: to its end, for
// which it must be a regular one. kInvalidArgument, kIo.
Result<std::vector<uint8_t>> ReadDescriptor(int fd, int64_t offset,
                                            int64_t size);

// A file that is written in parts. Every failure is kIo and says what the
// system said.
//
// A regular file, or none yet: written to a private name beside it
// (".munja-*.part"), synced and renamed by Commit(), so that a full disk or a
// crash leaves the old file or the new one. The new one has the owner, group,
// permissions, access control list and extended attributes of the old one as
// far as this process may give them; a file that may not be written to is not
// replaced. A link stays, and what it leads to is replaced, or made. Other hard
// links to the old file keep the old bytes. Where the process may not make or
// rename files in the folder but the file may be written to (one that is
// mounted, too), Commit() writes it in place: then a crash may leave a part.
//
// A pipe, a character device, or an open file of the process (/dev/stdout,
// /proc/self/fd/3) gets the bytes as they come and is otherwise left as it is;
// a reader who has gone is an error, not a signal. Folders, disks and sockets
// are refused.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path);
  ~OutputFile();  // Without Commit() the old file stays.
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  Status Write(std::span<const uint8_t> bytes);
  Status Commit();  // The last call.

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  Status OpenBeside(bool exists);

  enum class Target { kStream, kReplaced, kOverwritten };
  Target target_ = Target::kStream;
  std::string path_;       // For messages, and of the file that is replaced.
  std::string temporary_;  // Empty: there is none.
  Descriptor file_;        // Receives the bytes.
};

// Writes a whole file, as OutputFile does.
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);
Status WriteFile(const std::string& path, std::string_view text);

// True when both lead to one regular file or folder, by whatever names.
bool IsSameFile(const std::string& a, const std::string& b);
// True when `path` exists and is the folder or something below it.
bool IsInFolder(const std::string& path, const std::string& folder);

// True for anything that exists / an existing folder / regular file.
bool Exists(const std::string& path);
bool IsDirectory(const std::string& path);
bool IsRegularFile(const std::string& path);

}  // namespace munja

#endif  // MUNJA_BASE_FILE_H_
