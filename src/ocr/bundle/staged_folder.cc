#include "bundle/staged_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/control.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/replace.h"
#include "bundle/manifest.h"
#include "bundle/write.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostManifestBytes = 1 << 20;
// Others may be at the same folder; each try lets one of them through.
constexpr int kTries = 100;

// The entries of a folder; none if it is not a folder.
std::vector<std::string> NamesIfAny(const std::string& folder) {
  auto names = NamesIn(folder);
  return names.ok() ? std::move(*names) : std::vector<std::string>();
}

bool IsTemporary(const std::string& name) {
  return name.starts_with(kTemporaryStart) && name.ends_with(kTemporaryEnd);
}

// The names of a bundle's files, whether they are there or not.
std::set<std::string> BundleFiles(const std::string& folder) {
  std::set<std::string> names = {kManifestFile,       kModelCardFile,
                                 "detector.tflite",   "recognizer.tflite",
                                 "classifier.tflite", kDictionaryFile};
  // Also when the work ends early: what it leaves behind is to be cleared away.
  const ControlScope unlimited(nullptr);
  const auto bytes = ReadFile(folder + "/" + kManifestFile, kMostManifestBytes);
  if (!bytes.ok()) return names;
  const Result<Manifest> manifest = ParseManifest(std::string_view(
      reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  if (!manifest.ok()) return names;
  for (const FileEntry* entry : manifest->files()) names.insert(entry->file);
  return names;
}

// The entries of a folder that do not belong to a bundle.
std::vector<std::string> Foreign(const std::string& folder) {
  const std::set<std::string> own = BundleFiles(folder);
  std::vector<std::string> foreign;
  for (const std::string& name : NamesIfAny(folder)) {
    const bool is_own = own.contains(name) || IsTemporary(name);
    if (!is_own || IsDirectory(folder + "/" + name)) foreign.push_back(name);
  }
  return foreign;
}

// Removes the bundle in `folder`, and the folder unless something else is in
// it. bundle.json, which says what is the bundle's, goes last.
void RemoveBundle(const std::string& folder) {
  const std::set<std::string> own = BundleFiles(folder);
  for (const std::string& name : NamesIfAny(folder))
    if (name != kManifestFile && (own.contains(name) || IsTemporary(name)))
      unlink((folder + "/" + name).c_str());
  unlink((folder + "/" + kManifestFile).c_str());
  rmdir(folder.c_str());
}

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string Beside(const std::string& target, const char* what) {
  return FolderOf(target) + "/." + NameOf(target) + ".munja-" + what + "-";
}

Status SystemFailure(const std::string& path, const char* doing) {
  return IoError(SystemMessage(path, doing, errno));
}

// Removes leftovers of killed programs next to the target.
void ClearAway(const std::string& target) {
  const std::string fresh = NameOf(Beside(target, "new"));
  const std::string old = NameOf(Beside(target, "old"));
  const std::string folder = FolderOf(target);
  for (const std::string& name : NamesIfAny(folder)) {
    const std::string path = folder + "/" + name;
    if (name.starts_with(old)) {
      // Put aside, and nothing has come in its place.
      if (!RenameToFreeName(path, target)) RemoveBundle(path);
    } else if (name.starts_with(fresh)) {
      const Descriptor lock(
          open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (lock.get() >= 0 && flock(lock.get(), LOCK_EX | LOCK_NB) == 0)
        RemoveBundle(path);
    }
  }
}

// The new folder and its files get what the old ones had: owner, permissions.
void KeepFolderAttributes(const std::string& from, const std::string& to) {
  const auto keep = [](const std::string& old, const std::string& fresh,
                       int kind) {
    struct stat info;
    if (lstat(old.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
    const Descriptor file(
        open(fresh.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
    if (file.get() >= 0) KeepAttributes(old, info, file.get());
  };
  for (const std::string& name : NamesIfAny(to))
    keep(from + "/" + name, to + "/" + name, O_NONBLOCK);
  keep(from, to, O_DIRECTORY);
}

Status SyncFiles(const std::string& folder) {
  for (const std::string& name : NamesIfAny(folder)) {
    const std::string path = folder + "/" + name;
    const Descriptor file(
        open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && fsync(file.get()) != 0 && errno != EINVAL)
      return SystemFailure(path, "cannot sync");
  }
  return SyncFolder(folder);
}

// Moves files that were added to the old folder after the check into the new
// one.
void CarryOver(const std::string& old, const std::string& target) {
  for (const std::string& name : Foreign(old))
    RenameToFreeName(old + "/" + name, target + "/" + name);
}

// A folder that cannot be renamed, as one that is mounted: files go into it,
// bundle.json last, as long as no bundle is there that this would mix with.
Status FillEmpty(const std::string& staged, const std::string& target) {
  if (!NamesIfAny(target).empty())
    return IoError(target +
                   ": this folder cannot be replaced as a whole (it is "
                   "mounted, or the folder above may not be changed): empty it "
                   "or name another one");
  std::vector<std::string> names = NamesIfAny(staged);
  std::erase(names, kManifestFile);
  names.emplace_back(kManifestFile);
  for (const std::string& name : names)
    if (!RenameToFreeName(staged + "/" + name, target + "/" + name))
      return SystemFailure(target + "/" + name, "cannot move into place");
  rmdir(staged.c_str());
  return SyncFolder(target);
}

}  // namespace

Status CheckReplaceable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return Status();
  if (!S_ISDIR(info.st_mode))
    return IoError(path + ": there is something that is not a folder");
  const std::vector<std::string> foreign = Foreign(path);
  if (foreign.empty()) return Status();
  return IoError(
      path + ": the folder holds '" + foreign[0] +
      "', which is no file of a bundle: move it away or name another "
      "folder");
}

Status PutInPlace(const std::string& staged, const std::string& target) {
  ClearAway(target);
  MUNJA_RETURN_IF_ERROR(CheckReplaceable(target));
  KeepFolderAttributes(target, staged);
  MUNJA_RETURN_IF_ERROR(SyncFiles(staged));
  for (int i = 0; i < kTries; ++i) {
    // Also in the place of an empty folder.
    if (std::rename(staged.c_str(), target.c_str()) == 0)
      return SyncFolder(FolderOf(target));
    if (errno == EBUSY || errno == EACCES || errno == EPERM)
      return FillEmpty(staged, target);
    if (errno != EEXIST && errno != ENOTEMPTY)
      return SystemFailure(target, "cannot rename into place");
    if (ExchangeNames(staged, target)) {
      CarryOver(staged, target);
      RemoveBundle(staged);
      return SyncFolder(FolderOf(target));
    }
    if (errno == ENOENT) continue;  // The old one has gone meanwhile.
    if (errno == EBUSY || errno == EACCES || errno == EPERM)
      return FillEmpty(staged, target);
    // Two steps, where one cannot be had. ClearAway() mends what ends between.
    const std::string old = Beside(target, "old") + RandomName();
    if (std::rename(target.c_str(), old.c_str()) != 0) {
      if (errno == ENOENT) continue;
      return SystemFailure(target, "cannot put aside");
    }
    if (std::rename(staged.c_str(), target.c_str()) == 0) {
      CarryOver(old, target);
      RemoveBundle(old);
      return SyncFolder(FolderOf(target));
    }
    const int error = errno;
    if (!RenameToFreeName(old, target)) RemoveBundle(old);
    if (error != EEXIST && error != ENOTEMPTY) {
      errno = error;
      return SystemFailure(target, "cannot rename into place");
    }
  }
  return IoError(target + ": other programs keep replacing this folder");
}

void KeepOnly(const std::string& folder,
              const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : NamesIfAny(folder))
    if (std::find(names.begin(), names.end(), name) == names.end())
      fs::remove_all(folder + "/" + name, error);
}

Result<std::unique_ptr<StagedFolder>> StagedFolder::Create(
    const std::string& path) {
  std::string plain = path;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  MUNJA_ASSIGN_OR_RETURN(plain, FollowLinks(plain));
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  std::error_code error;
  // "." and ".." have no name of their own to exchange.
  if (const std::string name = NameOf(plain); name == "." || name == "..")
    plain = fs::canonical(plain, error).string();
  if (error || NameOf(plain).empty())
    return IoError(path + ": is no name of a folder that can be made");
  fs::create_directories(FolderOf(plain), error);
  if (error)
    return IoError(path + ": cannot make the folder: " + error.message());
  ClearAway(plain);
  MUNJA_RETURN_IF_ERROR(CheckReplaceable(plain));
  std::unique_ptr<StagedFolder> folder(new StagedFolder());
  folder->target_ = plain;
  for (int i = 0; i < kTries; ++i) {
    const std::string staged = Beside(plain, "new") + RandomName();
    if (mkdir(staged.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return SystemFailure(path, "cannot make the folder");
    }
    Descriptor lock(open(staged.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A cleanup may have removed it before it was locked.
    if (lock.get() < 0) continue;
    if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      continue;
    if (!IsDirectory(staged)) continue;
    folder->staged_ = staged;
    folder->lock_ = std::move(lock);
    return folder;
  }
  return IoError(path + ": cannot make a folder beside it");
}

StagedFolder::~StagedFolder() {
  if (staged_.empty()) return;
  try {
    RemoveBundle(staged_);
  } catch (...) {  // source-rule-ok: what a destructor throws ends the process
    // No memory for a name: the folder stays, the next one beside it removes
    // what is left.
  }
}

Status StagedFolder::Publish() {
  MUNJA_RETURN_IF_ERROR(PutInPlace(staged_, target_));
  staged_.clear();
  return Status();
}

}  // namespace munja::bundle
