// The process of a host.
#ifndef MUNJA_TRANSPORT_PROCESS_H_
#define MUNJA_TRANSPORT_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace munja::hal {

// The descriptor that a host finds its socket at.
inline constexpr int kHostSocket = 3;

// A child process. It is killed and reaped by the destructor.
class HostProcess {
 public:
  struct Started;
  // Starts a program with a socket at kHostSocket, and its error output as
  // its output. kUnavailable.
  static Result<Started> Start(const std::vector<std::string>& command);
  // With this socket.
  static Result<std::unique_ptr<HostProcess>> Start(
      const std::vector<std::string>& command, const Descriptor& socket);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  void Kill();  // And waits for its end.
  bool WaitForEnd(int milliseconds);
  pid_t id() const { return id_; }
  int handle() const { return handle_.get(); }  // Readable at its end, or -1.

 private:
  HostProcess() = default;

  pid_t id_ = 0;
  Descriptor handle_;  // Refers to this process even after its id is reused.
  unsigned generation_ = 0;
};

struct HostProcess::Started {
  std::unique_ptr<HostProcess> process;
  Descriptor socket;
};

// "munja-driver-host" next to the running program, or for PATH to find.
std::string DefaultHostProgram();

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_PROCESS_H_
