// The type of a tensor for a type of C++, and back.
#ifndef MUNJA_TFLITE_PORTABLE_TYPE_TO_TFLITETYPE_H_
#define MUNJA_TFLITE_PORTABLE_TYPE_TO_TFLITETYPE_H_

#include <cstdint>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {
namespace type_internal {

template <class T>
struct TypeOf {
  static constexpr TfLiteType value = kTfLiteNoType;
};
template <class T>
struct TypeOf<const T> : TypeOf<T> {};

}  // namespace type_internal

// kTfLiteNoType for types that tensors do not hold.
template <class T>
constexpr TfLiteType typeToTfLiteType() {
  return type_internal::TypeOf<T>::value;
}

// TfLiteTypeToType<kTfLiteInt8>::Type is int8_t.
template <TfLiteType TFLITE_TYPE_ENUM>
struct TfLiteTypeToType {};

// In namespace tflite.
#define MATCH_TYPE_AND_TFLITE_TYPE(CPP_TYPE, TFLITE_TYPE_ENUM) \
  template <>                                                  \
  struct type_internal::TypeOf<CPP_TYPE> {                     \
    static constexpr TfLiteType value = TFLITE_TYPE_ENUM;      \
  };                                                           \
  template <>                                                  \
  struct TfLiteTypeToType<TFLITE_TYPE_ENUM> {                  \
    using Type = CPP_TYPE;                                     \
  }

MATCH_TYPE_AND_TFLITE_TYPE(bool, kTfLiteBool);
MATCH_TYPE_AND_TFLITE_TYPE(int8_t, kTfLiteInt8);
MATCH_TYPE_AND_TFLITE_TYPE(uint8_t, kTfLiteUInt8);
MATCH_TYPE_AND_TFLITE_TYPE(int16_t, kTfLiteInt16);
MATCH_TYPE_AND_TFLITE_TYPE(uint16_t, kTfLiteUInt16);
MATCH_TYPE_AND_TFLITE_TYPE(int32_t, kTfLiteInt32);
MATCH_TYPE_AND_TFLITE_TYPE(uint32_t, kTfLiteUInt32);
MATCH_TYPE_AND_TFLITE_TYPE(int64_t, kTfLiteInt64);
MATCH_TYPE_AND_TFLITE_TYPE(uint64_t, kTfLiteUInt64);
MATCH_TYPE_AND_TFLITE_TYPE(TfLiteFloat16, kTfLiteFloat16);
MATCH_TYPE_AND_TFLITE_TYPE(TfLiteBFloat16, kTfLiteBFloat16);
MATCH_TYPE_AND_TFLITE_TYPE(float, kTfLiteFloat32);
MATCH_TYPE_AND_TFLITE_TYPE(double, kTfLiteFloat64);

}  // namespace tflite

#endif  // MUNJA_TFLITE_PORTABLE_TYPE_TO_TFLITETYPE_H_
