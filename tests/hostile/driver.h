// The driver that all hostile programs share: it makes one input after the
// other from a seed, gives it to a part of the library and reports failures.
//
//   PROGRAM [--seed N] [--seconds S] [--cases N] [--first N] [--once CASE]
//           [--add FOLDER]... [--save FOLDER] [--findings N]
//
// The same seed and case are the same input on every machine (and with the
// same --add folders). Findings are printed with both, the input is saved, and
// the exit code is 1.
#ifndef MUNJA_TESTS_HOSTILE_DRIVER_H_
#define MUNJA_TESTS_HOSTILE_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "mutate.h"

namespace munja::hostile {

struct File {
  enum Kind { kRegular, kFolder, kFifo, kDanglingLink };
  std::string name, bytes;
  Kind kind = kRegular;
};

struct Case {
  std::vector<File> files;
  std::string how;      // It was made; for the report.
  std::string whole;    // The bytes that files[0] begins, or "".
  uint64_t choice = 0;  // For options of the call.
};

class Target {
 public:
  virtual ~Target() = default;
  // Depends on the random numbers and the seeds only.
  virtual Case Make(Random& random) = 0;
  // Returns the finding, or "". An error that describes a fault of the input
  // is no finding. `folder` holds the files where Settings ask for it.
  virtual std::string Try(const Case& c, const std::string& folder) = 0;
  // A file to mutate beside the target's own, if it is of its kind.
  virtual void AddSeed(const std::string& path, const std::string& bytes) = 0;
};

struct Settings {
  const char* name;
  bool write_files = false;
  // The limits of a case: processor time, and memory of the process. They are
  // three times as high under a sanitizer.
  double case_seconds = 10;
  size_t case_mib = 512;
  // All threads asleep for so long: nothing will wake them.
  double asleep_seconds = 10;
};

// For main().
int Run(int argc, char** argv, const Settings& settings, Target& target);

// "" for a status that an input may cause, with a message that a person can do
// something with.
std::string Judge(bool internal, const std::string& message);
std::string Judge(const Status& status);

// The files of a corpus of the fuzzers, by name.
std::vector<File> Corpus(const std::string& fuzzer);

}  // namespace munja::hostile

#endif  // MUNJA_TESTS_HOSTILE_DRIVER_H_
