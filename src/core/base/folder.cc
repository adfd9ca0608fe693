#include "base/folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/descriptor.h"

namespace munja {

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  struct Closer {
    void operator()(DIR* opened) const { closedir(opened); }
  };
  const auto failed = [&](int error) {
    std::string message = SystemMessage(folder, "cannot list", error);
    if (error == ENOENT || error == ENOTDIR) return NotFound(message);
    if (error == ENOMEM) return OutOfMemory(message);
    return IoError(message);
  };
  const std::unique_ptr<DIR, Closer> opened(opendir(folder.c_str()));
  if (opened == nullptr) return failed(errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(opened.get());
    if (entry == nullptr && errno != 0) return failed(errno);
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string FolderName(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path == "/" ? std::string() : path.substr(path.rfind('/') + 1);
}

}  // namespace munja
