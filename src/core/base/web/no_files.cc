// A page and an application on Android write no files and start no programs:
// what write_file.cc, replace.cc and child.cc do elsewhere fails here.
#include "base/child.h"
#include "base/file.h"
#include "base/replace.h"

namespace munja {
namespace {

Status NoFiles(const std::string& path) {
  return Unsupported(path + ": this build writes no files");
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  return NoFiles(path);
}
OutputFile::~OutputFile() = default;
Status OutputFile::Write(std::span<const uint8_t>) { return NoFiles(path_); }
Status OutputFile::Commit() { return NoFiles(path_); }

Status WriteFile(const std::string& path, std::span<const uint8_t>) {
  return NoFiles(path);
}
Status WriteFile(const std::string& path, std::string_view) {
  return NoFiles(path);
}

Result<ChildResult> RunChild(const std::vector<std::string>& command,
                             std::span<const uint8_t>, size_t, int) {
  return Unsupported(command[0] + ": this build starts no programs");
}

}  // namespace munja
