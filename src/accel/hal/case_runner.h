// Runs cases (cases.h) on a device and checks the results.
#ifndef MUNJA_HAL_CASE_RUNNER_H_
#define MUNJA_HAL_CASE_RUNNER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cases.h"
#include "hal/device.h"

namespace munja::hal {

enum class CaseStatus { kPassed, kFailed, kUnsupported };

// The modes in which a client can run a model, and the expected result of
// each of them.
enum class Mode {
  kSync,     // One call that waits.
  kAsync,    // One call, and a callback.
  kBurst,    // A burst of two.
  kFenced,   // A fence.
  kMemory,   // From and to buffers of the device.
  kDynamic,  // Dimensions of outputs are known from the run only.
  kShort,    // As kDynamic, and the first output's memory is a byte short.
  kCache,    // Prepared from what was saved.
  kSigned,   // Unsigned 8-bit values as signed ones.
};
inline constexpr Mode kAllModes[] = {
    Mode::kSync,    Mode::kAsync, Mode::kBurst, Mode::kFenced, Mode::kMemory,
    Mode::kDynamic, Mode::kShort, Mode::kCache, Mode::kSigned};
std::string_view NameOf(Mode mode);  // "sync"

struct Outcome {
  CaseStatus status = CaseStatus::kPassed;
  std::string reason = {};
  // Ways in which the case was run, and those that the device does not have.
  std::vector<Mode> run = {}, lacking = {};
};

// "all", or names between commas. kInvalidArgument names what is none.
Result<std::vector<Mode>> ParseModes(std::string_view text);

// kUnsupported: the device refuses an operation of it. A case that expects a
// failure passes where the model is refused as invalid, or the run fails. Ways
// that do not apply to the case are skipped. So are those that the device
// does not have: they are in `lacking`, and where no other mode is left, the
// case is unsupported. The reason of a failure names the mode, where it is not
// the only one.
Outcome RunCase(const Device& device, const Case& example,
                std::span<const Mode> modes = std::span(kAllModes).first(1));

}  // namespace munja::hal

#endif  // MUNJA_HAL_CASE_RUNNER_H_
