// Standard input and output in the place of files.
#ifndef MUNJA_CLI_STREAMS_H_
#define MUNJA_CLI_STREAMS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace munja::cli {

// "-" or /dev/stdin and its like.
bool IsStandardInput(const std::string& path);

// Reads an image, a list or a model: a file, a pipe or ("-") standard input, to
// its end, or one byte over the limit, which the consumer of the bytes refuses.
// A message and the exit code when the system cannot.
inline constexpr size_t kMostImageBytes = size_t{512} << 20;  // The library's.
int ReadInput(const std::string& path, std::vector<unsigned char>* bytes,
              size_t limit = kMostImageBytes);

// The bytes of an input for as long as its pages are read. A long file is
// mapped, so that memory need not hold it.
class InputBytes {
 public:
  InputBytes() = default;
  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;
  // As ReadInput(), once.
  int Read(const std::string& path);
  std::span<const unsigned char> bytes() const;
  // Gives memory back to the system; bytes that are needed come from the file.
  void Release();

 private:
  std::vector<unsigned char> read_;
  void* mapped_ = nullptr;
  size_t size_ = 0;  // Bytes that are mapped.
};

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
