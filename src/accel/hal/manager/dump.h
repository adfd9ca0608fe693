// Models of the HAL for people.
#ifndef MUNJA_HAL_MANAGER_DUMP_H_
#define MUNJA_HAL_MANAGER_DUMP_H_

#include <span>
#include <string>

#include "hal/model.h"

namespace munja::nn {

// Graphviz: the operations of the main subgraph, the values between them with
// types and dimensions. owners: who runs each operation, or none.
std::string ToDot(const Model& model, std::span<const std::string> owners = {});

}  // namespace munja::nn

#endif  // MUNJA_HAL_MANAGER_DUMP_H_
