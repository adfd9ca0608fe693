// How far two processors are from each other: nanoseconds that a cache line
// takes from one to the other, for each line on standard input.
//
//   core_distance FIRST SECOND
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

namespace {

constexpr int kPasses = 2000;  // Back and forth; about 0.3 ms when far.

void PinTo(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(processor), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

double Measure(int first, int second) {
  alignas(64) std::atomic<int> ball{0};
  std::thread other([&] {
    PinTo(second);
    for (int i = 0; i < kPasses; ++i) {
      while (ball.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      ball.store(2 * i + 2, std::memory_order_release);
    }
  });
  PinTo(first);
  // The other thread has started when the first pass comes back.
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPasses; ++i) {
    if (i == kPasses / 10) start = std::chrono::steady_clock::now();
    ball.store(2 * i + 1, std::memory_order_release);
    while (ball.load(std::memory_order_acquire) != 2 * i + 2) {
    }
  }
  const std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - start;
  other.join();
  return time.count() / (2.0 * (kPasses - kPasses / 10));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  while (std::getchar() != EOF) {
    // Something else may have run on one of the two for a moment.
    double nanoseconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i)
      nanoseconds = std::min(nanoseconds,
                             Measure(std::atoi(argv[1]), std::atoi(argv[2])));
    std::printf("%.1f\n", nanoseconds);
    std::fflush(stdout);
  }
  return 0;
}
