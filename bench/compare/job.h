// Job: the common part of the two drivers of bench/compare, work that is done
// when a line on standard input asks for it.
//
//   use PATH   the picture of the runs that follow; answers its name
//   run N      the work, N times; answers the milliseconds of each
//   memory     answers the bytes that are resident, and those at the peak
//   lines      answers how many lines the last run read, then how many letters
//   work       answers the pixels that the last run gave to the detector, those
//              that it gave to the recognizer, and the milliseconds in which it
//              read and decoded the picture
#ifndef MUNJA_BENCH_COMPARE_JOB_H_
#define MUNJA_BENCH_COMPARE_JOB_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace munja::compare {

// The costs of reading one image that no faster network removes, and how much
// the networks have to do.
struct PageWork {
  size_t detector_pixels = 0, recognizer_pixels = 0;
  double decode_ms = 0;
};

class Job {
 public:
  virtual ~Job() = default;
  virtual void Use(const std::string& /*picture*/) {}
  virtual void Run() = 0;
  // The lines of the last run; for jobs that read.
  virtual std::vector<std::string> Lines() const { return {}; }
  virtual PageWork Work() const { return {}; }
};

// --name value pairs behind the positional arguments.
class Options {
 public:
  Options(int argc, char** argv);
  const std::string& positional(size_t i) const;
  std::string text(const std::string& name, const std::string& missing) const;
  int number(const std::string& name, int missing) const;
  std::vector<std::string> all(const std::string& name) const;

 private:
  std::vector<std::string> positional_;
  std::vector<std::string> names_, values_;
};

// Height and width of "48x320".
struct Size {
  int height = 0, width = 0;
};
Size ParseSize(const std::string& text);

// Numbers in [-1, 1) that are the same everywhere.
std::vector<float> Noise(size_t count);

// The first of the largest of count >= 1 numbers.
size_t ArgMax(const float* values, size_t count);

// Ends the program with a message.
[[noreturn]] void Die(const std::string& message);

// Calls work(i) for each i < count on `threads` threads, each taking the next
// that is left. work gets the number of the thread, too.
template <class Work>
void OnThreads(int threads, size_t count, const Work& work) {
  std::atomic<size_t> next{0};
  const auto loop = [&](int thread) {
    for (size_t i = next++; i < count; i = next++) work(thread, i);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(loop, t);
  loop(0);
  for (std::thread& other : others) other.join();
}

// Obeys standard input until it ends; with --once PATH reads that picture once
// and ends.
int Serve(Job& job, const Options& options);

}  // namespace munja::compare

#endif  // MUNJA_BENCH_COMPARE_JOB_H_
