// The element types of tensors: those of the .tflite schema, under our names.
#ifndef MUNJA_TENSOR_ELEMENT_TYPE_H_
#define MUNJA_TENSOR_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>

namespace munja {

// Values equal tflite.TensorType, so that the file format is a cast away.
enum class ElementType : int8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUInt8 = 3,
  kInt64 = 4,
  kString = 5,
  kBool = 6,
  kInt16 = 7,
  kComplex64 = 8,
  kInt8 = 9,
  kFloat64 = 10,
  kComplex128 = 11,
  kUInt64 = 12,
  kResource = 13,
  kVariant = 14,
  kUInt32 = 15,
  kUInt16 = 16,
  kInt4 = 17,
  kBFloat16 = 18,
};

// Bytes of one element; 0 for types without a fixed size (string, variant) and
// for 4-bit values, which are packed two to a byte. A resource is the int32
// number by which ops::Resources knows it.
size_t ElementSize(ElementType type);
// "float32", "int8", ...
const char* ElementTypeName(ElementType type);
bool IsKnownElementType(int value);

}  // namespace munja

#endif  // MUNJA_TENSOR_ELEMENT_TYPE_H_
