// Lines on standard error.
#ifndef MUNJA_TFLITE_MINIMAL_LOGGING_H_
#define MUNJA_TFLITE_MINIMAL_LOGGING_H_

#include <cstdarg>
#include <cstdio>

#include "tensorflow/lite/logger.h"

namespace tflite {

namespace logging_internal {

class MinimalLogger {
 public:
  static void Log(LogSeverity severity, const char* format, ...) {
    va_list args;
    va_start(args, format);
    LogFormatted(severity, format, args);
    va_end(args);
  }
  static void LogFormatted(LogSeverity severity, const char* format,
                           va_list args) {
    if (severity < GetMinimumLogSeverity()) return;
    std::fprintf(stderr, "%s: ", GetSeverityName(severity));
    std::vfprintf(stderr, format, args);
    std::fputc('\n', stderr);
  }
  static LogSeverity GetMinimumLogSeverity() {
    return LoggerOptions::GetMinimumLogSeverity();
  }
  // Gives what it was.
  static LogSeverity SetMinimumLogSeverity(LogSeverity severity) {
    return LoggerOptions::SetMinimumLogSeverity(severity);
  }
  static const char* GetSeverityName(LogSeverity severity) {
    switch (severity) {
      case TFLITE_LOG_VERBOSE:
        return "VERBOSE";
      case TFLITE_LOG_INFO:
        return "INFO";
      case TFLITE_LOG_WARNING:
        return "WARNING";
      case TFLITE_LOG_ERROR:
        return "ERROR";
      default:
        return "<unknown severity>";
    }
  }
};

}  // namespace logging_internal
}  // namespace tflite

// The format is among the arguments, so that there may be no others.
#define TFLITE_LOG_PROD(severity, ...) \
  ::tflite::logging_internal::MinimalLogger::Log(severity, __VA_ARGS__)
#define TFLITE_LOG_PROD_ONCE(severity, ...)   \
  do {                                        \
    static const bool tflite_logged_ = [&] {  \
      TFLITE_LOG_PROD(severity, __VA_ARGS__); \
      return true;                            \
    }();                                      \
    (void)tflite_logged_;                     \
  } while (false)
#ifdef NDEBUG
#define TFLITE_LOG(severity, ...) ((void)0)
#define TFLITE_LOG_ONCE(severity, ...) ((void)0)
#else
#define TFLITE_LOG(severity, ...) TFLITE_LOG_PROD(severity, __VA_ARGS__)
#define TFLITE_LOG_ONCE(severity, ...) \
  TFLITE_LOG_PROD_ONCE(severity, __VA_ARGS__)
#endif

#endif  // MUNJA_TFLITE_MINIMAL_LOGGING_H_
