// munja run --compare-with: two executors on the same inputs.
#ifndef MUNJA_CLI_COMPARE_H_
#define MUNJA_CLI_COMPARE_H_

#include <string>
#include <vector>

#include "munja/runtime.h"

namespace munja::cli {

// What two tensors differ by.
struct Difference {
  bool is_beyond = false;  // Of what is allowed.
  double absolute = 0;     // The largest; quantized values count in steps.
  double relative = 0;     // That, by the largest value of the second tensor.
  std::string text;        // Why they cannot be compared at all; "": they can.
};

// Floats may differ by `tolerance` times the largest value of `b`, quantized
// integers by one step; everything else must be equal.
Difference Compare(const munja_tensor& a, const munja_tensor& b,
                   bool is_quantized, double tolerance);

struct Comparison {
  std::string first, second;  // What the executors are called.
  munja_session_options first_options, second_options;
  double tolerance = 1e-4;
};

// Runs the model both ways, first as it is, then with everything that it
// computes given out, and prints what differs: the first tensor in the order
// of execution. kSomeFailed when one does.
int CompareExecutors(const munja_model* model, const std::string& path,
                     const Comparison& comparison,
                     const std::vector<munja_tensor>& inputs);

}  // namespace munja::cli

#endif  // MUNJA_CLI_COMPARE_H_
