#include "nn/manager/trace.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"

namespace munja::nn {

TraceFile::~TraceFile() {
  if (const Status status = Write(); !status.ok())
    Log(Severity::kWarning, "trace: " + std::string(status.message()));
}

void TraceFile::Add(const char* category, std::string name,
                    Clock::time_point begin, Clock::time_point end,
                    Details details) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  const std::lock_guard lock(mutex_);
  if (events_.size() == kMaxEvents) {
    ++left_out_;
    return;
  }
  events_.push_back(
      {category, std::move(name),
       duration_cast<microseconds>(begin.time_since_epoch()).count(),
       duration_cast<microseconds>(end - begin).count(), gettid(),
       std::move(details)});
}

Status TraceFile::Write() {
  nlohmann::ordered_json all;
  nlohmann::ordered_json& list = all["traceEvents"];
  list = nlohmann::ordered_json::array();
  {
    const std::lock_guard lock(mutex_);
    for (const Event& event : events_) {
      nlohmann::ordered_json args = nlohmann::ordered_json::object();
      for (const auto& [name, value] : event.details) args[name] = value;
      list.push_back({{"name", event.name},
                      {"cat", event.category},
                      {"ph", "X"},
                      {"ts", event.begin_us},
                      {"dur", event.duration_us},
                      {"pid", getpid()},
                      {"tid", event.thread},
                      {"args", std::move(args)}});
    }
    all["otherData"] = {{"events_left_out", left_out_}};
  }
  return WriteFile(path_, all.dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace));
}

}  // namespace munja::nn
