// Float output epilogue: sums of activations that were quantized dynamically.
// Called by kernels/quant/int_epilogue.h.
#ifndef MUNJA_KERNELS_QUANT_DEQUANTIZE_EPILOGUE_H_
#define MUNJA_KERNELS_QUANT_DEQUANTIZE_EPILOGUE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// As StoreSums of an epilogue of float32.
void StoreReals(const IntEpilogue& epilogue, const int32_t* sums, size_t stride,
                const RowTarget* targets, size_t rows, size_t column,
                size_t columns);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_DEQUANTIZE_EPILOGUE_H_
