// Reporter: where the messages of the C API go.
#ifndef MUNJA_TFLITE_API_REPORTER_H_
#define MUNJA_TFLITE_API_REPORTER_H_

#include <cstdarg>

#include "base/status.h"

namespace munja::compat {

// A function of the application; without one, messages go to standard error,
// as the interface says.
class Reporter {
 public:
  using Function = void (*)(void* user_data, const char* format, va_list args);

  Reporter() = default;
  Reporter(Function function, void* user_data)
      : function_(function), user_data_(user_data) {}

  void Report(const char* format, ...) const
      __attribute__((format(printf, 2, 3)));
  // The message of a failure; nothing for success.
  void Report(const Status& status) const;

 private:
  Function function_ = nullptr;
  void* user_data_ = nullptr;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_REPORTER_H_
