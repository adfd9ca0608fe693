// Files: the parts of a bundle, wherever they lie: in a folder or in memory.
#ifndef MUNJA_BUNDLE_FILES_H_
#define MUNJA_BUNDLE_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace munja::bundle {

class Files {
 public:
  // Valid as long as `owner`. Models that begin at a multiple of 16 are used
  // where they lie, others are copied by their reader.
  struct Bytes {
    std::span<const uint8_t> bytes;
    std::shared_ptr<const void> owner;
  };

  virtual ~Files() = default;
  // The file of that plain name. kNotFound, kIo name it as Label() does.
  virtual Result<Bytes> Open(const std::string& name) const = 0;
  // Where the bundle lies: a folder's path, or a text that says otherwise.
  // FindBundle() finds the bundle again by it.
  virtual const std::string& place() const = 0;
  // How messages call a file.
  std::string Label(const std::string& name) const {
    return place() + "/" + name;
  }
};

// Files of a folder, mapped when opened.
std::shared_ptr<const Files> FolderFiles(std::string folder);

// Files in memory that outlives all that is opened.
using NamedBytes = std::pair<std::string_view, std::span<const uint8_t>>;
std::shared_ptr<const Files> MemoryFiles(std::string place,
                                         std::vector<NamedBytes> files);

// The same, owned.
std::shared_ptr<const Files> OwnedFiles(
    std::string place, std::map<std::string, std::vector<uint8_t>> files);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_FILES_H_
