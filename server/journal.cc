#include "server/journal.h"

#include <unistd.h>

#include <cstdio>

namespace munja::server {
namespace {

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string Described(const std::string& name, const std::string& help,
                      const char* type) {
  return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

std::string Counter(const std::string& name, const std::string& help,
                    uint64_t value) {
  return Described(name, help, "counter") + name + " " + std::to_string(value) +
         "\n";
}

}  // namespace

void LogLine(std::string_view level, std::string_view event, const Json& more) {
  nlohmann::ordered_json line = {
      {"time", TimeText()}, {"level", level}, {"event", event}};
  for (const auto& [name, value] : more.items()) line[name] = value;
  const std::string text =
      line.dump(-1, ' ', false,
                nlohmann::ordered_json::error_handler_t::replace) +
      "\n";
  // One call: lines of workers come between, not into it.
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

void Metrics::Histogram::Add(double seconds) {
  for (size_t i = 0; i < kBounds.size(); ++i)
    if (seconds <= kBounds[i]) ++below[i];
  ++count;
  sum += seconds;
}

std::string Metrics::Histogram::Text(const std::string& name,
                                     const std::string& help) const {
  std::string text = Described(name, help, "histogram");
  for (size_t i = 0; i < kBounds.size(); ++i)
    text += name + "_bucket{le=\"" + Number(kBounds[i]) + "\"} " +
            std::to_string(below[i]) + "\n";
  return text + name + "_bucket{le=\"+Inf\"} " + std::to_string(count) + "\n" +
         name + "_sum " + Number(sum) + "\n" + name + "_count " +
         std::to_string(count) + "\n";
}

void Metrics::CountRequest(const std::string& route, int status, double seconds,
                           uint64_t bytes_in, uint64_t bytes_out) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  request_seconds_.Add(seconds);
  bytes_in_ += bytes_in;
  bytes_out_ += bytes_out;
}

void Metrics::CountRead(int pages, double waited, double seconds) {
  const std::lock_guard lock(mutex_);
  pages_ += static_cast<uint64_t>(pages);
  wait_seconds_.Add(waited);
  read_seconds_.Add(seconds);
}

void Metrics::CountRestart() {
  const std::lock_guard lock(mutex_);
  ++restarts_;
}

std::string Metrics::Text(
    const std::map<std::pair<std::string, std::string>, double>& gauges) const {
  const std::lock_guard lock(mutex_);
  std::string text =
      Described("munja_requests_total", "Requests answered.", "counter");
  for (const auto& [key, count] : requests_)
    text += "munja_requests_total{route=\"" + key.first + "\",status=\"" +
            std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
  text += request_seconds_.Text("munja_request_seconds",
                                "From the head of a request to its answer.");
  text += wait_seconds_.Text("munja_wait_seconds",
                             "From the end of a request to a free worker.");
  text += read_seconds_.Text("munja_read_seconds",
                             "Time of a worker for a request.");
  text += Counter("munja_pages_total", "Pages read.", pages_);
  text += Counter("munja_received_bytes_total", "Bytes of bodies received.",
                  bytes_in_);
  text +=
      Counter("munja_sent_bytes_total", "Bytes of bodies sent.", bytes_out_);
  text += Counter("munja_worker_restarts_total",
                  "Workers started in the place of one that ended.", restarts_);
  for (const auto& [name, value] : gauges)
    text += Described(name.first, name.second, "gauge") + name.first + " " +
            Number(value) + "\n";
  return text;
}

}  // namespace munja::server
