// munja serve: reading over HTTP.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/tool_commands.h"
#include "cli/usage.h"
#ifdef MUNJA_HAS_SERVER
#include "server/server.h"
#endif

namespace munja::cli {

#ifdef MUNJA_HAS_SERVER
namespace {

struct ServeArguments {
  server::ServerOptions options;
  EngineArguments engine;
  std::string max_body;
  int worker_socket = -1;  // In a worker, which the server starts.
};

// The words that this program was started with.
std::vector<std::string> CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

int ServeAsWorker(const ServeArguments& a) {
  std::optional<munja::Engine> engine;
  if (const int code = CreateEngine(a.engine, &engine); code != kSuccess)
    return code;
  const server::MakeEngine make = [&a](const std::string& languages,
                                       const std::string& allowed) {
    EngineArguments arguments = a.engine;
    if (!languages.empty()) {
      arguments.languages = languages;
      arguments.no_language = false;
    }
    arguments.allowed_characters = allowed;
    return MakeEngine(arguments);
  };
  return server::RunWorker(a.worker_socket, a.options.limits,
                           *std::move(engine), make);
}

int Serve(ServeArguments a) {
  server::ServerOptions& options = a.options;
  const munja::ControlOptions limits = GivenLimits(options.limits.seconds);
  options.limits.seconds = limits.seconds > 0 ? limits.seconds : 1e9;
  options.limits.max_memory = limits.max_memory;
  options.limits.max_pixels = limits.max_pixels;
  options.quiet = IsQuiet();
  if (!a.max_body.empty()) {
    int64_t bytes = 0;
    ParseSize(a.max_body, &bytes);
    if (bytes <= 0) return UsageError("--max-body must be at least one byte");
    options.limits.max_body = static_cast<size_t>(bytes);
  }
  // By default a worker has one thread, and there are as many as processors.
  if (a.engine.threads == 0) a.engine.threads = 1;
  if (a.worker_socket >= 0) return ServeAsWorker(a);
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return UsageError("--tls-cert and --tls-key belong together");
  if (options.workers == 0)
    options.workers =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()) /
                        a.engine.threads);
  // Workers are this program with the same options.
  options.worker_command = CommandLine();
  options.worker_command.emplace_back("--worker-socket");
  return server::Serve(options, kUnavailable);
}

}  // namespace

void AddServe(CLI::App& app, Action* action) {
  auto a = std::make_shared<ServeArguments>();
  CLI::App* command = AddToolCommand(app, kServeCommand);
  server::ServerOptions& o = a->options;
  server::Limits& limits = o.limits;
  o.workers = 0;
  constexpr int kMany = std::numeric_limits<int>::max();
  constexpr char kRequests[] = "Requests", kAccess[] = "Access";
  command->add_option("--host", o.host,
                      "Address to listen on (default: 127.0.0.1, this machine "
                      "only; 0.0.0.0 or :: for all)");
  command
      ->add_option("--port", o.port,
                   "Port to listen on (default: 8080; 0: any that is free)")
      ->check(Between(0, 65535));
  command
      ->add_option("--workers", o.workers,
                   "Processes that read (default: one per core and thread)")
      ->check(Between(0, 1024));
  command
      ->add_option("--max-body", a->max_body,
                   "Largest body of a request, such as 64M (the default)")
      ->check(IsSize())
      ->group(kRequests);
  command
      ->add_option("--max-pages", limits.max_pages,
                   "Most pages of a request (default: 500)")
      ->check(Between(1, kMany))
      ->group(kRequests);
  command
      ->add_option("--queue", limits.queue,
                   "Requests that may wait for a worker (default: 64)")
      ->check(Between(0, 100000))
      ->group(kRequests);
  command
      ->add_option("--max-connections", limits.connections,
                   "Open connections, half of them from one address (default: "
                   "512)")
      ->check(Between(1, 100000))
      ->group(kRequests);
  command
      ->add_option("--upload-timeout", limits.upload_seconds,
                   "Seconds that a body may take to arrive (default: 120)")
      ->check(Between(0.1, 1e9))
      ->group(kRequests);
  command
      ->add_option("--max-jobs", limits.jobs,
                   "Jobs that are kept, finished ones included (default: 100)")
      ->check(Between(0, 1000000))
      ->group(kRequests);
  command
      ->add_option("--job-timeout", limits.job_seconds,
                   "Seconds that a job may wait and take (default: 3600)")
      ->check(Between(0.1, 1e9))
      ->group(kRequests);
  command
      ->add_option("--keep-jobs", limits.keep_job_seconds,
                   "Seconds that results of jobs are kept (default: 600)")
      ->check(Between(0.0, 1e9))
      ->group(kRequests);
  command
      ->add_option("--drain-timeout", limits.drain_seconds,
                   "Seconds that requests have to finish after SIGTERM "
                   "(default: 30)")
      ->check(Between(0.0, 1e9))
      ->group(kRequests);
  command
      ->add_option("--api-key-file", o.api_keys,
                   "File with a key per line, a name before it or not; clients "
                   "must send one")
      ->group(kAccess);
  command
      ->add_option("--tls-cert", o.tls_certificate,
                   "Certificate chain (PEM): serve HTTPS")
      ->group(kAccess);
  command->add_option("--tls-key", o.tls_key, "Key of the certificate (PEM)")
      ->group(kAccess);
  command
      ->add_option("--cors-origin", o.cors_origin,
                   "Origin whose pages may use the server, such as "
                   "https://example.com; * for all (default: none)")
      ->group(kAccess);
  AddEngineOptions(*command, &a->engine);
  command->add_option("--worker-socket", a->worker_socket)->group("");
  command->footer(
      "Examples:\n"
      "  munja serve\n"
      "  curl --data-binary @receipt.jpg -H 'Content-Type: image/jpeg' \\\n"
      "    'http://127.0.0.1:8080/v1/read?format=text'");
  command->callback([a, action] { *action = [a] { return Serve(*a); }; });
}

#else

void AddServe(CLI::App& app, Action* action) {
  CLI::App* command = AddToolCommand(app, kServeCommand);
  command->prefix_command();
  command->callback([action] {
    *action = [] {
      PrintError("",
                 "serve: this build has no server; install libcpp-httplib-dev "
                 "and build again");
      return static_cast<int>(kUnavailable);
    };
  });
}

#endif

}  // namespace munja::cli
