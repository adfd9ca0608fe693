// Where messages go.
#ifndef MUNJA_TFLITE_CORE_API_ERROR_REPORTER_H_
#define MUNJA_TFLITE_CORE_API_ERROR_REPORTER_H_

#include <cstdarg>

namespace tflite {

class ErrorReporter {
 public:
  virtual ~ErrorReporter() = default;
  // As vprintf.
  virtual int Report(const char* format, va_list args) = 0;
  int Report(const char* format, ...) {
    va_list args;
    va_start(args, format);
    const int result = Report(format, args);
    va_end(args);
    return result;
  }
  int ReportError(void*, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const int result = Report(format, args);
    va_end(args);
    return result;
  }
};

}  // namespace tflite

#define TF_LITE_REPORT_ERROR(reporter, ...)                               \
  do {                                                                    \
    static_cast<::tflite::ErrorReporter*>(reporter)->Report(__VA_ARGS__); \
  } while (false)

#endif  // MUNJA_TFLITE_CORE_API_ERROR_REPORTER_H_
