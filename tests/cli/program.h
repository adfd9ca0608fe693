// Runs the command and keeps what it said.
#ifndef MUNJA_TESTS_CLI_PROGRAM_H_
#define MUNJA_TESTS_CLI_PROGRAM_H_

#include <string>
#include <vector>

namespace munja::cli_test {

struct Outcome {
  int exit_code = -1;  // 128 + signal when a signal ended it.
  std::string out, err;
};

struct Call {
  std::string input = {};        // For standard input.
  std::string stdout_path = {};  // A file that gets standard output instead.
  std::vector<std::string> environment = {};  // "NAME=VALUE" on top of ours.
};

Outcome Munja(const std::vector<std::string>& arguments, const Call& call = {});
// Another program than the command.
Outcome Run(const std::string& program,
            const std::vector<std::string>& arguments, const Call& call = {});

// The command with a terminal as standard error, which `seen` collects;
// standard output goes there, too, when asked for. `signal` is sent once
// `awaited` has been seen.
int OnTerminal(std::vector<std::string> arguments, bool also_output,
               std::string* seen, const std::string& awaited = "",
               int signal = 0);

// Whether the command has so many threads at any time before it ends; it is
// ended then.
bool HasThreads(const std::vector<std::string>& arguments, int threads);

// A folder of this test's own, empty at first.
std::string TestFolder();

std::string ReadAll(const std::string& path);
void WriteAll(const std::string& path, const std::string& bytes);

// A .npy file of float32 in the test's folder; its path. The shape as Python
// writes it without brackets: "2," is a vector of two.
std::string SaveArray(const std::string& name, const std::string& shape,
                      const std::vector<float>& values);
// Returns the values of such a file.
std::vector<float> LoadArray(const std::string& path);

// A TIFF file of pages of white pixels, 32 by 32; those whose number is in
// `bad` are said to lie behind the end of the file.
std::string TiffOfPages(int pages, const std::vector<int>& bad = {});

// The bundle of the sources, models/default.
std::string DefaultBundle();
// A network with free sizes in ncnn's format, written into `folder`: a
// convolution to so many channels, a hard sigmoid, a transposed convolution, a
// map of one channel. The path of its .param; the weights lie beside it as
// net.ncnn.bin.
std::string WriteNcnn(const std::string& folder, int channels = 8);

// The sources' own test data.
std::string TestData(const std::string& name);
std::string ReceiptPicture();  // One of them, which is read without an error.
// Pictures and models that lie beside the sources on some machines; "" when
// they do not.
std::string Shared(const std::string& name);
// A bundle made from published models, once in a test; "" without them.
std::string PublishedBundle();

}  // namespace munja::cli_test

#endif  // MUNJA_TESTS_CLI_PROGRAM_H_
