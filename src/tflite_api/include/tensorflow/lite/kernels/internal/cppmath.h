// Rounding under the names that kernels use.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_CPPMATH_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_CPPMATH_H_

#include <cmath>

namespace tflite {

// Halves away from zero.
template <class T>
inline T TfLiteRound(const T x) {
  return std::round(x);
}
template <class T>
inline T TfLiteExpm1(const T x) {
  return std::expm1(x);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_CPPMATH_H_
