// Examples of Neural Networks HAL operations, read from the JSON files of the
// conformance material (format "nnspec-json-1").
#ifndef MUNJA_TESTS_CONFORMANCE_NN_EXAMPLE_H_
#define MUNJA_TESTS_CONFORMANCE_NN_EXAMPLE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace munja::conformance {

struct NnOperand {
  std::string type;  // "TENSOR_FLOAT32", "INT32", ...
  std::vector<int32_t> dims;
  float scale = 0.0f;
  int32_t zero_point = 0;
  std::vector<float> channel_scales;
  int32_t channel_dim = 0;
  std::string lifetime;
  int buffer = -1;
  bool is_ignored = false;

  bool is_constant() const { return lifetime.starts_with("CONSTANT"); }
};

struct NnOperation {
  std::string type;
  std::vector<int> inputs, outputs;
};

struct NnGraph {
  std::vector<NnOperand> operands;
  std::vector<NnOperation> operations;
  std::vector<int> inputs, outputs;
};

struct NnExample {
  std::string test;
  bool is_relaxed = false;
  bool expects_failure = false;
  double multinomial_tolerance = 0.0;
  NnGraph main;
  std::vector<NnGraph> referenced;
};

// Stored integers for integer types, real numbers for float types.
using NnBuffer = std::vector<double>;

struct NnSpec {
  std::vector<NnBuffer> buffers;
  std::vector<NnExample> examples;
};

// Reads a .json.gz file; fails the running test when it cannot.
NnSpec ReadNnSpec(const std::filesystem::path& path);

}  // namespace munja::conformance

#endif  // MUNJA_TESTS_CONFORMANCE_NN_EXAMPLE_H_
