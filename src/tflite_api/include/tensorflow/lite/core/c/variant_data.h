// C++ objects as the content of tensors of type kTfLiteVariant.
#ifndef MUNJA_TFLITE_CORE_C_VARIANT_DATA_H_
#define MUNJA_TFLITE_CORE_C_VARIANT_DATA_H_

#include <new>
#include <utility>

#include "tensorflow/lite/core/c/tensor.h"

class VariantData {
 public:
  virtual ~VariantData() = default;
  // A copy in `maybe_alloc`, of the same class, or in new memory when it is
  // null.
  virtual VariantData* CloneTo(VariantData* maybe_alloc) const = 0;
};

// CloneTo by the copy constructor of the derived class.
template <class Derived>
class AbstractVariantData : public VariantData {
 public:
  VariantData* CloneTo(VariantData* maybe_alloc) const override {
    const auto& self = static_cast<const Derived&>(*this);
    if (maybe_alloc == nullptr) return new Derived(self);
    maybe_alloc->~VariantData();
    return new (maybe_alloc) Derived(self);
  }

 protected:
  AbstractVariantData() = default;
  AbstractVariantData(const AbstractVariantData&) = default;
};

// Destroys what the tensor holds and makes a T in its place.
template <class T, class... Args>
TfLiteStatus TfLiteTensorVariantRealloc(TfLiteTensor* t, Args&&... args) {
  if (t->type != kTfLiteVariant) return kTfLiteError;
  VariantData* object = nullptr;
  if (t->data.data != nullptr) {
    auto* old = static_cast<VariantData*>(t->data.data);
    old->~VariantData();
    object = new (t->data.data) T(std::forward<Args>(args)...);
  } else {
    object = new T(std::forward<Args>(args)...);
  }
  t->data.data = static_cast<void*>(object);
  t->allocation_type = kTfLiteVariantObject;
  return kTfLiteOk;
}

#endif  // MUNJA_TFLITE_CORE_C_VARIANT_DATA_H_
