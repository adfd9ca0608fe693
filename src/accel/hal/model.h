// Models and requests of the drivers' interface (munja/driver.h), owned: what
// its C structs say, in containers. The enumerations are those of the header,
// held as int32_t, because what comes from outside may be any number.
#ifndef MUNJA_HAL_MODEL_H_
#define MUNJA_HAL_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "munja/driver.h"

namespace munja::hal {

struct Location {
  uint32_t pool = 0, offset = 0, length = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

// Scales along a dimension; the zero points are 0.
struct ChannelScales {
  uint32_t dimension = 0;
  std::vector<float> scales;
  friend bool operator==(const ChannelScales&, const ChannelScales&) = default;
};

using Dimensions = std::vector<uint32_t>;

struct Operand {
  int32_t type = MUNJA_NN_TENSOR_FLOAT32;
  int32_t lifetime = MUNJA_NN_TEMPORARY_VARIABLE;
  Dimensions dimensions;  // 0: unknown; none, of a tensor: unknown rank.
  uint32_t consumers = 0;
  float scale = 0.0f;
  int32_t zero_point = 0;
  Location location;
  std::optional<ChannelScales> channels;
  std::optional<std::vector<uint8_t>> extension_data;

  bool is_constant() const {
    return lifetime == MUNJA_NN_CONSTANT_COPY ||
           lifetime == MUNJA_NN_CONSTANT_REFERENCE;
  }
};

struct Operation {
  int32_t type = MUNJA_NN_ADD;
  std::vector<uint32_t> inputs, outputs;
};

struct Subgraph {
  std::vector<Operand> operands;
  std::vector<Operation> operations;
  std::vector<uint32_t> inputs, outputs;
};

// Memory that is mapped here, or a driver's buffer of this token.
struct Memory {
  void* data = nullptr;
  uint64_t bytes = 0;
  int32_t fd = -1;
  uint32_t token = 0;
  uint64_t offset = 0;
  std::shared_ptr<const void> owner;  // Null: the caller keeps it mapped.
};

struct ExtensionPrefix {
  std::string name;
  uint16_t prefix = 0;
};

struct Model {
  std::vector<Subgraph> subgraphs;  // [0] is the main one.
  std::vector<uint8_t> operand_values;
  std::vector<Memory> pools;
  std::vector<ExtensionPrefix> extensions;
  bool is_relaxed = false;

  const Subgraph& main() const { return subgraphs[0]; }
  // The bytes of a constant; the model must be valid.
  const uint8_t* ConstantData(const Operand& operand) const {
    const Location& at = operand.location;
    return operand.lifetime == MUNJA_NN_CONSTANT_COPY
               ? operand_values.data() + at.offset
               : static_cast<const uint8_t*>(pools[at.pool].data) + at.offset;
  }
  // The index in `subgraphs` that a valid operand of type SUBGRAPH names.
  static size_t SubgraphOf(const Operand& operand) {
    return size_t{1} + operand.location.offset;
  }
};

struct Argument {
  bool has_no_value = false;
  Location location;
  Dimensions dimensions;  // None: as in the model.
};

struct Request {
  std::vector<Argument> inputs, outputs;
  std::vector<Memory> pools;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_MODEL_H_
