// The operations of the HAL: names, since when, and the operands they take.
#ifndef MUNJA_NN_OPERATIONS_H_
#define MUNJA_NN_OPERATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nn/model.h"

namespace munja::nn {

// "CONV_2D", "operation 77".
std::string OperationName(int32_t type);
std::optional<int32_t> FindOperation(std::string_view name);

// The version that the operation came with operands of these types and in this
// number; nothing: none of its forms fits. Not for IF, WHILE, and what the HAL
// does not know.
std::optional<int32_t> VersionOf(const Subgraph& subgraph,
                                 const Operation& operation);

// Inputs of the operation that may have no value, as a form of it that fits
// says. Others never have.
bool MayBeAbsent(const Subgraph& subgraph, const Operation& operation,
                 size_t input);

}  // namespace munja::nn

#endif  // MUNJA_NN_OPERATIONS_H_
