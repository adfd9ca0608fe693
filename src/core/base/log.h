// Log sink: where the library says what is no error but should be known, such
// as a delegate whose nodes run on the CPU after all. Silent unless a program
// sets a sink.
#ifndef MUNJA_BASE_LOG_H_
#define MUNJA_BASE_LOG_H_

#include <functional>
#include <string_view>

namespace munja {

enum class Severity { kInfo, kWarning, kError };

// One line without its end, valid during the call. A sink must not log or set
// a sink.
using LogSink = std::function<void(Severity severity, std::string_view line)>;

// Any thread. Calls of the sink never overlap, and the one before is not called
// any more after this returns. Empty: silent.
void SetLogSink(LogSink sink);

// Any thread.
void Log(Severity severity, std::string_view line);

}  // namespace munja

#endif  // MUNJA_BASE_LOG_H_
