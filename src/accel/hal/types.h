// Facts about the types of operands.
#ifndef MUNJA_HAL_TYPES_H_
#define MUNJA_HAL_TYPES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hal/model.h"

namespace munja::hal {

struct TypeRow {
  int32_t type;
  const char* name;  // "TENSOR_FLOAT32"
  int32_t since;     // munja_nn_version.
  uint32_t bytes;    // Size of an element.
  bool is_tensor;
  enum Scale { kNone, kAny, kPositive } scale;  // kAny: not negative.
  int32_t min_zero_point, max_zero_point;
};

// Null: no base type.
const TypeRow* FindType(int32_t type);
const TypeRow* FindType(std::string_view name);
inline bool IsExtension(int32_t type) { return type > MUNJA_NN_MAX_BASE_TYPE; }
bool IsTensor(int32_t type);  // For base types only.
// "TENSOR_FLOAT32", "type 77".
std::string TypeName(int32_t type);

// Nothing of the dimensions is unknown. A scalar's never is.
bool IsFullySpecified(int32_t type, const Dimensions& dimensions);

// Bytes of the data; 0 where a dimension is unknown; nothing where they are
// more than 32 bits can tell, or the type is none of the base ones.
std::optional<uint32_t> SizeOf(int32_t type, const Dimensions& dimensions);

// "[2, 3]"
std::string ToText(const Dimensions& dimensions);

}  // namespace munja::hal

#endif  // MUNJA_HAL_TYPES_H_
