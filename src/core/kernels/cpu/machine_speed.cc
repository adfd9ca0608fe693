#include "kernels/cpu/machine_speed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "kernels/cpu/byte_dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/machine_speed.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/gemm/int_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Operations of `rounds` rounds. Ten sums that do not wait for each other hide
// the latency of the multiply-add on every processor with up to two of them a
// cycle and five cycles each. They begin apart: of equal sums a compiler makes
// one, and what is measured then is its latency. The result keeps the compiler
// from dropping the work.
double MultiplyAdd(size_t rounds, float* result) {
  constexpr size_t kSums = 10;
  const hn::ScalableTag<float> d;
  const auto a = hn::Set(d, result[0]), b = hn::Set(d, result[1]);
  hn::Vec<decltype(d)> sum[kSums];
  HWY_UNROLL(10)
  for (size_t i = 0; i < kSums; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
  for (size_t round = 0; round < rounds; ++round) {
    HWY_UNROLL(10)
    for (size_t i = 0; i < kSums; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  HWY_UNROLL(10)
  for (size_t i = 1; i < kSums; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  result[2] = hn::GetLane(hn::SumOfLanes(d, sum[0]));
  return static_cast<double>(rounds * kSums * 2 * hn::Lanes(d));
}

// The same of integers; numbers[2] gets the result.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
double PairDots(size_t rounds, int32_t* numbers) {
  constexpr size_t kSums = 10;
  uint32_t sum[kSums] = {};  // Wraps.
  auto x = static_cast<uint32_t>(numbers[0]);
  for (size_t round = 0; round < rounds; ++round) {
    for (uint32_t& s : sum) s += x * static_cast<uint32_t>(numbers[1]);
    ++x;
  }
  for (const uint32_t s : sum) numbers[2] += static_cast<int32_t>(s & 1);
  return static_cast<double>(rounds * kSums * 2);
}
double ByteDots(size_t rounds, int32_t* numbers) {
  return PairDots(rounds, numbers);
}
#else
#define MUNJA_DOTS pairs
#define MUNJA_DOTS_ATTR
#include "kernels/cpu/dot_rate-inl.h"
#if MUNJA_HAS_PAIR_DOT
#define MUNJA_DOTS added_pairs
#define MUNJA_DOTS_ATTR MUNJA_BYTE_DOT_ATTR
#include "kernels/cpu/dot_rate-inl.h"
#endif
#if MUNJA_HAS_BYTE_DOT
#define MUNJA_DOTS bytes
#define MUNJA_DOTS_ATTR MUNJA_BYTE_DOT_ATTR
#include "kernels/cpu/dot_rate-inl.h"
#endif
double PairDots(size_t rounds, int32_t* numbers) {
#if MUNJA_HAS_PAIR_DOT
  if (HasByteDot()) return 2 * added_pairs::Dots(rounds, numbers);
#endif
  return 2 * pairs::Dots(rounds, numbers);
}
double ByteDots(size_t rounds, int32_t* numbers) {
#if MUNJA_HAS_BYTE_DOT
  if (HasByteDot()) return 4 * bytes::Dots(rounds, numbers);
#endif
  return PairDots(rounds, numbers);
}
#endif

// count: a multiple of 64, so of four vectors of any target.
void Copy(const float* from, size_t count, float* to) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < count; i += 4 * lanes) {
    const auto x0 = hn::Load(d, from + i);
    const auto x1 = hn::Load(d, from + i + lanes);
    const auto x2 = hn::Load(d, from + i + 2 * lanes);
    const auto x3 = hn::Load(d, from + i + 3 * lanes);
    hn::Store(x0, d, to + i);
    hn::Store(x1, d, to + i + lanes);
    hn::Store(x2, d, to + i + 2 * lanes);
    hn::Store(x3, d, to + i + 3 * lanes);
  }
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(PairDots);
HWY_EXPORT(ByteDots);
HWY_EXPORT(Copy);

constexpr int kSamples = 5;
constexpr double kSampleSeconds = 1.5e-3;
// So long threads wait for each other; waking one takes less.
constexpr double kPatienceSeconds = 10e-3;

constexpr size_t kMebibyte = size_t{1} << 20;
// First, second and third level of the caches of common processors (a core's
// share of the last), and what fits into none.
constexpr std::array<size_t, 4> kCopyBytes = {kMebibyte / 64, kMebibyte / 2,
                                              8 * kMebibyte, 64 * kMebibyte};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// The compiler neither knows what is there nor may drop what is stored there:
// where there is one set of vector instructions it sees the loops below, and
// that their results are unused.
void Hide(void* numbers) { asm volatile("" : : "r"(numbers) : "memory"); }

// function(rounds, numbers) on numbers[0] and numbers[1].
template <class T, class Function>
double Calculate(T x, T y, size_t rounds, const Function& function) {
  T numbers[3] = {x, y, 0};
  Hide(numbers);
  const double operations = function(rounds, numbers);
  Hide(numbers);
  return operations;
}

// How many times fills a sample; also warms up.
template <class Work>
size_t RepeatsOfASample(const Work& work) {
  for (size_t repeats = 1;;) {
    const auto start = std::chrono::steady_clock::now();
    work(size_t{0}, repeats);
    const double seconds = SecondsSince(start);
    if (seconds >= kSampleSeconds || repeats >= (size_t{1} << 30))
      return repeats;
    const double factor =
        std::min(10.0, 1.1 * kSampleSeconds / std::max(seconds, 1e-9));
    repeats =
        std::max(repeats + 1,
                 static_cast<size_t>(static_cast<double>(repeats) * factor));
  }
}

// One sample: units a second of all threads, which start together. 0 when one
// of them did not come in time.
template <class Work>
double Sample(ThreadPool& pool, const Work& work, size_t repeats) {
  const size_t threads = static_cast<size_t>(pool.threads());
  std::atomic<size_t> waiting{0};
  std::atomic<bool> is_late{false};
  std::vector<double> rates(threads);
  pool.ParallelFor(threads, 1, [&](size_t thread, size_t, int) {
    ++waiting;
    const auto arrival = std::chrono::steady_clock::now();
    while (waiting < threads && !is_late)
      if (SecondsSince(arrival) > kPatienceSeconds) is_late = true;
    const auto start = std::chrono::steady_clock::now();
    rates[thread] = work(thread, repeats) / std::max(SecondsSince(start), 1e-9);
  });
  if (is_late) return 0;
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

// The most units a second, all threads together, of work(thread, repeats),
// which gives the units that it did. On a machine too busy for all of them at
// once, as many times those of one thread.
template <class Work>
double UnitsPerSecond(ThreadPool& pool, const Work& work) {
  const size_t repeats = RepeatsOfASample(work);
  double best = 0;
  for (int sample = 0; sample < kSamples; ++sample)
    best = std::max(best, Sample(pool, work, repeats));
  if (best > 0) return best;
  const auto start = std::chrono::steady_clock::now();
  const double units = work(size_t{0}, repeats);
  return pool.threads() * units / std::max(SecondsSince(start), 1e-9);
}

}  // namespace

Result<MachineSpeed> MeasureMachine(ThreadPool& pool) {
  const size_t threads = static_cast<size_t>(pool.threads());
  std::vector<Buffer> arrays;
  for (size_t t = 0; t < threads; ++t) {
    MUNJA_ASSIGN_OR_RETURN(Buffer array, Buffer::Allocate(kCopyBytes.back()));
    std::fill_n(array.as<float>(), kCopyBytes.back() / sizeof(float), 1.0f);
    arrays.push_back(std::move(array));
  }
  MachineSpeed speed;
  speed.fp32_gflops = 1e-9 * UnitsPerSecond(pool, [](size_t, size_t repeats) {
                        return Calculate(0.5f, 1.0f, 1000 * repeats,
                                         HWY_DYNAMIC_DISPATCH(MultiplyAdd));
                      });
  speed.int8_gops = 1e-9 * UnitsPerSecond(pool, [](size_t, size_t repeats) {
                      return Calculate(0x01020304, 0x05060708, 1000 * repeats,
                                       HWY_DYNAMIC_DISPATCH(ByteDots));
                    });
  speed.int16_gops = 1e-9 * UnitsPerSecond(pool, [](size_t, size_t repeats) {
                       return Calculate(0x01020304, 0x05060708, 1000 * repeats,
                                        HWY_DYNAMIC_DISPATCH(PairDots));
                     });
  for (size_t i = 0; i < kCopyBytes.size(); ++i) {
    speed.copy[i].bytes = kCopyBytes[i];
    speed.copy[i].gb_per_s =
        1e-9 * UnitsPerSecond(pool, [&](size_t thread, size_t repeats) {
          const size_t floats = kCopyBytes[i] / 2 / sizeof(float);
          float* array = arrays[thread].as<float>();
          for (size_t r = 0; r < repeats; ++r) {
            HWY_DYNAMIC_DISPATCH(Copy)(array, floats, array + floats);
            Hide(array);
          }
          return static_cast<double>(repeats) *
                 static_cast<double>(kCopyBytes[i]);
        });
  }
  return speed;
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
