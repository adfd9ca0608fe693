// Runs one example in the runtime and judges what comes out.
#ifndef MUNJA_TESTS_CONFORMANCE_NN_RUN_H_
#define MUNJA_TESTS_CONFORMANCE_NN_RUN_H_

#include <functional>
#include <memory>
#include <string>

#include "conformance/nn_example.h"
#include "runtime/delegate.h"

namespace munja::conformance {

enum class Verdict { kPassed, kFailed, kUnsupported };

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string reason;
};

struct RunOptions {
  bool use_reference = false;
  bool run_passes = true;
  // Makes the delegate that each session gets.
  std::function<std::shared_ptr<runtime::Delegate>()> delegate = nullptr;
};

Outcome RunExample(const NnSpec& spec, const NnExample& example,
                   const RunOptions& options);

// The example has tensors of unsigned 8-bit values that can be made signed.
bool CanBeSigned(const NnExample& example);
// All unsigned 8-bit values and zero points less 128, as int8: the same real
// numbers. Adds buffers to the specification.
NnExample Signed(NnSpec& spec, NnExample example);

}  // namespace munja::conformance

#endif  // MUNJA_TESTS_CONFORMANCE_NN_RUN_H_
