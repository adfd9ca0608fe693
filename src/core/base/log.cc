#include "base/log.h"

#include <memory>
#include <utility>

#include "base/fork.h"

namespace munja {
namespace {

constinit ForkSafeMutex<> log_mutex;
// Null: silent. Never destroyed: threads may log while the program ends.
constinit const LogSink* log_sink = nullptr;

}  // namespace

void SetLogSink(LogSink sink) {
  // The one before is destroyed when the lock is given back.
  std::unique_ptr<const LogSink> other;
  if (sink) other = std::make_unique<const LogSink>(std::move(sink));
  const auto lock = log_mutex.Lock();
  // In one step: see ForkSafeMutex.
  other.reset(std::exchange(log_sink, other.release()));
}

void Log(Severity severity, std::string_view line) {
  const auto lock = log_mutex.Lock();
  if (log_sink != nullptr) (*log_sink)(severity, line);
}

}  // namespace munja
