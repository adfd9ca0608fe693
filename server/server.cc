#include "server/server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "server/front.h"

namespace munja::server {
namespace {

using TlsContext = std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)>;

// Null without TLS, or with what is wrong in *problem.
TlsContext MakeTls(const ServerOptions& options, std::string* problem) {
  TlsContext tls(nullptr, &::SSL_CTX_free);
  if (options.tls_certificate.empty()) return tls;
  tls.reset(::SSL_CTX_new(::TLS_server_method()));
  if (tls == nullptr) {
    *problem = "TLS is not available";
    return tls;
  }
  ::SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  ::SSL_CTX_set_options(tls.get(), SSL_OP_NO_RENEGOTIATION);
  const std::string& certificate = options.tls_certificate;
  if (::SSL_CTX_use_certificate_chain_file(tls.get(), certificate.c_str()) != 1)
    *problem = certificate + ": no certificate (PEM) can be read from it";
  else if (::SSL_CTX_use_PrivateKey_file(tls.get(), options.tls_key.c_str(),
                                         SSL_FILETYPE_PEM) != 1)
    *problem = options.tls_key + ": it is not the key (PEM) of " + certificate;
  ::ERR_clear_error();
  return tls;
}

// For units of type "notify".
void TellSystemd(const std::string& state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  std::strcpy(address.sun_path, path);  // NOLINT: the size is checked.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) +
                                           std::strlen(path));
  ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

int Fail(const std::string& message, int code) {
  LogLine("error", "failed", {{"message", message}});
  return code;
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

int Serve(const ServerOptions& options, int unavailable) {
  // Signals are taken by sigtimedwait() below; threads inherit the mask.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  ApiKeys keys;
  std::string problem;
  if (!options.api_keys.empty()) problem = keys.Load(options.api_keys);
  if (!problem.empty()) return Fail(problem, unavailable);
  const TlsContext tls = MakeTls(options, &problem);
  if (!problem.empty()) return Fail(problem, unavailable);
  Metrics metrics;
  Pool pool(options, &metrics);
  Jobs jobs(options.limits, &pool);
  Front front(options, keys, tls.get(), &pool, &jobs, &metrics);
  // Before the workers start: a port that is taken is told at once.
  const int port = front.Bind();
  if (port < 0)
    return Fail(options.host + ", port " + std::to_string(options.port) +
                    " cannot be listened on: " + std::strerror(errno),
                unavailable);
  if (const int code = pool.Start(); code != 0) return code;
  std::thread listener([&front] { front.listen_after_bind(); });
  const bool is_ipv6 = options.host.find(':') != std::string::npos;
  LogLine("info", "listening",
          {{"url", (tls != nullptr ? "https://" : "http://") +
                       (is_ipv6 ? "[" + options.host + "]" : options.host) +
                       ":" + std::to_string(port)},
           {"workers", options.workers},
           {"model", pool.model()}});
  if (keys.empty() && !IsLoopback(options.host))
    LogLine("warning", "open",
            {{"message",
              "everyone who reaches this address may read: there are no API "
              "keys (--api-key-file)"}});
  TellSystemd("READY=1");
  int signal = 0;
  while (signal <= 0) {
    const timespec moment = {0, 500'000'000};
    signal = ::sigtimedwait(&ends, nullptr, &moment);
    jobs.Sweep();
  }
  LogLine("info", "stopping",
          {{"queued", pool.queued()}, {"running", pool.running()}});
  TellSystemd("STOPPING=1");
  // A second signal ends the program where it stands.
  std::thread impatient([ends] {
    siginfo_t info;
    while (::sigwaitinfo(&ends, &info) < 0 && errno == EINTR) {
    }
    ::_exit(128 + info.si_signo);
  });
  impatient.detach();
  // Connections that are open go on until they have their answers.
  front.Stop();
  pool.Drain(Clock::now() + Seconds(options.limits.drain_seconds));
  listener.join();
  LogLine("info", "stopped", Json::object());
  return 0;
}

}  // namespace munja::server
