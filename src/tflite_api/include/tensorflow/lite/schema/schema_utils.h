// Numbers of operators, which files state in one of two fields.
#ifndef MUNJA_TFLITE_SCHEMA_SCHEMA_UTILS_H_
#define MUNJA_TFLITE_SCHEMA_SCHEMA_UTILS_H_

#include <algorithm>

#include "tensorflow/lite/schema/schema_generated.h"

namespace tflite {

// The older field holds one byte; the newer one is zero in older files.
inline BuiltinOperator GetBuiltinCode(const OperatorCode* op_code) {
  return std::max(
      op_code->builtin_code(),
      static_cast<BuiltinOperator>(op_code->deprecated_builtin_code()));
}
inline BuiltinOperator GetBuiltinCode(const OperatorCodeT* op_code) {
  return std::max(op_code->builtin_code, static_cast<BuiltinOperator>(
                                             op_code->deprecated_builtin_code));
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_SCHEMA_SCHEMA_UTILS_H_
