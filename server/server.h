// The server: reading over HTTP. The process that listens reads no image; it
// passes the bytes to worker processes, so that a crash costs one request.
#ifndef MUNJA_SERVER_SERVER_H_
#define MUNJA_SERVER_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::server {

// Limits of a request. Those of memory, pixels and pages are the worker's.
struct Limits {
  double seconds = 60;            // From the last byte of a request on.
  double job_seconds = 3600;      // The same for jobs.
  double upload_seconds = 120;    // From the head of a request to its end.
  int64_t max_memory = 0;         // As in munja::ControlOptions.
  int64_t max_pixels = 0;         // Likewise.
  size_t max_body = 64u << 20;    // Bytes.
  int max_pages = 500;            // Together in a request.
  int queue = 64;                 // Requests that wait for a worker.
  int connections = 512;          // At once; half of them from one address.
  int jobs = 100;                 // That are kept, finished ones included.
  double keep_job_seconds = 600;  // After their end.
  double drain_seconds = 30;      // For what runs when the server is to end.
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: one that is free.
  int workers = 1;
  Limits limits;
  std::string api_keys;                  // A file; "": everyone may read.
  std::string tls_certificate, tls_key;  // PEM files; "": no TLS.
  std::string cors_origin;               // "": none; "*": all.
  bool quiet = false;                    // Logs warnings and errors only.
  // The command line of a worker; the number of its socket is appended.
  std::vector<std::string> worker_command;
};

// Runs until SIGTERM or SIGINT and returns the number to exit with: 0, that of
// a worker that could not start, or `unavailable` if the server cannot listen.
// Messages and logs go to standard error, one JSON object a line.
int Serve(const ServerOptions& options, int unavailable);

// Makes the engine of a worker for languages and allowed characters, "" for
// those of the model.
using MakeEngine = std::function<munja::Result<munja::Engine>(
    const std::string& languages, const std::string& allowed_characters)>;

// The worker: answers requests from this socket until it is closed.
int RunWorker(int socket, const Limits& limits, munja::Engine engine,
              const MakeEngine& make_engine);

}  // namespace munja::server

#endif  // MUNJA_SERVER_SERVER_H_
