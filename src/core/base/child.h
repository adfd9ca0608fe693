// Programs of others that turn bytes into bytes.
#ifndef MUNJA_BASE_CHILD_H_
#define MUNJA_BASE_CHILD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja {

struct ChildResult {
  int exit_code = 0;  // 128 and its number where a signal ended it.
  std::vector<uint8_t> output;
  std::string errors;  // The first few kilobytes of its standard error.
};

// Seconds of the processor's time that honest input never needs.
inline constexpr int kMostChildSeconds = 120;

// Runs a program, which PATH finds, to its end. Its standard input is a file
// with these bytes: it can be opened as /dev/stdin, too, and read in any order.
// Killed when the call that runs it is cancelled or out of time
// (base/control.h), and when it writes more than `most_output` or takes more
// than `most_seconds` of the processor's time. It gets the memory that is left
// of the call's and 100 MB, in which its code and tables are, too. It is in a
// process group of its own, as Ctrl-C is for the program that started it.
//
//   kNotFound     there is no such program
//   kOutOfMemory  it writes too much, or says that it lacks memory
//   kTimedOut     it takes too much time
//   kUnavailable  the system starts nothing more
Result<ChildResult> RunChild(const std::vector<std::string>& command,
                             std::span<const uint8_t> input, size_t most_output,
                             int most_seconds = kMostChildSeconds);

}  // namespace munja

#endif  // MUNJA_BASE_CHILD_H_
