// The log and the figures of the server. Neither has anything of what is read:
// no names of files, no query, no text.
#ifndef MUNJA_SERVER_JOURNAL_H_
#define MUNJA_SERVER_JOURNAL_H_

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "server/text.h"

namespace munja::server {

// Writes a line to standard error: {"time", "level", "event", ...}.
void LogLine(std::string_view level, std::string_view event, const Json& more);

// Counts what happened. Any number of threads at once.
class Metrics {
 public:
  void CountRequest(const std::string& route, int status, double seconds,
                    uint64_t bytes_in, uint64_t bytes_out);
  void CountRead(int pages, double waited, double seconds);
  void CountRestart();
  // In the text format of Prometheus; `gauges`: name and help, value.
  std::string Text(const std::map<std::pair<std::string, std::string>, double>&
                       gauges) const;

 private:
  static constexpr std::array kBounds = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                         1.0,  2.5,   5.0,  10., 30.,  60.};
  struct Histogram {
    std::array<uint64_t, kBounds.size()> below = {};
    uint64_t count = 0;
    double sum = 0;
    void Add(double seconds);
    std::string Text(const std::string& name, const std::string& help) const;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;
  Histogram request_seconds_, wait_seconds_, read_seconds_;
  uint64_t bytes_in_ = 0, bytes_out_ = 0, pages_ = 0, restarts_ = 0;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_JOURNAL_H_
