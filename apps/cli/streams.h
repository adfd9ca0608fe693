// Standard input and output in the place of files.
#ifndef MUNJA_CLI_STREAMS_H_
#define MUNJA_CLI_STREAMS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace munja::cli {

// "-" or /dev/stdin and its like.
bool IsStandardInput(const std::string& path);

// Reads standard input to its end, or one byte over the limit, which the
// consumer of the bytes refuses. False and a message when the system cannot.
bool ReadStandardInput(size_t limit, std::vector<unsigned char>* bytes);

// kSuccess for a file, a folder or nothing; else a message and the exit code:
// something that would keep its reader waiting.
int CheckIsFile(const std::string& path);

// The path of an output for the library. For "-", and whatever names the file
// or pipe that is standard output, /proc/self/fd/1, in whose folder no mistake
// can replace anything: what is printed goes to
// standard error then.
std::string OutputPath(const std::string& path);

// kSuccess, or a message and kUsage: writing `output` would replace `input`.
int CheckIsOther(const std::string& output, const std::string& input);

// kSuccess, or a message: a folder cannot be standard output.
int CheckIsFolderName(const std::string& path);

}  // namespace munja::cli

#endif  // MUNJA_CLI_STREAMS_H_
