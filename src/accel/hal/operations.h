// The operations of the HAL: names, versions and operands.
#ifndef MUNJA_HAL_OPERATIONS_H_
#define MUNJA_HAL_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/model.h"

namespace munja::hal {

// "CONV_2D", "operation 77".
std::string OperationName(int32_t type);
std::optional<int32_t> FindOperation(std::string_view name);

// The version that the operation came with operands of these types, in this
// number and of these ranks; nothing: none of its forms fits. Not for IF,
// WHILE, and what the HAL does not know.
std::optional<int32_t> VersionOf(const Subgraph& subgraph,
                                 const Operation& operation);

// A way to use an operation: what its operands are.
struct Signature {
  struct Place {
    int32_t type = MUNJA_NN_TENSOR_FLOAT32;  // munja_nn_operand_type.
    size_t rank = 0;                         // 0: any.
  };
  int32_t type = MUNJA_NN_ADD;
  int32_t version = MUNJA_NN_1_0;
  int32_t of = MUNJA_NN_TENSOR_FLOAT32;  // The type that it is named by.
  std::vector<Place> inputs, outputs;
};
// One signature for every form and type of all operations except IF and WHILE,
// without optional operands.
std::vector<Signature> Signatures();

// Inputs of the operation that may have no value, as a form of it that fits
// says. Others never have.
bool MayBeAbsent(const Subgraph& subgraph, const Operation& operation,
                 size_t input);

}  // namespace munja::hal

#endif  // MUNJA_HAL_OPERATIONS_H_
