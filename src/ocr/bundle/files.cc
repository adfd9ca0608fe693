#include "bundle/files.h"

#include "base/file.h"

namespace munja::bundle {
namespace {

class Folder : public Files {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  Result<Bytes> Open(const std::string& name) const override {
    MUNJA_ASSIGN_OR_RETURN(auto file, MappedFile::Open(Label(name)));
    const std::span<const uint8_t> bytes = file->bytes();
    return Bytes{bytes, std::move(file)};
  }
  const std::string& place() const override { return path_; }

 private:
  std::string path_;
};

class Memory : public Files, public std::enable_shared_from_this<Memory> {
 public:
  Memory(std::string place, std::vector<NamedBytes> files)
      : place_(std::move(place)), files_(std::move(files)) {}
  Result<Bytes> Open(const std::string& name) const override {
    for (const auto& [own, bytes] : files_)
      if (own == name) return Bytes{bytes, shared_from_this()};
    return NotFound(Label(name) + ": there is no such file");
  }
  const std::string& place() const override { return place_; }

 private:
  std::string place_;
  std::vector<NamedBytes> files_;
};

class Owned : public Files, public std::enable_shared_from_this<Owned> {
 public:
  Owned(std::string place, std::map<std::string, std::vector<uint8_t>> files)
      : place_(std::move(place)), files_(std::move(files)) {}
  Result<Bytes> Open(const std::string& name) const override {
    const auto found = files_.find(name);
    if (found == files_.end())
      return NotFound(Label(name) + ": there is no such file");
    return Bytes{found->second, shared_from_this()};
  }
  const std::string& place() const override { return place_; }

 private:
  std::string place_;
  std::map<std::string, std::vector<uint8_t>> files_;
};

}  // namespace

std::shared_ptr<const Files> OwnedFiles(
    std::string place, std::map<std::string, std::vector<uint8_t>> files) {
  return std::make_shared<const Owned>(std::move(place), std::move(files));
}

std::shared_ptr<const Files> FolderFiles(std::string folder) {
  return std::make_shared<const Folder>(std::move(folder));
}

std::shared_ptr<const Files> MemoryFiles(std::string place,
                                         std::vector<NamedBytes> files) {
  return std::make_shared<const Memory>(std::move(place), std::move(files));
}

}  // namespace munja::bundle
