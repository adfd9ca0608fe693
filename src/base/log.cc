#include "base/log.h"

#include <mutex>
#include <utility>

namespace munja {
namespace {

std::mutex& Mutex() {
  static std::mutex mutex;
  return mutex;
}

// Never destroyed: threads may log while the program ends.
LogSink& Sink() {
  static LogSink& sink = *new LogSink;
  return sink;
}

}  // namespace

void SetLogSink(LogSink sink) {
  const std::lock_guard lock(Mutex());
  std::swap(Sink(), sink);
}

void Log(Severity severity, std::string_view line) {
  const std::lock_guard lock(Mutex());
  if (Sink()) Sink()(severity, line);
}

}  // namespace munja
