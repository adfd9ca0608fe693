// Types and codes of the TensorFlow Lite C API and our own.
#ifndef MUNJA_TFLITE_API_TYPES_H_
#define MUNJA_TFLITE_API_TYPES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "base/status.h"
#include "tensor/element_type.h"
#include "tensorflow/lite/core/c/common.h"

namespace munja::compat {

TfLiteType ToTfLiteType(ElementType type);
// None: a type that tensors here do not have.
std::optional<ElementType> FromTfLiteType(TfLiteType type);
// 0 for types whose elements have no fixed size of whole bytes.
size_t TfLiteTypeSize(TfLiteType type);

TfLiteStatus ToTfLiteStatus(Code code);
inline TfLiteStatus ToTfLiteStatus(const Status& status) {
  return ToTfLiteStatus(status.code());
}
// Converts the result of an external function; `what` names the function.
Status FromTfLiteStatus(TfLiteStatus status, std::string what);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_TYPES_H_
