// Runs one example in the runtime, as a whole graph, and checks the results.
#ifndef MUNJA_TESTS_CONFORMANCE_NN_RUN_H_
#define MUNJA_TESTS_CONFORMANCE_NN_RUN_H_

#include <functional>
#include <memory>
#include <string>

#include "hal/case_runner.h"
#include "hal/cases.h"
#include "runtime/delegate.h"

namespace munja::conformance {

struct RunOptions {
  bool reference_kernels = false;
  bool run_passes = true;
  // Makes the delegate that each session gets.
  std::function<std::shared_ptr<runtime::Delegate>()> delegate = nullptr;
};

hal::Outcome RunExample(const hal::Case& example, const RunOptions& options);

}  // namespace munja::conformance

#endif  // MUNJA_TESTS_CONFORMANCE_NN_RUN_H_
