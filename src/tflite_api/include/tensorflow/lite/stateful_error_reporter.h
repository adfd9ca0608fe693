// An error reporter that can be asked for what it was told.
#ifndef MUNJA_TFLITE_STATEFUL_ERROR_REPORTER_H_
#define MUNJA_TFLITE_STATEFUL_ERROR_REPORTER_H_

#include <string>

#include "tensorflow/lite/core/api/error_reporter.h"

namespace tflite {

class StatefulErrorReporter : public ErrorReporter {
 public:
  // The last message; empty: none.
  virtual std::string message() = 0;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_STATEFUL_ERROR_REPORTER_H_
