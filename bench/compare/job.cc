#include "job.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

namespace munja::compare {
namespace {

// "VmHWM:    123456 kB" of /proc/self/status, in bytes.
long long StatusBytes(const char* field) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  long long kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, field, std::strlen(field)) == 0 &&
        std::sscanf(line + std::strlen(field), ": %lld", &kilobytes) == 1)
      break;
  }
  std::fclose(file);
  return kilobytes * 1024;
}

void AnswerRun(Job& job, int count) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    job.Run();
    const std::chrono::duration<double, std::milli> time = Clock::now() - start;
    std::printf(i == 0 ? "%.4f" : " %.4f", time.count());
  }
  std::printf("\n");
}

void AnswerLines(const Job& job) {
  size_t letters = 0;
  const std::vector<std::string> lines = job.Lines();
  for (const std::string& line : lines)
    for (const char c : line)
      letters += c != ' ' && (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  std::printf("%zu %zu\n", lines.size(), letters);
}

void AnswerWork(const Job& job) {
  const PageWork work = job.Work();
  std::printf("%zu %zu %.4f\n", work.detector_pixels, work.recognizer_pixels,
              work.decode_ms);
}

}  // namespace

Options::Options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      positional_.push_back(word);
    } else if (i + 1 == argc) {
      Die(word + " takes a value");
    } else {
      names_.push_back(word);
      values_.push_back(argv[++i]);
    }
  }
}

const std::string& Options::positional(size_t i) const {
  if (i >= positional_.size()) Die("arguments are missing");
  return positional_[i];
}

std::string Options::text(const std::string& name,
                          const std::string& missing) const {
  const std::vector<std::string> found = all(name);
  return found.empty() ? missing : found.back();
}

int Options::number(const std::string& name, int missing) const {
  return std::atoi(text(name, std::to_string(missing)).c_str());
}

std::vector<std::string> Options::all(const std::string& name) const {
  std::vector<std::string> found;
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) found.push_back(values_[i]);
  return found;
}

Size ParseSize(const std::string& text) {
  Size size;
  if (std::sscanf(text.c_str(), "%dx%d", &size.height, &size.width) != 2)
    Die("'" + text + "' is no size such as 48x320");
  return size;
}

std::vector<float> Noise(size_t count) {
  std::vector<float> noise(count);
  uint32_t state = 1;
  for (float& x : noise) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return noise;
}

size_t ArgMax(const float* values, size_t count) {
  // Vectors of the largest first, which of them it is afterwards.
  constexpr size_t kLanes = 64;
  std::array<float, kLanes> best;
  best.fill(values[0]);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      best[lane] = std::max(best[lane], values[i + lane]);
  for (; i < count; ++i) best[0] = std::max(best[0], values[i]);
  const float largest = *std::max_element(best.begin(), best.end());
  return static_cast<size_t>(std::find(values, values + count, largest) -
                             values);
}

void Die(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

int Serve(Job& job, const Options& options) {
  const std::string once = options.text("--once", "");
  if (!once.empty()) {
    job.Use(once);
    job.Run();
    for (const std::string& line : job.Lines())
      std::printf("%s\n", line.c_str());
    return 0;
  }
  std::printf("ready\n");
  std::fflush(stdout);
  std::string line;
  while (std::getline(std::cin, line)) {
    const size_t space = line.find(' ');
    const std::string command = line.substr(0, space);
    const std::string rest =
        space == std::string::npos ? "" : line.substr(space + 1);
    if (command == "use") {
      job.Use(rest);
      std::printf("%s\n", rest.c_str());
    } else if (command == "run") {
      AnswerRun(job, std::atoi(rest.c_str()));
    } else if (command == "memory") {
      std::printf("%lld %lld\n", StatusBytes("VmRSS"), StatusBytes("VmHWM"));
    } else if (command == "lines") {
      AnswerLines(job);
    } else if (command == "work") {
      AnswerWork(job);
    } else {
      Die("no such command: " + line);
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace munja::compare
