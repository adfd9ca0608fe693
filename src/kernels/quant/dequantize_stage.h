// The output stage of real numbers: sums of activations that were quantized
// for the run. Called by kernels/quant/output_stage.h.
#ifndef MUNJA_KERNELS_QUANT_DEQUANTIZE_STAGE_H_
#define MUNJA_KERNELS_QUANT_DEQUANTIZE_STAGE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/output_stage.h"

namespace munja::kernels {

// As StoreSums of a stage of float32.
void StoreReals(const OutputStage& stage, const int32_t* sums, size_t stride,
                const RowTarget* targets, size_t rows, size_t column,
                size_t columns);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_DEQUANTIZE_STAGE_H_
