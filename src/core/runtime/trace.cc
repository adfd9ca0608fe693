#include "runtime/trace.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/fork.h"
#include "base/log.h"

namespace munja::runtime {
namespace {

// Above all numbers of threads.
constexpr int64_t kFirstTrack = int64_t{1} << 31;

struct Current {
  ForkSafeMutex<> mutex;
  std::shared_ptr<TraceFile> file;
};
std::unique_ptr<Current> MakeCurrent() { return std::make_unique<Current>(); }
// Never destroyed: a child that fork() made would write its parent's file when
// it ends.
Current& CurrentTrace() { return *MadeOnce<MakeCurrent>(); }

}  // namespace

std::shared_ptr<TraceFile> ProcessTrace() {
  const auto lock = CurrentTrace().mutex.Lock();
  return CurrentTrace().file;
}

void SetProcessTrace(std::shared_ptr<TraceFile> file) {
  const auto lock = CurrentTrace().mutex.Lock();
  CurrentTrace().file.swap(file);
}

TraceFile::~TraceFile() {
  if (is_finished_) return;
  if (const Status status = Finish(); !status.ok())
    Log(Severity::kWarning, "trace: " + std::string(status.message()));
}

void TraceFile::Add(const char* category, std::string name,
                    Clock::time_point begin, Clock::time_point end,
                    Details details) {
  const std::lock_guard lock(mutex_);
  Keep(category, std::move(name), begin, end, gettid(), std::move(details));
}

void TraceFile::AddOn(const std::string& track, const char* category,
                      std::string name, Clock::time_point begin,
                      Clock::time_point end, Details details) {
  const std::lock_guard lock(mutex_);
  auto at = std::ranges::find(tracks_, track);
  if (at == tracks_.end()) at = tracks_.insert(at, track);
  Keep(category, std::move(name), begin, end,
       kFirstTrack + (at - tracks_.begin()), std::move(details));
}

void TraceFile::Keep(const char* category, std::string name,
                     Clock::time_point begin, Clock::time_point end,
                     int64_t thread, Details details) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  if (is_finished_) return;
  if (events_.size() == kMaxEvents) {
    ++left_out_;
    return;
  }
  events_.push_back(
      {category, std::move(name),
       duration_cast<microseconds>(begin.time_since_epoch()).count(),
       duration_cast<microseconds>(end - begin).count(), thread,
       std::move(details)});
}

Status TraceFile::Finish() {
  nlohmann::ordered_json all;
  nlohmann::ordered_json& list = all["traceEvents"];
  list = nlohmann::ordered_json::array();
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    for (size_t t = 0; t < tracks_.size(); ++t)
      list.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", getpid()},
                      {"tid", kFirstTrack + static_cast<int64_t>(t)},
                      {"args", {{"name", tracks_[t]}}}});
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

}  // namespace munja::runtime
