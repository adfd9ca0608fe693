// The opaque types of the C API: the same objects under names that hide their
// fields.
#ifndef MUNJA_TFLITE_API_OPAQUE_H_
#define MUNJA_TFLITE_API_OPAQUE_H_

#include "tensorflow/lite/c/c_api_opaque.h"
#include "tensorflow/lite/c/common.h"

namespace munja::compat {

inline TfLiteOpaqueContext* Hide(TfLiteContext* context) {
  return reinterpret_cast<TfLiteOpaqueContext*>(context);
}
inline TfLiteOpaqueNode* Hide(TfLiteNode* node) {
  return reinterpret_cast<TfLiteOpaqueNode*>(node);
}
inline TfLiteOpaqueTensor* Hide(TfLiteTensor* tensor) {
  return reinterpret_cast<TfLiteOpaqueTensor*>(tensor);
}
inline TfLiteContext* Show(TfLiteOpaqueContext* context) {
  return reinterpret_cast<TfLiteContext*>(context);
}
inline const TfLiteContext* Show(const TfLiteOpaqueContext* context) {
  return reinterpret_cast<const TfLiteContext*>(context);
}
inline TfLiteNode* Show(TfLiteOpaqueNode* node) {
  return reinterpret_cast<TfLiteNode*>(node);
}
inline const TfLiteNode* Show(const TfLiteOpaqueNode* node) {
  return reinterpret_cast<const TfLiteNode*>(node);
}
inline TfLiteTensor* Show(TfLiteOpaqueTensor* tensor) {
  return reinterpret_cast<TfLiteTensor*>(tensor);
}
inline const TfLiteTensor* Show(const TfLiteOpaqueTensor* tensor) {
  return reinterpret_cast<const TfLiteTensor*>(tensor);
}

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_OPAQUE_H_
