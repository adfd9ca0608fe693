// Adaptive pooling: an axis in N parts, which may overlap by one element.
#ifndef MUNJA_IMPORT_COMPOSE_POOL_PARTS_H_
#define MUNJA_IMPORT_COMPOSE_POOL_PARTS_H_

#include <cstdint>

#include "import/compose/steps.h"

namespace munja::importer {

// The greatest, or the mean, of each part: part i of n of an axis of size s
// begins at floor(i s / n) and ends before ceil((i + 1) s / n). The size must
// be known for more parts than one.
ValueId PoolParts(Steps& w, ValueId x, int64_t axis, int64_t parts,
                  bool is_max);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_POOL_PARTS_H_
