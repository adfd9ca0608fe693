#include "hal/manager/vlog.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <iterator>

namespace munja::hal {
namespace {

constexpr std::string_view kSubjects[] = {"model", "compilation", "execution",
                                          "driver", "manager"};
constexpr unsigned kAllSubjects = (1u << std::size(kSubjects)) - 1;
constexpr unsigned kUnset = 1u << 31;

constinit std::atomic<unsigned> verbose_subjects{kUnset};

Result<unsigned> ReadSubjects(std::string_view text) {
  unsigned subjects = 0;
  while (!text.empty()) {
    const size_t length = std::min(text.find_first_of(" ,:"), text.size());
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (word.empty()) continue;
    unsigned found = word == "all" || word == "1" ? kAllSubjects : 0;
    for (size_t i = 0; i < std::size(kSubjects); ++i)
      if (word == kSubjects[i]) found = 1u << i;
    if (found == 0)
      return InvalidArgument("there is no subject '" + std::string(word) +
                             "' of verbose messages, only model, compilation, "
                             "execution, driver, manager and all");
    subjects |= found;
  }
  return subjects;
}

unsigned Subjects() {
  const unsigned now = verbose_subjects.load(std::memory_order_relaxed);
  if (now != kUnset) return now;
  const char* given = std::getenv("MUNJA_VLOG");
  const auto read = ReadSubjects(given == nullptr ? "" : given);
  if (!read.ok())
    Log(Severity::kWarning,
        "MUNJA_VLOG: " + std::string(read.status().message()));
  const unsigned subjects = read.ok() ? *read : 0;
  verbose_subjects = subjects;
  return subjects;
}

}  // namespace

Status SetVerbose(std::string_view subjects) {
  MUNJA_ASSIGN_OR_RETURN(const unsigned read, ReadSubjects(subjects));
  verbose_subjects = read;
  return Status();
}

bool IsVerbose(Subject subject) {
  return (Subjects() & static_cast<unsigned>(subject)) != 0;
}

void LogVerbose(Subject subject, const std::string& text) {
  const auto number =
      static_cast<size_t>(std::countr_zero(static_cast<unsigned>(subject)));
  Log(Severity::kInfo, "nn " + std::string(kSubjects[number]) + ": " + text);
}

}  // namespace munja::hal
