// TraceFile: how long what took, in the JSON of Chrome's tracing, which
// Perfetto reads, too.
#ifndef MUNJA_RUNTIME_TRACE_H_
#define MUNJA_RUNTIME_TRACE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace munja::runtime {

// Any thread. Written when it ends, unless that was done before.
class TraceFile {
 public:
  using Clock = std::chrono::steady_clock;
  // Events beyond this are counted and left out.
  static constexpr size_t kMaxEvents = 1'000'000;

  explicit TraceFile(std::string path) : path_(std::move(path)) {}
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // category: "compilation", "execution", "operator". details: names and
  // values.
  using Details = std::vector<std::pair<std::string, std::string>>;
  void Add(const char* category, std::string name, Clock::time_point begin,
           Clock::time_point end, Details details = {});
  // On a track of its own, which has that name, for what no thread of this
  // process does.
  void AddOn(const std::string& track, const char* category, std::string name,
             Clock::time_point begin, Clock::time_point end,
             Details details = {});
  // Writes it; what comes later is left out. kIo.
  Status Finish();

 private:
  void Keep(const char* category, std::string name, Clock::time_point begin,
            Clock::time_point end, int64_t thread, Details details);

  struct Event {
    const char* category;
    std::string name;
    int64_t begin_us, duration_us;
    int64_t thread;
    Details details;
  };

  const std::string path_;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<std::string> tracks_;
  uint64_t left_out_ = 0;
  bool is_finished_ = false;
};

// Where sessions and delegates that are made now tell what they do; null:
// nowhere.
std::shared_ptr<TraceFile> ProcessTrace();
void SetProcessTrace(std::shared_ptr<TraceFile> file);

// From here to the end of the scope; `file` may be null.
class TraceSpan {
 public:
  TraceSpan(TraceFile* file, const char* category, std::string name)
      : file_(file),
        category_(category),
        name_(std::move(name)),
        begin_(TraceFile::Clock::now()) {}
  ~TraceSpan() {
    if (file_ != nullptr)
      file_->Add(category_, std::move(name_), begin_, TraceFile::Clock::now(),
                 std::move(details_));
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  void Tell(std::string name, std::string value) {
    if (file_ != nullptr)
      details_.emplace_back(std::move(name), std::move(value));
  }

 private:
  TraceFile* const file_;
  const char* const category_;
  std::string name_;
  const TraceFile::Clock::time_point begin_;
  TraceFile::Details details_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_TRACE_H_
