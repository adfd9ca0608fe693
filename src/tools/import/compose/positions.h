// Places in a tensor by indices: what gathering and scattering of every front
// end need.
#ifndef MUNJA_IMPORT_COMPOSE_POSITIONS_H_
#define MUNJA_IMPORT_COMPOSE_POSITIONS_H_

#include <cstdint>
#include <string>

#include "import/compose/steps.h"

namespace munja::importer {

// The number of elements; all sizes must be static.
int64_t ElementsOf(const Dims& d);
// Indices counted from the end become those from the front.
ValueId FromFront(Steps& w, ValueId indices, int64_t size);
// 0, 1, ... along one axis of a shape of that many axes.
ValueId Count(Steps& w, int64_t n, size_t axis, size_t rank);
// Positions in the flat tensor of shape x, one for each element of `indices`,
// which are along `axis`.
ValueId FlatIndices(Steps& w, ValueId indices, const Dims& x, int64_t axis);
// Each row of indices to positions among the axes of x from `first` on.
ValueId RowPositions(Steps& w, ValueId indices, const Dims& x, size_t first);
// x, viewed as rows of this shape, with the updates at these rows: replaced
// ("none"), added ("add") and so on.
ValueId ScatterRows(Steps& w, ValueId x, const Dims& rows, ValueId positions,
                    ValueId updates, const std::string& reduction);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_POSITIONS_H_
