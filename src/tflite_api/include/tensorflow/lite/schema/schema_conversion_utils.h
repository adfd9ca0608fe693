// Operator codes with both fields of their number.
#ifndef MUNJA_TFLITE_SCHEMA_SCHEMA_CONVERSION_UTILS_H_
#define MUNJA_TFLITE_SCHEMA_SCHEMA_CONVERSION_UTILS_H_

#include <algorithm>
#include <cstdint>

#include "tensorflow/lite/schema/schema_generated.h"

namespace tflite {

// 127 where one byte cannot hold it.
inline int8_t ConvertBuiltinCodeToDeprecatedBuiltinCode(
    const BuiltinOperator builtin_code) {
  return static_cast<int8_t>(std::min(static_cast<int>(builtin_code), 127));
}

inline flatbuffers::Offset<OperatorCode> CreateOperatorCode(
    flatbuffers::FlatBufferBuilder& fbb, BuiltinOperator builtin_code,
    flatbuffers::Offset<flatbuffers::String> custom_code, int32_t version) {
  return CreateOperatorCode(
      fbb, ConvertBuiltinCodeToDeprecatedBuiltinCode(builtin_code), custom_code,
      version, builtin_code);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_SCHEMA_SCHEMA_CONVERSION_UTILS_H_
