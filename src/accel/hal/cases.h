// Cases of operations: a model, inputs and expected outputs, read from JSON
// files of the format "nnspec-json-1" (docs/explanation/testing.md), plain or
// packed by gzip.
#ifndef MUNJA_HAL_CASES_H_
#define MUNJA_HAL_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hal/model.h"

namespace munja::hal {

struct Expected {
  int32_t type = MUNJA_NN_TENSOR_FLOAT32;
  Dimensions dimensions;
  bool is_ignored = false;
  // Quantized values for integer types, floats for float types.
  std::vector<double> values;
};

struct Case {
  std::string name;
  int32_t min_version = MUNJA_NN_1_0;  // 0: the file does not say.
  bool expects_failure = false;
  double multinomial_tolerance = 0.0;  // Above 0: only frequencies are right.
  Model model;
  // One for each input of the model; nothing: an omitted optional one.
  std::vector<std::optional<std::vector<uint8_t>>> inputs;
  std::vector<Expected> outputs;
};

// kIo, kNotFound; kMalformed names file and example; kUnsupported: JSON of
// another kind.
Result<std::vector<Case>> ReadCases(const std::string& path);
// Parses such a file.
Result<std::vector<Case>> ParseCases(std::string_view json);

// The operation that a case counts for: its last one that is no helper of a
// generated variant.
std::string OperationOf(const Case& example);

// Whether it has unsigned 8-bit values that can be made signed.
bool CanBeSigned(const Case& example);
// All unsigned 8-bit values and zero points less 128, as signed ones: they
// represent the same float values.
Case Signed(Case example);

// The value of an element of such bytes, as Expected has them.
double ElementAt(int32_t type, const uint8_t* bytes, size_t index);

// "" when the outputs are what the case expects, by the criteria of the HAL's
// own tests; else where they are not. Outputs in the order of the model.
struct Output {
  Dimensions dimensions;
  std::vector<uint8_t> bytes;
};
std::string DifferenceFrom(const Case& example,
                           const std::vector<Output>& outputs);

}  // namespace munja::hal

#endif  // MUNJA_HAL_CASES_H_
