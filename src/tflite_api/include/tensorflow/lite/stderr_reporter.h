// Messages on standard error.
#ifndef MUNJA_TFLITE_STDERR_REPORTER_H_
#define MUNJA_TFLITE_STDERR_REPORTER_H_

#include <cstdarg>

#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/minimal_logging.h"

namespace tflite {

class StderrReporter : public ErrorReporter {
 public:
  using ErrorReporter::Report;
  int Report(const char* format, va_list args) override {
    logging_internal::MinimalLogger::LogFormatted(TFLITE_LOG_ERROR, format,
                                                  args);
    return 0;
  }
};

// One per process; never freed.
inline ErrorReporter* DefaultErrorReporter() {
  static auto* reporter = new StderrReporter;
  return reporter;
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_STDERR_REPORTER_H_
