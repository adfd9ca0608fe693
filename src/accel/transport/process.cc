#include "transport/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/fork.h"
#include "base/spawn.h"

namespace munja::hal {
Result<HostProcess::Started> HostProcess::Start(
    const std::vector<std::string>& command) {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Unavailable(SystemMessage(command[0], "no socket", errno));
  Started started;
  started.socket = Descriptor(ends[0]);
  const Descriptor its(ends[1]);
  MUNJA_ASSIGN_OR_RETURN(started.process, Start(command, its));
  return started;
}

Result<std::unique_ptr<HostProcess>> HostProcess::Start(
    const std::vector<std::string>& command, const Descriptor& socket) {
  // Its socket, and nothing else of ours.
  Spawn spawn;
  spawn.Open("/dev/null", O_RDONLY, STDIN_FILENO);
  // Output of a driver must not mix with the program's.
  spawn.Give(STDERR_FILENO, STDOUT_FILENO);
  spawn.Give(socket.get(), kHostSocket);
  pid_t id = 0;
  if (const int error = spawn.Start(command, kHostSocket, &id); error != 0)
    return Unavailable(SystemMessage(command[0], "cannot be started", error));
  std::unique_ptr<HostProcess> process(new HostProcess());
  process->id_ = id;
  process->handle_ =
      Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
  process->generation_ = ForkGeneration();
  return process;
}

bool HostProcess::WaitForEnd(int milliseconds) {
  if (id_ <= 0 || generation_ != ForkGeneration()) return true;
  if (handle_.get() >= 0) {
    pollfd ended = {handle_.get(), POLLIN, 0};
    int result = 0;
    while ((result = poll(&ended, 1, milliseconds)) < 0 && errno == EINTR) {
    }
    if (result == 0) return false;
    // Gone already where the program takes all of its children, or wants none.
    siginfo_t info = {};
    while (waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &info, WEXITED) <
               0 &&
           errno == EINTR) {
    }
  } else {
    // Without a handle only the end that comes soon can be waited for.
    const timespec millisecond = {0, 1'000'000};
    pid_t result = 0;
    for (int i = 0; (result = waitpid(id_, nullptr, WNOHANG)) == 0; ++i) {
      if (i >= milliseconds) return false;
      nanosleep(&millisecond, nullptr);
    }
  }
  id_ = 0;
  return true;
}

void HostProcess::Kill() {
  // A parent's host is not ours to kill or to wait for.
  if (id_ <= 0 || generation_ != ForkGeneration()) return;
  if (handle_.get() >= 0)
    syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0);
  else
    kill(id_, SIGKILL);
  // A device may hold it in the kernel; it does nothing more for itself.
  constexpr int kPatience = 1000;
  WaitForEnd(kPatience);
}

HostProcess::~HostProcess() { Kill(); }

std::string DefaultHostProgram() {
  static constexpr const char* kName = "munja-driver-host";
  std::array<char, 4096> path = {};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size > 0) {
    std::string beside(path.data(), static_cast<size_t>(size));
    beside.replace(beside.rfind('/') + 1, std::string::npos, kName);
    if (IsRegularFile(beside)) return beside;
  }
  return kName;
}

}  // namespace munja::hal
