// The log and traces of the process.
#include "munja/log.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "capi/runtime/guard.h"
#include "munja/devices.h"
#include "runtime/trace.h"

using munja::Status;
using munja::capi::Guard;

extern "C" {

munja_status munja_trace(const char* path) {
  return Guard([&]() -> Status {
    using munja::runtime::TraceFile;
    if (path != nullptr) {
      munja::runtime::SetProcessTrace(std::make_shared<TraceFile>(path));
      return Status();
    }
    const std::shared_ptr<TraceFile> file = munja::runtime::ProcessTrace();
    munja::runtime::SetProcessTrace(nullptr);
    return file == nullptr ? Status() : file->Finish();
  });
}

void munja_set_log(munja_log log, void* user) {
  Guard([&]() -> Status {
    munja::LogSink sink;
    if (log != nullptr) {
      sink = [log, user](munja::Severity severity, std::string_view line) {
        log(user, static_cast<munja_log_severity>(severity),
            std::string(line).c_str());
      };
    }
    munja::SetLogSink(std::move(sink));
    return Status();
  });
}

}  // extern "C"
