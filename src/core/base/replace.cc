#include "base/replace.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/descriptor.h"

namespace munja {
namespace {

// The kernel's own limit.
constexpr int kMaxLinks = 40;

// As in <linux/fs.h>: not every C library offers these names.
constexpr unsigned kNoReplace = 1;
constexpr unsigned kExchange = 2;

bool Rename2(const std::string& from, const std::string& to, unsigned flags) {
#ifdef SYS_renameat2
  return syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                 flags) == 0;
#else
  (void)from, (void)to, (void)flags;
  errno = ENOSYS;
  return false;
#endif
}

std::string RealPath(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string result = real != nullptr ? real : "";
  std::free(real);
  return result;
}

// A name that carries over: what decides who may do what, and what users
// noted. Not security.capability and the like, which belong to the contents.
bool IsKept(const std::string& attribute, bool same_group) {
  if (attribute == "system.posix_acl_access" ||
      attribute == "system.posix_acl_default")
    return same_group;
  return attribute.starts_with("user.") || attribute == "security.selinux";
}

void KeepExtendedAttributes(const std::string& path, bool same_group, int fd) {
  std::vector<char> names(XATTR_LIST_MAX);
  const ssize_t size = llistxattr(path.c_str(), names.data(), names.size());
  if (size <= 0) return;
  std::vector<char> value(XATTR_SIZE_MAX);
  for (ssize_t at = 0; at < size;) {
    const std::string name(names.data() + at);
    at += static_cast<ssize_t>(name.size()) + 1;
    if (!IsKept(name, same_group)) continue;
    const ssize_t n =
        lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (n >= 0)
      fsetxattr(fd, name.c_str(), value.data(), static_cast<size_t>(n), 0);
  }
}

}  // namespace

std::string RandomName() {
  uint64_t value = 0;
#ifdef __ANDROID__  // Has getrandom() from API level 28 on.
  arc4random_buf(&value, sizeof value);
#else
  if (getrandom(&value, sizeof value, GRND_NONBLOCK) !=
      static_cast<ssize_t>(sizeof value)) {
    // Early in the life of a machine; a name that is taken is tried again.
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    value = static_cast<uint64_t>(now.count()) * 0x9E3779B97F4A7C15u ^
            static_cast<uint64_t>(getpid());
  }
#endif
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(value));
  return text;
}

void KeepAttributes(const std::string& path, const struct stat& old, int fd) {
  struct stat own;
  if (fstat(fd, &own) != 0) return;
  bool same_owner = own.st_uid == old.st_uid;
  bool same_group = own.st_gid == old.st_gid;
  if (!same_owner && fchown(fd, old.st_uid, old.st_gid) == 0)
    same_owner = same_group = true;
  if (!same_group)
    same_group = fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
  KeepExtendedAttributes(path, same_group, fd);
  mode_t mode = old.st_mode & 07777;
  if (!same_owner) mode &= ~static_cast<mode_t>(S_ISUID);
  if (!same_group) {
    // Another group is all others, of whom some things may be kept.
    const mode_t group = mode & S_IRWXG & ((mode & S_IRWXO) << 3);
    mode = (mode & ~static_cast<mode_t>(S_ISGID | S_IRWXG)) | group;
  }
  // A file system without permissions has none to keep.
  (void)!fchmod(fd, mode);
}

bool ExchangeNames(const std::string& a, const std::string& b) {
  return Rename2(a, b, kExchange);
}

bool RenameToFreeName(const std::string& from, const std::string& to) {
  if (Rename2(from, to, kNoReplace)) return true;
  if (errno != ENOSYS && errno != EINVAL) return false;
  struct stat info;
  if (lstat(to.c_str(), &info) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

Result<std::string> FollowLinks(const std::string& path) {
  // The system goes first: it knows links that go round, and those that others
  // laid in a folder for everybody, which must not be followed.
  struct stat info;
  if (stat(path.c_str(), &info) != 0 && errno != ENOENT && errno != ENXIO)
    return IoError(SystemMessage(path, "cannot write", errno));
  std::string at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    if (lstat(at.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return at;
    if (RealPath(FolderOf(at)).starts_with("/proc/")) return at;
    std::array<char, PATH_MAX> text;
    const ssize_t n = readlink(at.c_str(), text.data(), text.size());
    if (n <= 0) return IoError(SystemMessage(path, "cannot follow", errno));
    const std::string target(text.data(), static_cast<size_t>(n));
    at = target[0] == '/' ? target : FolderOf(at) + "/" + target;
  }
  return IoError(SystemMessage(path, "cannot write", ELOOP));
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status SyncFolder(const std::string& path) {
  const Descriptor folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // One that may be written to but not read cannot be opened for this.
  if (folder.get() < 0) return Status();
  if (fsync(folder.get()) != 0 && errno == EIO)
    return IoError(SystemMessage(path, "cannot sync the folder", errno));
  return Status();
}

}  // namespace munja
