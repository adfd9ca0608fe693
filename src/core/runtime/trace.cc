#include "runtime/trace.h"

#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "base/file.h"
#include "base/fork.h"
#include "base/json_string.h"
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
  // Both ends are rounded alike, so that events stay within those around them.
  const auto at = [](Clock::time_point time) {
    return duration_cast<microseconds>(time.time_since_epoch()).count();
  };
  events_.push_back({category, std::move(name), at(begin), at(end) - at(begin),
                     thread, std::move(details)});
}

Status TraceFile::Finish() {
  // An object with members {name, value}, all of which are JSON already.
  using Members = std::initializer_list<std::pair<const char*, std::string>>;
  std::string all = "{\"traceEvents\":[";
  const std::string process = std::to_string(getpid());
  const auto add = [&](Members members) {
    if (all.back() != '[') all += ',';
    char before = '{';
    for (const auto& [name, value] : members) {
      ((all += before) += JsonString(name)) += ':';
      all += value;
      before = ',';
    }
    all += '}';
  };
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    for (size_t t = 0; t < tracks_.size(); ++t) {
      add({{"name", "\"thread_name\""},
           {"ph", "\"M\""},
           {"pid", process},
           {"tid", std::to_string(kFirstTrack + static_cast<int64_t>(t))},
           {"args", "{\"name\":" + JsonString(tracks_[t]) + "}"}});
    }
    for (const Event& event : events_) {
      std::string args = "{";
      for (const auto& [name, value] : event.details) {
        if (args.size() > 1) args += ',';
        ((args += JsonString(name)) += ':') += JsonString(value);
      }
      add({{"name", JsonString(event.name)},
           {"cat", JsonString(event.category)},
           {"ph", "\"X\""},
           {"ts", std::to_string(event.begin_us)},
           {"dur", std::to_string(event.duration_us)},
           {"pid", process},
           {"tid", std::to_string(event.thread)},
           {"args", args + "}"}});
    }
    all += "],\"otherData\":{\"events_left_out\":" + std::to_string(left_out_) +
           "}}";
  }
  return WriteFile(path_, all);
}

}  // namespace munja::runtime
