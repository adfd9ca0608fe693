#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/control.h"
#include "base/descriptor.h"
#include "base/spawn.h"

namespace munja {
namespace {

constexpr size_t kMostErrors = 4096;
// How often a child that says nothing is asked whether it may go on.
constexpr int kPatience = 50;

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return Unavailable(std::string("no pipe: ") + std::strerror(errno));
  Pipe pipe;
  pipe.read = Descriptor(ends[0]);
  pipe.write = Descriptor(ends[1]);
  return pipe;
}

// A file without a name, at its beginning.
Result<Descriptor> FileOf(std::span<const uint8_t> bytes) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0)
    return Unavailable(std::string("no memory file: ") + std::strerror(errno));
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        write(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return OutOfMemory(std::string("a copy of the input: ") +
                         std::strerror(errno));
    done += static_cast<size_t>(count);
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0)
    return Unavailable(std::string("memory file: ") + std::strerror(errno));
  return file;
}

// Above the three standard ones, which may be closed in this process: a file
// that had one of their numbers would be lost when another takes it.
Result<Descriptor> Aside(Descriptor file) {
  if (file.get() > STDERR_FILENO) return file;
  Descriptor moved(fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (moved.get() < 0)
    return Unavailable(std::string("no descriptor: ") + std::strerror(errno));
  return moved;
}

// A child that is killed, with all that it started, unless it has ended.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ <= 0) return;
    kill(-id_, SIGKILL);
    Wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int Wait() {
    int status = 0;
    pid_t result = 0;
    while ((result = waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
    }
    id_ = 0;
    // Gone already where the program takes all of its children.
    if (result < 0) return 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t id_;
};

// The child may not raise its limit. Beyond that of its time by `grace` it is
// killed, if it lives on with the signal that it gets first.
void Limit(pid_t id, __rlimit_resource kind, rlim_t most, rlim_t grace = 0) {
  const rlimit both = {most, most + grace};
  prlimit(id, kind, &both, nullptr);
}

size_t MemoryForChild() {
  constexpr size_t kOfItsOwn = 100'000'000;
  size_t left = Control::kDefaultMemory;
  if (Control* const control = CurrentControl(); control != nullptr) {
    if (const MemoryAccount* const account = control->account();
        account != nullptr)
      left = account->limit() - std::min(account->limit(), account->used());
  }
  return left > SIZE_MAX - kOfItsOwn ? SIZE_MAX : left + kOfItsOwn;
}

// As poppler, the C++ library and GNU's programs say it.
bool LacksMemory(const std::string& errors) {
  constexpr std::string_view kWords[] = {"ut of memory", "bad_alloc",
                                         "memory exhausted"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view words) {
                       return errors.find(words) != std::string::npos;
                     });
}

// Reads what is there; false at the end.
template <class Take>
bool ReadSome(const Descriptor& from, Take take) {
  std::array<uint8_t, 65536> part;
  const ssize_t count = read(from.get(), part.data(), part.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  take(std::span<const uint8_t>(part.data(), static_cast<size_t>(count)));
  return true;
}

}  // namespace

Result<ChildResult> RunChild(const std::vector<std::string>& command,
                             std::span<const uint8_t> input, size_t most_output,
                             int most_seconds) {
  MUNJA_ASSIGN_OR_RETURN(Descriptor file, FileOf(input));
  MUNJA_ASSIGN_OR_RETURN(file, Aside(std::move(file)));
  MUNJA_ASSIGN_OR_RETURN(Pipe output, MakePipe());
  MUNJA_ASSIGN_OR_RETURN(output.write, Aside(std::move(output.write)));
  MUNJA_ASSIGN_OR_RETURN(Pipe errors, MakePipe());
  MUNJA_ASSIGN_OR_RETURN(errors.write, Aside(std::move(errors.write)));

  Spawn spawn;
  spawn.Give(file.get(), STDIN_FILENO);
  spawn.Give(output.write.get(), STDOUT_FILENO);
  spawn.Give(errors.write.get(), STDERR_FILENO);
  pid_t id = 0;
  const int error = spawn.Start(command, STDERR_FILENO, &id);
  if (error == ENOENT) return NotFound("there is no program " + command[0]);
  if (error != 0)
    return Unavailable(SystemMessage(command[0], "cannot be started", error));
  Child child(id);
  const size_t memory = MemoryForChild();
  Limit(id, RLIMIT_CPU, static_cast<rlim_t>(most_seconds), 5);
  Limit(id, RLIMIT_DATA, memory);
  Limit(id, RLIMIT_CORE, 0);
  file.Close();
  output.write.Close();
  errors.write.Close();

  ChildResult result;
  bool has_output = true, has_errors = true;
  while (has_output || has_errors) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    std::array<pollfd, 2> ready = {
        pollfd{has_output ? output.read.get() : -1, POLLIN, 0},
        pollfd{has_errors ? errors.read.get() : -1, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), kPatience) <= 0) continue;
    if (ready[0].revents != 0)
      has_output = ReadSome(output.read, [&](std::span<const uint8_t> part) {
        result.output.insert(result.output.end(), part.begin(), part.end());
      });
    if (ready[1].revents != 0)
      has_errors = ReadSome(errors.read, [&](std::span<const uint8_t> part) {
        const size_t room = kMostErrors - result.errors.size();
        result.errors.append(
            part.begin(),
            part.begin() + static_cast<ptrdiff_t>(std::min(part.size(), room)));
      });
    if (result.output.size() > most_output) {
      return OutOfMemory(command[0] + " writes more than " +
                         std::to_string(most_output) + " bytes");
    }
  }
  result.exit_code = child.Wait();
  if (result.exit_code == 128 + SIGXCPU)
    return TimedOut(command[0] + " takes more than " +
                    std::to_string(most_seconds) +
                    " s of the processor's time");
  if (result.exit_code != 0 && LacksMemory(result.errors))
    return OutOfMemory(command[0] + " takes more than " +
                       std::to_string(memory) + " bytes of memory");
  return result;
}

}  // namespace munja
