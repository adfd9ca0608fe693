// The output stage of int16 activations, whose sums have 64 bits by
// definition. Called by kernels/quant/output_stage.h.
#ifndef MUNJA_KERNELS_QUANT_INT64_STAGE_H_
#define MUNJA_KERNELS_QUANT_INT64_STAGE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/output_stage.h"

namespace munja::kernels {

// As StoreSums of a wide stage of int16. False: a bias or a multiplier is so
// large that double precision might not be exact; all is still to be stored.
bool StoreWideSums(const OutputStage& stage, const int32_t* sums, size_t stride,
                   const RowTarget* targets, size_t rows, size_t column,
                   size_t columns);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_INT64_STAGE_H_
