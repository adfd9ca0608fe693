// Runs cases (cases.h) on a device and judges what comes out.
#ifndef MUNJA_NN_CASE_RUNNER_H_
#define MUNJA_NN_CASE_RUNNER_H_

#include <string>

#include "nn/cases.h"
#include "nn/device.h"

namespace munja::nn {

enum class Verdict { kPassed, kFailed, kUnsupported };

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string reason;
};

// kUnsupported: the device refuses an operation of it. A case that expects a
// failure passes where the model is refused as invalid, or the run fails.
Outcome RunCase(const Device& device, const Case& example);

}  // namespace munja::nn

#endif  // MUNJA_NN_CASE_RUNNER_H_
