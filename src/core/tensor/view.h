// TensorView: type, shape, quantization and a pointer to dense row-major data.
#ifndef MUNJA_TENSOR_VIEW_H_
#define MUNJA_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>

#include "tensor/element_type.h"
#include "tensor/quantization.h"
#include "tensor/shape.h"

namespace munja {

// Owns nothing. `data` is null for an absent optional input, and for an empty
// tensor it may be.
struct TensorView {
  ElementType type = ElementType::kFloat32;
  Shape shape;
  void* data = nullptr;
  size_t bytes = 0;
  const Quantization* quantization = nullptr;  // Null or not quantized: none.

  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <class T>
  T* mutable_as() const {
    return static_cast<T*>(data);
  }
  float scale() const {
    return quantization && quantization->is_quantized()
               ? quantization->scales[0]
               : 0.0f;
  }
  int32_t zero_point() const {
    return quantization && !quantization->zero_points.empty()
               ? static_cast<int32_t>(quantization->zero_points[0])
               : 0;
  }
};

}  // namespace munja

#endif  // MUNJA_TENSOR_VIEW_H_
