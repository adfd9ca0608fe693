#include "driver.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <thread>

#include "base/sanitizers.h"

namespace munja::hostile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kSlack = kSanitized ? 3 : 1;
constexpr int kFoundExit = 86;            // A worker has a finding.
constexpr uint64_t kCasesAWorker = 2000;  // A new one holds no old memory.

struct Options {
  uint64_t seed = 1, first = 0, cases = 0;
  double seconds = 10;
  bool once = false;
  size_t findings = 20;
  std::string save = "hostile-findings";
  std::vector<std::string> add;
};

// The state that a worker shares with the process that watches it.
struct Shared {
  std::atomic<uint64_t> number{0};
  std::atomic<bool> busy{false};
  char finding[2000] = "";
};

bool ReadOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 == argc) return false;
    const char* const value = argv[++i];
    char* end = nullptr;
    const double number = std::strtod(value, &end);
    const bool is_number = *value != 0 && *end == 0 && number >= 0;
    if (name == "--add") {
      options.add.emplace_back(value);
    } else if (name == "--save") {
      options.save = value;
    } else if (!is_number) {
      return false;
    } else if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      options.seconds = number;
    } else if (name == "--cases") {
      options.cases = static_cast<uint64_t>(number);
    } else if (name == "--findings") {
      options.findings = static_cast<size_t>(number);
    } else if (name == "--first" || name == "--once") {
      options.first = static_cast<uint64_t>(number);
      options.once = options.once || name == "--once";
    } else {
      return false;
    }
  }
  return true;
}

void WriteFiles(const Case& c, const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder);
  for (const File& file : c.files) {
    const fs::path path = fs::path(folder) / file.name;
    fs::create_directories(path.parent_path(), error);
    switch (file.kind) {
      case File::kRegular: {
        std::ofstream out(path, std::ios::binary);
        out.write(file.bytes.data(),
                  static_cast<std::streamsize>(file.bytes.size()));
        break;
      }
      case File::kFolder:
        fs::create_directories(path, error);
        break;
      case File::kFifo:
        if (mkfifo(path.c_str(), 0600) != 0) std::perror("mkfifo");
        break;
      case File::kDanglingLink:
        fs::create_symlink("nothing-here", path, error);
        break;
    }
  }
}

double Seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

double ProcessorSeconds(pid_t pid) {
  clockid_t clock;
  timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return 0;
  return Seconds(time);
}

// Whether all threads of a process sleep; true also when it is gone.
bool IsAsleep(pid_t pid) {
  std::error_code error;
  const fs::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : fs::directory_iterator(tasks, error)) {
    std::ifstream in(task.path() / "stat");
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const size_t at = text.rfind(')');
    if (at != std::string::npos && at + 2 < text.size() && text[at + 2] == 'R')
      return false;
  }
  return true;
}

