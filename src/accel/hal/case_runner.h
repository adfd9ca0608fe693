// Runs cases (cases.h) on a device and judges what comes out.
#ifndef MUNJA_HAL_CASE_RUNNER_H_
#define MUNJA_HAL_CASE_RUNNER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cases.h"
#include "hal/device.h"

namespace munja::nn {

enum class Verdict { kPassed, kFailed, kUnsupported };

// The ways in which a client may have a model run, and what must come out in
// each of them.
enum class Way {
  kSync,     // One call that waits.
  kAsync,    // One call, and a callback.
  kBurst,    // A burst of two.
  kFenced,   // A fence.
  kMemory,   // From and to buffers of the device.
  kDynamic,  // Dimensions of outputs are known from the run only.
  kShort,    // Likewise, and the first output's memory lacks a byte.
  kCache,    // Prepared from what was saved.
  kSigned,   // Unsigned 8-bit values as signed ones.
};
inline constexpr Way kAllWays[] = {Way::kSync,   Way::kAsync,  Way::kBurst,
                                   Way::kFenced, Way::kMemory, Way::kDynamic,
                                   Way::kShort,  Way::kCache,  Way::kSigned};
std::string_view NameOf(Way way);  // "sync"

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string reason = {};
  // Ways in which the case was run, and those that the device does not have.
  std::vector<Way> run = {}, lacking = {};
};

// "all", or names between commas. kInvalidArgument names what is none.
Result<std::vector<Way>> ParseWays(std::string_view text);

// kUnsupported: the device refuses an operation of it. A case that expects a
// failure passes where the model is refused as invalid, or the run fails. Ways
// that say nothing about the case are left out. So are those that the device
// does not have: they are in `lacking`, and where no other way is left, the
// case is unsupported. The reason of a failure names the way, where it is not
// the only one.
Outcome RunCase(const Device& device, const Case& example,
                std::span<const Way> ways = std::span(kAllWays).first(1));

}  // namespace munja::nn

#endif  // MUNJA_HAL_CASE_RUNNER_H_
