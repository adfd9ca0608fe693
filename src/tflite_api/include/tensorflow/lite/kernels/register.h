// All builtin operators of the library.
#ifndef MUNJA_TFLITE_KERNELS_REGISTER_H_
#define MUNJA_TFLITE_KERNELS_REGISTER_H_

#include "tensorflow/lite/model_builder.h"  // IWYU pragma: export
#include "tensorflow/lite/mutable_op_resolver.h"

namespace tflite::ops::builtin {

// FindOp gives what was added only: the library's own operators have no
// registrations to hand out.
class BuiltinOpResolver : public MutableOpResolver {
 public:
  bool HasBuiltins() const override { return true; }
};

using BuiltinOpResolverWithoutDefaultDelegates = BuiltinOpResolver;

}  // namespace tflite::ops::builtin

#endif  // MUNJA_TFLITE_KERNELS_REGISTER_H_
