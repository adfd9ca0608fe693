#include "cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

extern char** environ;

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string TestFolder() {
  const std::string folder = testing::TempDir() + "files";
  fs::create_directories(folder);
  return folder;
}

Outcome Munja(const std::vector<std::string>& arguments, const Call& call) {
  return Run(MUNJA_PROGRAM, arguments, call);
}

Outcome Run(const std::string& program,
            const std::vector<std::string>& arguments, const Call& call) {
  // Files instead of pipes: nothing can block, whatever the sizes.
  const std::string base = testing::TempDir() + "call";
  const std::string in = base + ".in", err = base + ".err";
  const std::string out =
      call.stdout_path.empty() ? base + ".out" : call.stdout_path;
  WriteAll(in, call.input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  // The last entry of a name wins nowhere in particular: ours come first.
  std::vector<std::string> environment = call.environment;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string name =
        std::string(*e).substr(0, std::string(*e).find('='));
    bool replaced = false;
    for (const std::string& ours : call.environment)
      replaced |= ours.starts_with(name + "=");
    if (!replaced) environment.emplace_back(*e);
  }
  Outcome outcome;
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr,
                    Pointers(words).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << program;
  if (error != 0) return outcome;
  int status = 0;
  ::waitpid(pid, &status, 0);
  outcome.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (call.stdout_path.empty()) outcome.out = ReadAll(out);
  outcome.err = ReadAll(err);
  for (const std::string& path : {in, err}) fs::remove(path);
  if (call.stdout_path.empty()) fs::remove(out);
  return outcome;
}

int OnTerminal(std::vector<std::string> arguments, bool also_output,
               std::string* seen, const std::string& awaited, int signal) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    arguments.insert(arguments.begin(), MUNJA_PROGRAM);
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    if (!also_output) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
    }
    ::execv(MUNJA_PROGRAM, words.data());
    ::_exit(127);
  }
  EXPECT_GT(child, 0);
  bool is_sent = false;
  char block[4096];
  for (;;) {
    const ssize_t got = ::read(terminal, block, sizeof block);
    if (got <= 0) break;  // EIO: the other end is closed.
    seen->append(block, static_cast<size_t>(got));
    if (signal != 0 && !is_sent && seen->find(awaited) != std::string::npos) {
      is_sent = true;
      ::kill(child, signal);
    }
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool HasThreads(const std::vector<std::string>& arguments, int threads) {
  std::vector<std::string> words = {MUNJA_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1, 2})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t pid = 0;
  EXPECT_EQ(::posix_spawn(&pid, MUNJA_PROGRAM, &actions, nullptr,
                          Pointers(words).data(), environ),
            0);
  posix_spawn_file_actions_destroy(&actions);
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  bool is_seen = false;
  int status = 0;
  while (!is_seen && ::waitpid(pid, &status, WNOHANG) == 0) {
    std::error_code error;
    is_seen = std::distance(fs::directory_iterator(tasks, error),
                            fs::directory_iterator()) == threads;
    ::usleep(200);
  }
  if (!is_seen) return false;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, 0);
  return true;
}

std::string TestData(const std::string& name) {
  return std::string(MUNJA_SOURCE_DIR) + "/testdata/" + name;
}
std::string ReceiptPicture() { return TestData("pictures/receipt.jpg"); }

std::string DefaultBundle() {
  return std::string(MUNJA_SOURCE_DIR) + "/models/default";
}

std::string WriteNcnn(const std::string& folder, int channels) {
  const std::string c = std::to_string(channels);
  const std::string path = folder + "/net.ncnn.param";
  WriteAll(path,
           "7767517\n7 7\n"
           "Input in0 0 1 in0\n"
           "Convolution conv1 1 1 in0 a 0=" +
               c + " 1=3 3=2 4=1 5=1 6=" + std::to_string(27 * channels) +
               "\n"
               "HardSigmoid sigmoid 1 1 a b 0=0.2 1=0.5\n"
               "Deconvolution up 1 1 b c 0=4 1=2 3=2 5=1 6=" +
               std::to_string(16 * channels) +
               "\n"
               "ReLU relu 1 1 c d\n"
               "Convolution conv2 1 1 d e 0=1 1=1 5=1 6=4\n"
               "Sigmoid out 1 1 e out0\n");
  std::string bytes;
  int written = 0;
  const auto floats = [&](int count) {
    for (int i = 0; i < count; ++i, ++written) {
      const float v = 0.3f * std::sin(1.7f * static_cast<float>(written));
      bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    }
  };
  // Weights, 0 before them: stored as float32; then biases.
  for (const auto& [weights, biases] :
       {std::pair{27 * channels, channels}, {16 * channels, 4}, {4, 1}}) {
    bytes.append(4, '\0');
    floats(weights);
    floats(biases);
  }
  WriteAll(folder + "/net.ncnn.bin", bytes);
  return path;
}

std::string SaveArray(const std::string& name, const std::string& shape,
                      const std::vector<float>& values) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()),
               values.size() * sizeof(float));
  const std::string path = TestFolder() + "/" + name;
  WriteAll(path, bytes);
  return path;
}

std::vector<float> LoadArray(const std::string& path) {
  const std::string bytes = ReadAll(path);
  if (bytes.size() < 10) return {};
  const size_t start = 10 + static_cast<unsigned char>(bytes[8]) +
                       256 * static_cast<unsigned char>(bytes[9]);
  std::vector<float> values((bytes.size() - start) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + start,
              values.size() * sizeof(float));
  return values;
}

std::string TiffOfPages(int pages, const std::vector<int>& bad) {
  constexpr uint32_t kSide = 32;
  std::string out("II*\0", 4);
  const auto append = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      out += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  append(8, 4);
  for (int page = 1; page <= pages; ++page) {
    const std::map<uint32_t, uint32_t> tags = {
        {256, kSide}, {257, kSide}, {258, 8},
        {259, 1},     {262, 1},     {273, 0},
        {277, 1},     {278, kSide}, {279, kSide * kSide}};
    const auto begin = static_cast<uint32_t>(out.size());
    const auto pixels = begin + 2 + 12 * static_cast<uint32_t>(tags.size()) + 4;
    const bool is_bad = std::find(bad.begin(), bad.end(), page) != bad.end();
    append(static_cast<uint32_t>(tags.size()), 2);
    for (const auto& [tag, value] : tags) {
      append(tag, 2);
      append(4, 2);  // Four bytes each,
      append(1, 4);  // one of them.
      append(tag != 273 ? value : is_bad ? 0x7FFFFF00u : pixels, 4);
    }
    append(page < pages ? pixels + kSide * kSide : 0, 4);
    out.append(kSide * kSide, '\xFF');
  }
  return out;
}

std::string Shared(const std::string& name) {
  const std::string path = std::string(MUNJA_SOURCE_DIR) + "/../shared/" + name;
  return fs::exists(path) ? path : "";
}

std::string PublishedBundle() {
  const std::string models = Shared("models/ppocrv6_tiny/ncnn");
  if (models.empty()) return "";
  const std::string bundle = testing::TempDir() + "published";
  if (fs::exists(bundle)) return bundle;
  const Outcome made = Munja(
      {"convert", "--bundle", "--no-check", "--name", "tiny", "--detector",
       models + "/det.ncnn.param", "--recognizer", models + "/rec.ncnn.param",
       "--dictionary", models + "/keys.txt", "-o", bundle});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return made.exit_code == 0 ? bundle : "";
}

}  // namespace munja::cli_test
