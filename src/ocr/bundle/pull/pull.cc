#include "bundle/pull/pull.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/control.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "bundle/manifest.h"
#include "bundle/pull/download.h"
#include "bundle/sha256.h"
#include "bundle/staged_folder.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return IoError(path + ": cannot make the folder: " + error.message());
  return Status();
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return IoError(to + ": cannot rename: " + error.message());
  return Status();
}

// Held by the one call that works on a bundle; gone with the process.
class Lock {
 public:
  explicit Lock(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      error_ = errno;
  }
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  // 0: held. EWOULDBLOCK: another process holds it.
  int error() const { return error_; }

 private:
  int descriptor_;
  int error_ = 0;
};

// For an entry without a size, which only settings have.
constexpr uint64_t kMaxUnknownBytes = 1 << 20;

Status PullFile(const std::string& url, const std::string& path,
                const FileEntry& entry, const PullOptions& options) {
  if (CheckFile(path, entry).ok()) return Status();
  DownloadOptions download;
  download.max_bytes = entry.bytes > 0 ? entry.bytes : kMaxUnknownBytes;
  download.progress = [&](uint64_t done) {
    ReportProgress(entry.file.c_str(), done, entry.bytes);
    return !options.progress || options.progress(entry.file, done, entry.bytes);
  };
  // An existing file may be the start of this one. If not (it is as long, or of
  // another version), the file is fetched from its start.
  std::error_code error;
  const uint64_t have = fs::file_size(path, error);
  Status status;
  if (!error && have > 0 && have < entry.bytes) {
    download.resume = true;
    status = Download(url, path, download);
    if (status.ok()) status = CheckFile(path, entry);
    if (status.ok() || status.code() != Code::kMalformed) return status;
    download.resume = false;
  }
  MUNJA_RETURN_IF_ERROR(Download(url, path, download));
  status = CheckFile(path, entry);
  // A corrupt file is useless for the next try; an unchecked one is kept.
  if (status.code() == Code::kMalformed) fs::remove(path, error);
  return status;
}

bool IsComplete(const std::string& folder, const Manifest& manifest) {
  Result<std::vector<uint8_t>> bytes =
      ReadFile(folder + "/" + kManifestFile, kMaxManifestBytes);
  if (!bytes.ok()) return false;
  const Result<Manifest> there = ParseManifest(std::string_view(
      reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  if (!there.ok() || ToJson(*there) != ToJson(manifest)) return false;
  for (const FileEntry* entry : manifest.files())
    if (!CheckFile(folder + "/" + entry->file, *entry).ok()) return false;
  return true;
}

}  // namespace

Status Fetch(const std::string& url, const std::string& path,
             const FileEntry& entry, const PullOptions& options) {
  MUNJA_RETURN_IF_ERROR(CheckAddress(url));
  if (CheckFile(path, entry).ok()) return Status();
  MUNJA_RETURN_IF_ERROR(MakeFolder(fs::path(path).parent_path().string()));
  const Lock lock(path + ".lock");
  if (lock.error() == EWOULDBLOCK)
    return Unavailable(path + ": another program is fetching it");
  if (lock.error() != 0)
    return IoError(SystemMessage(path, "cannot lock", lock.error()));
  MUNJA_RETURN_IF_ERROR(PullFile(url, path + ".part", entry, options));
  return Rename(path + ".part", path);
}

Result<std::string> Pull(const std::string& name, const PullOptions& options) {
  if (!IsPlainName(name) || name.ends_with(".part"))
    return InvalidArgument("'" + name + "' is not a name of a bundle");
  std::string base = options.base_url;
  while (base.ends_with('/')) base.pop_back();
  MUNJA_RETURN_IF_ERROR(CheckAddress(base));
  base += "/" + name + "/";

  const std::string final_path = options.folder + "/" + name;
  const std::string staging = final_path + ".part";
  MUNJA_RETURN_IF_ERROR(MakeFolder(options.folder));
  // Locks before creating anything: the holder of the lock may be about to
  // rename the folder.
  const Lock lock(options.folder + "/." + name + ".lock");
  if (lock.error() == EWOULDBLOCK)
    return Unavailable(final_path + ": another program is fetching it");
  if (lock.error() != 0)
    return IoError(SystemMessage(options.folder, "cannot lock", lock.error()));
  MUNJA_RETURN_IF_ERROR(MakeFolder(staging));

  const std::string manifest_path = staging + "/" + kManifestFile;
  const std::string incoming = manifest_path + ".part";
  DownloadOptions download;
  download.max_bytes = kMaxManifestBytes;
  MUNJA_RETURN_IF_ERROR(Download(base + kManifestFile, incoming, download));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(incoming, kMaxManifestBytes));
  MUNJA_ASSIGN_OR_RETURN(
      const Manifest manifest,
      ParseManifest(
          std::string_view(reinterpret_cast<const char*>(bytes.data()),
                           bytes.size()))
          .With(base + kManifestFile));
  std::error_code error;
  if (IsComplete(final_path, manifest)) {
    fs::remove_all(staging, error);
    return final_path;
  }
  // Before the long work.
  MUNJA_RETURN_IF_ERROR(CheckReplaceable(final_path));
  for (const FileEntry* entry : manifest.files())
    MUNJA_RETURN_IF_ERROR(PullFile(
        base + entry->file, staging + "/" + entry->file, *entry, options));
  MUNJA_RETURN_IF_ERROR(Rename(incoming, manifest_path));
  // Files that another version of the bundle has left are not part of it.
  std::vector<std::string> names = {kManifestFile};
  for (const FileEntry* entry : manifest.files()) names.push_back(entry->file);
  KeepOnly(staging, names);
  MUNJA_RETURN_IF_ERROR(PutInPlace(staging, final_path));
  return final_path;
}

}  // namespace munja::bundle
