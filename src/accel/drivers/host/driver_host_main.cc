// munja-driver-host: one driver's device for one client, who started it and
// left it a socket; or a socket with a name, where each client gets a process
// of its own, so that none can disturb another.
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drivers/built_in/built_in_drivers.h"
#include "hal/c_structs.h"
#include "munja/driver.h"
#include "transport/channel.h"
#include "transport/host_session.h"
#include "transport/process.h"

namespace munja::hal {
namespace {

constexpr size_t kMaxClients = 64;
// How long a driver may take to let go after its client has gone.
constexpr unsigned kSecondsToEnd = 2;

constexpr const char* kUsage =
    "usage: munja-driver-host --listen SOCKET DRIVER\n"
    "\n"
    "Serves a driver of an accelerator at a Unix socket, to each client in a\n"
    "process of its own. DRIVER is a driver's library, with '#' and a number\n"
    "behind it for another device than the first, or 'reference', 'cpu' or\n"
    "'opencl'.\n"
    "A program says unix:SOCKET where it wants the driver; it starts a host "
    "by\n"
    "itself where it says DRIVER.\n";

void LogToClient(void*, int32_t severity, const char* line) {
  SendLog(kHostSocket, severity, line);
}

struct Opened {
  munja_nn_device* device = nullptr;
  std::string why;  // There is none.
};

Opened OpenLibrary(const std::string& driver) {
  std::string file = driver;
  uint32_t index = 0;
  if (const size_t at = driver.rfind('#');
      at != driver.npos && at + 1 < driver.size() && driver.size() - at < 6 &&
      driver.find_first_not_of("0123456789", at + 1) == driver.npos) {
    file = driver.substr(0, at);
    for (size_t i = at + 1; i < driver.size(); ++i)
      index = 10 * index + static_cast<uint32_t>(driver[i] - '0');
  }
  if (file.find('/') == file.npos) file = "./" + file;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return {nullptr, std::string("cannot be opened as a driver: ") +
                         (reason == nullptr ? "" : reason)};
  }
  const auto entry = reinterpret_cast<munja_driver_entry_function>(
      dlsym(library, MUNJA_DRIVER_ENTRY));
  if (entry == nullptr)
    return {nullptr, "is no driver: it has no " MUNJA_DRIVER_ENTRY};
  static constexpr munja_nn_host kHost = {sizeof(munja_nn_host), nullptr,
                                          LogToClient};
  const munja_nn_driver table = ReadStruct(entry(&kHost));
  if (table.abi != MUNJA_DRIVER_ABI || table.open == nullptr)
    return {nullptr, "is a driver for another version"};
  if (index >= table.device_count)
    return {nullptr, "has " + std::to_string(table.device_count) + " devices"};
  munja_nn_device* device = nullptr;
  if (table.open(table.self, index, &device) != MUNJA_NN_NONE ||
      device == nullptr)
    return {nullptr, "does not open its device"};
  return {device, ""};
}

int ServeOne(const std::string& driver) {
  Opened opened;
  if (const auto* const built_in = drivers::FindBuiltIn(driver);
      built_in != nullptr)
    opened.device = built_in->open(driver, nullptr);
  if (opened.device == nullptr) opened = OpenLibrary(driver);
  {
    HostSession session{Descriptor(kHostSocket), opened.device, opened.why};
    if (!session.Run()) _exit(0);  // No client can use the device any more.
    // A driver that does not come to an end must not keep the process: the
    // signal ends it.
    signal(SIGALRM, SIG_DFL);
    alarm(kSecondsToEnd);
  }
  // Skips the driver's own destructors, which may hang.
  _exit(0);
}

volatile sig_atomic_t is_ending = 0;

int Listen(const std::string& path, const std::string& driver) {
  auto listening = ListenAt(path);
  if (!listening.ok()) {
    std::fprintf(stderr, "munja-driver-host: %s\n",
                 std::string(listening.status().message()).c_str());
    return 8;
  }
  struct sigaction end = {};
  end.sa_handler = [](int) { is_ending = 1; };
  sigaction(SIGINT, &end, nullptr);
  sigaction(SIGTERM, &end, nullptr);
  // Signals come while it waits and at no other time.
  sigset_t ends, usual;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, &usual);
  std::vector<std::unique_ptr<HostProcess>> clients;
  while (is_ending == 0) {
    std::erase_if(clients, [](const std::unique_ptr<HostProcess>& client) {
      return client->WaitForEnd(0);
    });
    std::vector<pollfd> waits = {{listening->get(), POLLIN, 0}};
    for (const auto& client : clients)
      waits.push_back({client->handle(), POLLIN, 0});
    if (ppoll(waits.data(), waits.size(), nullptr, &usual) < 0) continue;
    if (waits[0].revents == 0) continue;
    const Descriptor socket(
        accept4(listening->get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0 || clients.size() >= kMaxClients) continue;
    auto client =
        HostProcess::Start({"/proc/self/exe", "--connected", driver}, socket);
    if (client.ok()) clients.push_back(std::move(client).value());
  }
  unlink(path.c_str());
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--connected")
    return ServeOne(arguments[1]);
  if (arguments.size() == 3 && arguments[0] == "--listen")
    return Listen(arguments[1], arguments[2]);
  const bool is_asked = arguments.size() == 1 && arguments[0] == "--help";
  std::fputs(kUsage, is_asked ? stdout : stderr);
  return is_asked ? 0 : 2;
}

}  // namespace
}  // namespace munja::hal

int main(int argc, char** argv) {
  return munja::hal::Main(std::vector<std::string>(argv + 1, argv + argc));
}
