// munja run --compare-with: two executors on the same inputs.
#ifndef MUNJA_CLI_COMPARE_H_
#define MUNJA_CLI_COMPARE_H_

#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

// The difference allowed between floats, relative to the largest value:
// executors sum in different orders.
constexpr double kTolerance = 1e-4;
// A number that differs in its last bit before it is quantized during the run
// may be the next of 127 steps after; what is computed from it moves as far.
constexpr double kStepTolerance = 1.0 / 127;

// The difference between two tensors.
struct Difference {
  bool is_beyond = false;  // The difference exceeds the tolerance.
  double absolute = 0;     // The largest; quantized values count in steps.
  double relative = 0;     // That, by the largest value of the second tensor.
  std::string text;        // Why they cannot be compared at all; "": they can.
};

// Floats may differ by `tolerance` times the largest value of `b`, quantized
// integers by one step; everything else must be equal.
Difference Compare(const munja::Tensor& a, const munja::Tensor& b,
                   bool is_quantized, double tolerance);

struct Comparison {
  std::string first, second;  // The names of the executors.
  munja::SessionOptions first_options, second_options;
  // As Compare() takes it; negative: kTolerance, or a step of 8 bits for what
  // comes from activations that are quantized during the run.
  double tolerance = -1;
};

// Runs the model both ways, first as it is, then with everything that it
// computes given out, and prints what differs: the first tensor in the order
// of execution. kSomeFailed when one does.
int CompareExecutors(const munja::Network& model, const std::string& path,
                     const Comparison& comparison,
                     const std::vector<munja::Tensor>& inputs);

}  // namespace munja::cli

#endif  // MUNJA_CLI_COMPARE_H_
