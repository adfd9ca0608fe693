#include "kernels/cpu/simd.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>

#include "base/fork.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace munja::kernels {
namespace {

struct Simd {
  std::vector<int64_t> targets;  // Bits of Highway.
  std::vector<std::string> names;
};

// Highway numbers better targets lower.
Simd FindAvailable() {
  Simd simd;
  simd.targets = hwy::SupportedAndGeneratedTargets();
  std::sort(simd.targets.begin(), simd.targets.end(), [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  });
  for (const int64_t target : simd.targets) {
    std::string name = hwy::TargetName(target);
    // It depends on the compiler which of the two there is.
    if (target == HWY_EMU128) name = "scalar";
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    simd.names.push_back(name);
  }
  return simd;
}

const Simd& Available() { return MadeOnce<FindAvailable>(); }

std::atomic<int> locks{0};

}  // namespace

SimdLock::SimdLock() { locks.fetch_add(1, std::memory_order_relaxed); }
SimdLock::~SimdLock() { locks.fetch_sub(1, std::memory_order_relaxed); }

const std::vector<std::string>& SimdNames() { return Available().names; }

const std::string& SimdName() {
  const Simd& simd = Available();
  const int64_t allowed = hwy::SupportedTargets();
  for (size_t i = 0; i < simd.targets.size(); ++i)
    if ((simd.targets[i] & allowed) != 0) return simd.names[i];
  return simd.names.back();
}

Status SelectSimd(std::string_view name) {
  const Simd& simd = Available();
  int64_t target = 0;  // Highway's word for all that there are.
  if (!name.empty()) {
    const auto found = std::find(simd.names.begin(), simd.names.end(), name);
    if (found == simd.names.end()) {
      std::string message =
          "no vector instructions '" + std::string(name) + "' here, but";
      for (const std::string& known : simd.names) message += " " + known;
      return InvalidArgument(message);
    }
    target = simd.targets[static_cast<size_t>(found - simd.names.begin())];
  }
  const std::string& chosen =
      name.empty() ? simd.names.front() : *std::ranges::find(simd.names, name);
  if (chosen != SimdName() && locks.load(std::memory_order_relaxed) != 0)
    return InvalidArgument("models are loaded whose weights are packed for '" +
                           SimdName() + "': '" + chosen +
                           "' must be selected before, or after they are gone");
  hwy::SetSupportedTargetsForTest(target);
  // The next kernel looks at the targets again.
  hwy::GetChosenTarget().DeInit();
  return Status();
}

}  // namespace munja::kernels
