// Drawings of HAL models.
#ifndef MUNJA_HAL_MANAGER_DUMP_H_
#define MUNJA_HAL_MANAGER_DUMP_H_

#include <span>
#include <string>

#include "hal/model.h"

namespace munja::hal {

// Graphviz: the operations of the main subgraph, the values between them with
// types and dimensions. owners: who runs each operation, or none.
std::string ToDot(const Model& model, std::span<const std::string> owners = {});

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_DUMP_H_
