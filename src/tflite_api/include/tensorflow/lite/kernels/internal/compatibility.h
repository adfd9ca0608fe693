// Checks of kernels, and the short names of integers.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_COMPATIBILITY_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_COMPATIBILITY_H_

#include <cstdint>

#include "tensorflow/lite/kernels/op_macros.h"

#define TFLITE_CHECK(condition) ((condition) ? (void)0 : TFLITE_ABORT)
#define TFLITE_CHECK_EQ(x, y) TFLITE_CHECK((x) == (y))
#define TFLITE_CHECK_NE(x, y) TFLITE_CHECK((x) != (y))
#define TFLITE_CHECK_GE(x, y) TFLITE_CHECK((x) >= (y))
#define TFLITE_CHECK_GT(x, y) TFLITE_CHECK((x) > (y))
#define TFLITE_CHECK_LE(x, y) TFLITE_CHECK((x) <= (y))
#define TFLITE_CHECK_LT(x, y) TFLITE_CHECK((x) < (y))

#ifdef NDEBUG
#define TFLITE_DCHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#define TFLITE_DCHECK(condition) ((condition) ? (void)0 : TFLITE_ASSERT_FALSE)
#endif
#define TFLITE_DCHECK_EQ(x, y) TFLITE_DCHECK((x) == (y))
#define TFLITE_DCHECK_NE(x, y) TFLITE_DCHECK((x) != (y))
#define TFLITE_DCHECK_GE(x, y) TFLITE_DCHECK((x) >= (y))
#define TFLITE_DCHECK_GT(x, y) TFLITE_DCHECK((x) > (y))
#define TFLITE_DCHECK_LE(x, y) TFLITE_DCHECK((x) <= (y))
#define TFLITE_DCHECK_LT(x, y) TFLITE_DCHECK((x) < (y))

#define TFLITE_DEPRECATED(message)

namespace tflite {

using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using uint16 = std::uint16_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_COMPATIBILITY_H_