size_t ResidentMib(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/statm");
  size_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

class Program {
 public:
  Program(const Settings& settings, const Options& options, Target& target)
      : settings_(settings), options_(options), target_(target) {
    // In memory where there is such a folder: cases are small and many.
    const char* const temp = std::getenv("TMPDIR");
    folder_ = temp != nullptr                        ? temp
              : access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm"
                                                     : "/tmp";
    folder_ += "/munja-hostile-XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) std::perror(folder_.c_str());
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    shared_ = new (memory) Shared;
  }
  ~Program() {
    std::error_code error;
    fs::remove_all(folder_, error);
    munmap(shared_, sizeof(Shared));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int RunOnce() {
    const Case c = Make(options_.first);
    std::printf("%s\n", c.how.c_str());
    const std::string finding = Try(c);
    std::printf("%s\n", finding.empty() ? "nothing found" : finding.c_str());
    if (!finding.empty()) Save(options_.first, finding);
    return finding.empty() ? 0 : 1;
  }

  int RunMany() {
    uint64_t next = options_.first;
    size_t findings = 0;
    while (!IsDone(next) && findings < options_.findings) {
      const std::string finding = WatchWorker(next, &next);
      if (finding.empty()) continue;
      ++findings;
      Save(next, finding);
      ++next;
    }
    const double took =
        std::chrono::duration<double>(Clock::now() - start_).count();
    std::printf("%s: seed %llu, %llu cases in %.0f s, %zu findings\n",
                settings_.name, static_cast<unsigned long long>(options_.seed),
                static_cast<unsigned long long>(next - options_.first), took,
                findings);
    return findings == 0 ? 0 : 1;
  }

 private:
  Case Make(uint64_t number) {
    Random random(options_.seed, number);
    return target_.Make(random);
  }

  std::string Try(const Case& c) {
    const std::string files = folder_ + "/case";
    if (settings_.write_files) WriteFiles(c, files);
    return target_.Try(c, files);
  }

  bool IsDone(uint64_t next) const {
    if (options_.cases > 0) return next - options_.first >= options_.cases;
    return std::chrono::duration<double>(Clock::now() - start_).count() >=
           options_.seconds;
  }

  // The worker: cases from `number` on, until something is found.
  void Work(uint64_t number) {
    for (uint64_t i = 0; i < kCasesAWorker && !IsDone(number); ++i, ++number) {
      shared_->number = number;
      shared_->busy = true;
      std::string finding = Try(Make(number));
      shared_->busy = false;
      rusage usage;
      getrusage(RUSAGE_SELF, &usage);
      const size_t mib = static_cast<size_t>(usage.ru_maxrss) >> 10;
      if (finding.empty() && mib > settings_.case_mib * kSlack)
        finding = "took " + std::to_string(mib) + " MiB of memory";
      if (finding.empty()) continue;
      std::strncpy(shared_->finding, finding.c_str(),
                   sizeof(shared_->finding) - 1);
      std::_Exit(kFoundExit);
    }
    shared_->number = number;
    std::_Exit(0);
  }

  // Runs a worker; *last: its finding's case, or the one after its last.
  std::string WatchWorker(uint64_t first, uint64_t* last) {
    shared_->number = first;
    shared_->busy = false;
    shared_->finding[0] = 0;
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) Work(first);
    std::string finding;
    uint64_t number = first;
    double started = 0;
    Clock::time_point awake = Clock::now();
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const double used = ProcessorSeconds(pid);
      const auto now = Clock::now();
      if (!shared_->busy || shared_->number != number || !IsAsleep(pid))
        awake = now;
      if (!shared_->busy || shared_->number != number) {
        number = shared_->number;
        started = used;
      }
      const bool is_late = used - started > settings_.case_seconds * kSlack;
      // Memory first: a case that fills it spends its time on that, and on a
      // busy machine is late before it has all.
      const size_t most_mib = (is_late ? 1 : 2) * settings_.case_mib;
      if (ResidentMib(pid) > most_mib * kSlack) {
        finding =
            "took more than " + std::to_string(most_mib) + " MiB of memory";
      } else if (is_late) {
        finding = "took more than " +
                  std::to_string(static_cast<int>(settings_.case_seconds)) +
                  " s of processor time";
      } else if (std::chrono::duration<double>(now - awake).count() >
                 settings_.asleep_seconds) {
        finding = "waits for something that never comes";
      }
      if (finding.empty()) continue;
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      *last = number;
      return finding;
    }
    *last = shared_->number;
    if (WIFSIGNALED(status)) {
      return std::string("ended by signal ") +
             std::to_string(WTERMSIG(status)) + " (" +
             strsignal(WTERMSIG(status)) + ")";
    }
    if (WEXITSTATUS(status) == kFoundExit) return shared_->finding;
    if (WEXITSTATUS(status) != 0)
      return "ended with exit code " + std::to_string(WEXITSTATUS(status));
    return "";
  }

  void Save(uint64_t number, const std::string& finding) {
    const Case c = Make(number);
    const std::string folder = options_.save + "/" + settings_.name + "-" +
                               std::to_string(options_.seed) + "-" +
                               std::to_string(number);
    WriteFiles(c, folder);
    std::printf("FINDING %s --seed %llu --once %llu: %s\n  %s; saved in %s\n",
                settings_.name, static_cast<unsigned long long>(options_.seed),
                static_cast<unsigned long long>(number), finding.c_str(),
                c.how.c_str(), folder.c_str());
    std::fflush(stdout);
  }

  const Settings settings_;
  const Options options_;
  Target& target_;
  const Clock::time_point start_ = Clock::now();
  std::string folder_;
  Shared* shared_ = nullptr;
};

// Words by which a library's own texts are known: none of ours has them.
std::string ForeignWords(const std::string& message) {
  for (const char* const word :
       {"json.exception", "std::", "bad_alloc", "bad_array", "basic_string",
        "vector::", "_M_", "yaml-cpp", "exception", "what():", "stoi", "stol",
        "stod", "filesystem error", "assert"}) {
    if (message.find(word) != std::string::npos)
      return "the words of a library: " + message;
  }
  return "";
}

}  // namespace

std::string Judge(bool internal, const std::string& message) {
  if (internal) return "internal error: " + message;
  if (message.empty()) return "an error without a message";
  return ForeignWords(message);
}

std::string Judge(const Status& status) {
  if (status.ok()) return "";
  return Judge(status.code() == Code::kInternal, std::string(status.message()));
}

std::vector<File> Corpus(const std::string& fuzzer) {
  std::vector<File> files;
  for (const auto& entry :
       fs::directory_iterator(MUNJA_SOURCE_DIR "/fuzz/corpora/" + fuzzer)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(),
                     {std::istreambuf_iterator<char>(in), {}}});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

int Run(int argc, char** argv, const Settings& settings, Target& target) {
  Options options;
  if (!ReadOptions(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--seconds S | --cases N] [--first N] "
                 "[--once CASE]\n  [--add FOLDER]... [--save FOLDER] "
                 "[--findings N]\n",
                 argv[0]);
    return 2;
  }
  for (const std::string& folder : options.add) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      std::ifstream in(path, std::ios::binary);
      target.AddSeed(path.string(), {std::istreambuf_iterator<char>(in), {}});
    }
  }
  Program program(settings, options, target);
  return options.once ? program.RunOnce() : program.RunMany();
}

}  // namespace munja::hostile
