// How much is logged.
#ifndef MUNJA_TFLITE_LOGGER_H_
#define MUNJA_TFLITE_LOGGER_H_

namespace tflite {

enum LogSeverity {
  TFLITE_LOG_VERBOSE = 0,
  TFLITE_LOG_INFO = 1,
  TFLITE_LOG_WARNING = 2,
  TFLITE_LOG_ERROR = 3,
  TFLITE_LOG_SILENT = 4
};

namespace logging_internal {

inline LogSeverity& MinimumLogSeverity() {
  static LogSeverity minimum = TFLITE_LOG_INFO;
  return minimum;
}

}  // namespace logging_internal

// Covers everything that is compiled into the same library or program; not
// thread-safe.
class LoggerOptions {
 public:
  static LogSeverity GetMinimumLogSeverity() {
    return logging_internal::MinimumLogSeverity();
  }
  // Gives what it was.
  static LogSeverity SetMinimumLogSeverity(LogSeverity new_severity) {
    const LogSeverity before = GetMinimumLogSeverity();
    logging_internal::MinimumLogSeverity() = new_severity;
    return before;
  }
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_LOGGER_H_
