// Lines of programs: TFLITE_LOG(INFO) << "text";
#ifndef MUNJA_TFLITE_TOOLS_LOGGING_H_
#define MUNJA_TFLITE_TOOLS_LOGGING_H_

#include <cstdlib>
#include <iostream>
#include <sstream>

namespace tflite::logging {

// Writes what its stream took when it goes: messages and warnings to standard
// output, errors to standard error; FATAL ends the process.
class LoggingWrapper {
 public:
  enum class LogSeverity : int { INFO = 0, WARN = 1, ERROR = 2, FATAL = 3 };

  explicit LoggingWrapper(LogSeverity severity)
      : LoggingWrapper(severity, true) {}
  LoggingWrapper(LogSeverity severity, bool log)
      : severity_(severity), should_log_(log) {}
  ~LoggingWrapper() {
    if (!should_log_) return;
    static constexpr const char* kNames[] = {"INFO", "WARN", "ERROR", "FATAL"};
    std::ostream& out = severity_ >= LogSeverity::ERROR ? std::cerr : std::cout;
    out << kNames[static_cast<int>(severity_)] << ": " << stream_.str()
        << std::endl;
    if (severity_ == LogSeverity::FATAL) std::abort();
  }
  LoggingWrapper(const LoggingWrapper&) = delete;
  LoggingWrapper& operator=(const LoggingWrapper&) = delete;

  std::stringstream& Stream() { return stream_; }

 private:
  std::stringstream stream_;
  LogSeverity severity_;
  bool should_log_;
};

}  // namespace tflite::logging

// minimal_logging.h has a macro of this name for libraries.
#undef TFLITE_LOG
#define TFLITE_LOG(severity)                                    \
  ::tflite::logging::LoggingWrapper(                            \
      ::tflite::logging::LoggingWrapper::LogSeverity::severity) \
      .Stream()
#define TFLITE_MAY_LOG(severity, should_log)                                  \
  ::tflite::logging::LoggingWrapper(                                          \
      ::tflite::logging::LoggingWrapper::LogSeverity::severity, (should_log)) \
      .Stream()
#define TFLITE_TOOLS_CHECK(condition) TFLITE_MAY_LOG(FATAL, !(condition))
#define TFLITE_TOOLS_CHECK_EQ(a, b) TFLITE_TOOLS_CHECK((a) == (b))

#endif  // MUNJA_TFLITE_TOOLS_LOGGING_H_
