// Verbose logging of the accelerator layer: lines of the log (base/log.h) by
// subject, all off by default.
#ifndef MUNJA_HAL_MANAGER_VLOG_H_
#define MUNJA_HAL_MANAGER_VLOG_H_

#include <string>
#include <string_view>

#include "base/log.h"
#include "base/status.h"

namespace munja::hal {

enum class Subject : unsigned {
  kModel = 1,        // Which nodes become what, and which do not.
  kCompilation = 2,  // Assignment to devices, and use of the cache.
  kExecution = 4,    // Each request.
  kDriver = 8,       // Answers of drivers.
  kManager = 16,     // Devices that come, fail, and are idle.
};

// "compilation,driver", "all", "" for none. kInvalidArgument names what is no
// subject. Until it is called $MUNJA_VLOG says it.
Status SetVerbose(std::string_view subjects);
bool IsVerbose(Subject subject);

// The text is made only if the subject is enabled.
template <class MakeText>
void Vlog(Subject subject, const MakeText& make_text);

void LogVerbose(Subject subject, const std::string& text);
template <class MakeText>
void Vlog(Subject subject, const MakeText& make_text) {
  if (IsVerbose(subject)) LogVerbose(subject, make_text());
}

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_VLOG_H_
