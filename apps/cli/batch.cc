#include "cli/batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/page_files.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

namespace fs = std::filesystem;

void Replace(const std::string& what, const std::string& by,
             std::string* text) {
  for (size_t at = 0; (at = text->find(what, at)) != std::string::npos;
       at += by.size())
    text->replace(at, what.size(), by);
}

// Where the files of an input go, without their extensions.
std::string BaseOf(const BatchArguments& a, const Inputs& inputs, size_t i) {
  const fs::path file = inputs.files[i];
  std::string name = a.name;
  Replace("{folder}", inputs.folders[i].empty() ? "." : inputs.folders[i],
          &name);
  Replace("{stem}", file.stem().string(), &name);
  Replace("{name}", file.filename().string(), &name);
  return (fs::path(a.folder) / name).lexically_normal().string();
}

class Batch {
 public:
  Batch(munja::Engine& engine, const BatchArguments& arguments,
        const Inputs& inputs)
      : engine_(engine), a_(arguments), inputs_(inputs) {
    codes_.assign(inputs.files.size(), kWaiting);
  }

  // Two inputs never go to one file.
  int NameOutputs() {
    std::map<std::string, size_t> taken;
    for (size_t i = 0; i < inputs_.files.size(); ++i) {
      bases_.push_back(BaseOf(a_, inputs_, i));
      const auto [other, is_new] = taken.emplace(bases_.back(), i);
      if (is_new) continue;
      return UsageError(inputs_.files[other->second] + " and " +
                        inputs_.files[i] + " would both be written to " +
                        bases_.back() +
                        ".*: name them apart, for example with --output-name "
                        "'{folder}/{name}'");
    }
    return CheckNoneIsInput();
  }

  void Run() {
    size_t jobs = a_.jobs > 0
                      ? static_cast<size_t>(a_.jobs)
                      : std::max(std::thread::hardware_concurrency(), 1u);
    jobs = std::min(jobs, inputs_.files.size());
    FinishWhatIsInHand();
    start_ = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (size_t i = 0; i < jobs; ++i) {
      workers.emplace_back([this] {
        const ThreadLimits limits;
        for (size_t k = next_++; k < codes_.size() && Interrupted() == 0;
             k = next_++) {
          RestartTime();
          codes_[k] = ReadFile(k);
          Tell(k);
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    ClearProgress();
  }

  int Report() const {
    size_t done = 0, failed = 0;
    int first = inputs_.errors > 0 ? kBadInput : kSuccess;
    for (const int code : codes_) {
      if (code == kWaiting) continue;
      code == kSuccess ? ++done : ++failed;
      if (first == kSuccess) first = code;
    }
    if (failed > 0) {
      PrintError("", std::to_string(failed) + " of " +
                         std::to_string(codes_.size()) +
                         " files could not be read:");
      for (size_t i = 0; i < codes_.size(); ++i)
        if (codes_[i] != kSuccess && codes_[i] != kWaiting)
          PrintError("", "  " + inputs_.files[i]);
    }
    if (Interrupted() != 0) {
      PrintError("", std::to_string(done) + " of " +
                         std::to_string(codes_.size()) +
                         " files are done; the same command with --resume "
                         "reads the others");
      // A run that was ended is none that succeeded.
      return first == kSuccess ? kSomeFailed : first;
    }
    return first != kSuccess && done > 0 ? kSomeFailed : first;
  }

 private:
  static constexpr int kWaiting = -1;

  // No file that is written replaces one that is read.
  int CheckNoneIsInput() const {
    std::map<std::string, size_t> inputs;  // By the file that a name leads to.
    for (const std::string& base : bases_) {
      for (const std::string& name : PageFiles::NamesOf(a_.formats, base)) {
        std::error_code error;
        if (!fs::is_regular_file(name, error)) continue;
        if (inputs.empty())
          for (size_t i = 0; i < inputs_.files.size(); ++i)
            inputs.emplace(fs::weakly_canonical(inputs_.files[i], error), i);
        const auto same = inputs.find(fs::weakly_canonical(name, error));
        if (same == inputs.end()) continue;
        const int code = CheckIsOther(name, inputs_.files[same->second]);
        if (code != kSuccess) return code;
      }
    }
    return kSuccess;
  }

  // All files of it are there: each is written whole.
  bool IsDone(const PageFiles& files) const {
    const std::vector<std::string> names = files.names();
    return std::all_of(names.begin(), names.end(), [](const std::string& name) {
      std::error_code error;
      return fs::is_regular_file(name, error);
    });
  }

  int ReadFile(size_t i) {
    PageFiles files;
    if (const int code = files.OpenBase(a_.formats, bases_[i]);
        code != kSuccess)
      return code;
    if (a_.resumes && IsDone(files)) return kSuccess;
    const FileOutcome read = ReadPages(
        engine_, inputs_.files[i], a_.pages, "", [&](const ReadPage& page) {
          std::error_code error;
          fs::create_directories(fs::path(bases_[i]).parent_path(), error);
          return files.Add(page.page, page.options, page.name);
        });
    if (read.pages == 0) return read.first_failure;
    const int code = files.Finish();
    return read.first_failure == kSuccess ? code : read.first_failure;
  }

  // "[12/340] 3.1/s, 105 s left".
  void Tell(size_t i) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++told_;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
            .count();
    const double rate = static_cast<double>(told_) / std::max(seconds, 1e-3);
    const double left = static_cast<double>(codes_.size() - told_) / rate;
    char text[80];
    std::snprintf(text, sizeof text, "%.1f/s, %.0f s left: ", rate, left);
    ShowProgress(told_, codes_.size(), text + inputs_.files[i]);
  }

  munja::Engine& engine_;
  const BatchArguments& a_;
  const Inputs& inputs_;
  std::vector<std::string> bases_;
  std::vector<int> codes_;  // By input.
  std::atomic<size_t> next_{0};
  std::mutex mutex_;  // Guards the following members.
  size_t told_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

int ReadBatch(munja::Engine& engine, const BatchArguments& arguments,
              const Inputs& inputs) {
  Batch batch(engine, arguments, inputs);
  if (const int code = batch.NameOutputs(); code != kSuccess) return code;
  std::error_code error;
  fs::create_directories(arguments.folder, error);
  std::error_code ignored;
  if (!fs::is_directory(arguments.folder, ignored)) {
    if (!error) error = ignored;
    PrintError(arguments.folder, "cannot make the folder: " + error.message());
    return kCannotWrite;
  }
  batch.Run();
  return batch.Report();
}

}  // namespace munja::cli
