// The output epilogue of int16 activations, whose sums have 64 bits by
// definition. Called by kernels/quant/int_epilogue.h.
#ifndef MUNJA_KERNELS_QUANT_INT64_EPILOGUE_H_
#define MUNJA_KERNELS_QUANT_INT64_EPILOGUE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quant/int_epilogue.h"

namespace munja::kernels {

// As StoreSums of a wide epilogue of int16. False: a bias or a multiplier is so
// large that double precision might not be exact; all is still to be stored.
bool StoreWideSums(const IntEpilogue& epilogue, const int32_t* sums,
                   size_t stride, const RowTarget* targets, size_t rows,
                   size_t column, size_t columns);

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_QUANT_INT64_EPILOGUE_H_
