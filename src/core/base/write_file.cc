// OutputFile, WriteFile: what a name stands for decides how it is written.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/replace.h"

namespace munja {
namespace {

using Bytes = std::span<const uint8_t>;

Status WriteError(const std::string& path, const char* doing, int error) {
  return IoError(SystemMessage(path, doing, error));
}

// A pipe whose reader has gone and a file beyond the process's limit are
// errors of this call, not the end of the program: their signals are held back
// on this thread, and those that came are taken.
class HoldSignals {
 public:
  HoldSignals() {
    sigemptyset(&held_);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) == 0) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HoldSignals() {
    const int error = errno;
    const timespec now = {0, 0};
    while (sigtimedwait(&held_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t held_, before_;
};

// False with errno.
bool WriteAll(int fd, Bytes bytes) {
  const HoldSignals hold;
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another process made this pipe or terminal non-blocking.
      pollfd wait = {fd, POLLOUT, 0};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// False with errno. Pipes, devices and some file systems have no disk to wait
// for.
bool Sync(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ||
         errno == ENOTSUP;
}

int OpenAgain(const std::string& path, int flags, mode_t mode = 0) {
  for (;;) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
    if (fd >= 0 || errno != EINTR) return fd;
  }
}

// The number in /proc/self/fd/N of this process, or -1.
int OwnDescriptor(const std::string& path) {
  char* const real = realpath(FolderOf(path).c_str(), nullptr);
  const std::string folder = real != nullptr ? real : "";
  std::free(real);
  char* const self = realpath("/proc/self", nullptr);
  const std::string process = self != nullptr ? self : "/";
  std::free(self);
  const bool is_own =
      folder == process + "/fd" ||
      (folder.starts_with(process + "/task/") && folder.ends_with("/fd"));
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!is_own || name.empty() || name.size() > 6 ||
      name.find_first_not_of("0123456789") != name.npos)
    return -1;
  return std::atoi(name.c_str());
}

// A file without a name, on a disk if there is room for one.
Descriptor Nameless() {
  std::string folder = Environment("TMPDIR");
  if (folder.empty()) folder = "/tmp";
  Descriptor file(OpenAgain(folder, O_TMPFILE | O_RDWR, 0600));
  return file.get() >= 0 ? std::move(file)
                         : Descriptor(memfd_create("output", MFD_CLOEXEC));
}

// False with errno.
bool Copy(int from, int to, off_t size) {
  std::array<uint8_t, 65536> part;
  for (off_t done = 0; done < size;) {
    const ssize_t n = pread(from, part.data(), part.size(), done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    if (!WriteAll(to, Bytes(part.data(), static_cast<size_t>(n)))) return false;
    done += n;
  }
  return true;
}

// Where no file can be renamed over the old one: writes the contents of `from`
// into it. The space is there before the old bytes go, so that a full disk
// loses nothing; a crash may.
Status WriteInPlace(const std::string& path, int from) {
  Descriptor file(OpenAgain(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) return WriteError(path, "cannot write", errno);
  struct stat info, source;
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return IoError(path + ": is no longer a regular file");
  if (fstat(from, &source) != 0) return WriteError(path, "cannot write", errno);
  if (source.st_size > info.st_size) {
    const HoldSignals hold;
    // Where the file system cannot set space aside, the write says so.
    if (fallocate(file.get(), 0, 0, source.st_size) != 0 &&
        errno != EOPNOTSUPP && errno != ENOSYS) {
      const int error = errno;
      (void)!ftruncate(file.get(), info.st_size);
      return WriteError(path, "cannot write", error);
    }
  }
  if (!Copy(from, file.get(), source.st_size))
    return WriteError(path, "cannot write", errno);
  if (ftruncate(file.get(), source.st_size) != 0)
    return WriteError(path, "cannot shorten", errno);
  if (!Sync(file.get())) return WriteError(path, "cannot sync", errno);
  if (file.Close() != 0) return WriteError(path, "cannot close", errno);
  return Status();
}

bool MayNotChangeFolder(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::string target, FollowLinks(path));
  std::unique_ptr<OutputFile> file(new OutputFile(target));
  struct stat info;
  const bool exists = lstat(target.c_str(), &info) == 0;
  if (!exists && errno != ENOENT)
    return WriteError(path, "cannot write", errno);
  if (!exists || S_ISREG(info.st_mode)) {
    MUNJA_RETURN_IF_ERROR(file->OpenBeside(exists));
    return file;
  }
  file->path_ = path;
  if (S_ISLNK(info.st_mode)) {
    // An open file of a process. Ours is written where it stands, which a
    // second opening would not do.
    const int own = OwnDescriptor(target);
    if (own == STDOUT_FILENO) file->path_ += " (standard output)";
    file->file_ = Descriptor(own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 3)
                                      : OpenAgain(target, O_WRONLY));
  } else if (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode)) {
    file->file_ = Descriptor(OpenAgain(target, O_WRONLY | O_NOFOLLOW));
  } else if (S_ISDIR(info.st_mode)) {
    return IoError(path + ": is a folder; a file is to be written");
  } else {
    return IoError(path +
                   (S_ISBLK(info.st_mode) ? ": is a disk" : ": is a socket") +
                   ", which is not written to");
  }
  if (file->file_.get() < 0)
    return WriteError(file->path_, "cannot open for writing", errno);
  return file;
}

Status OutputFile::OpenBeside(bool exists) {
  if (path_.empty() || path_.ends_with('/'))
    return IoError("'" + path_ + "' names no file to write to");
  // Where the folder may be changed, a file that may not would be replaced all
  // the same.
  if (exists && faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    return WriteError(path_, "cannot write", errno);
  target_ = Target::kReplaced;
  do {
    temporary_ =
        FolderOf(path_) + "/" + kTemporaryStart + RandomName() + kTemporaryEnd;
    file_ =
        Descriptor(OpenAgain(temporary_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                             exists ? 0600 : 0666));
  } while (file_.get() < 0 && errno == EEXIST);
  if (file_.get() >= 0) return Status();
  temporary_.clear();
  if (!exists || !MayNotChangeFolder(errno))
    return WriteError(path_, "cannot create", errno);
  target_ = Target::kOverwritten;
  file_ = Nameless();
  return file_.get() >= 0 ? Status() : WriteError(path_, "cannot write", errno);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::Write(Bytes bytes) {
  if (WriteAll(file_.get(), bytes)) return Status();
  return WriteError(path_, "cannot write", errno);
}

Status OutputFile::Commit() {
  if (target_ == Target::kOverwritten) return WriteInPlace(path_, file_.get());
  struct stat old;
  const bool has_old = target_ == Target::kReplaced &&
                       lstat(path_.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  if (has_old) KeepAttributes(path_, old, file_.get());
  if (!Sync(file_.get())) return WriteError(path_, "cannot sync", errno);
  if (file_.Close() != 0) return WriteError(path_, "cannot close", errno);
  if (target_ == Target::kStream) return Status();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    // A file that is mounted, or another user's in a folder for everybody.
    if (!has_old || !MayNotChangeFolder(errno))
      return WriteError(path_, "cannot rename into place", errno);
    const Descriptor whole(OpenAgain(temporary_, O_RDONLY | O_NOFOLLOW));
    return WriteInPlace(path_, whole.get());
  }
  temporary_.clear();
  return SyncFolder(FolderOf(path_));
}

Status WriteFile(const std::string& path, Bytes bytes) {
  MUNJA_ASSIGN_OR_RETURN(const auto file, OutputFile::Open(path));
  MUNJA_RETURN_IF_ERROR(file->Write(bytes));
  return file->Commit();
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(
      path, Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace munja
