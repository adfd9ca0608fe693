// Code for the type of a tensor's elements, which is known only when it runs.
#ifndef MUNJA_OPS_SUPPORT_BY_TYPE_H_
#define MUNJA_OPS_SUPPORT_BY_TYPE_H_

#include <cstdint>
#include <type_traits>

#include "tensor/element_type.h"

namespace munja::ops {

// Whether elements of that type are T in memory.
template <class T>
constexpr bool IsStoredAs(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return std::is_same_v<T, float>;
    case ElementType::kFloat64:
      return std::is_same_v<T, double>;
    case ElementType::kInt8:
      return std::is_same_v<T, int8_t>;
    case ElementType::kInt16:
      return std::is_same_v<T, int16_t>;
    case ElementType::kInt32:
      return std::is_same_v<T, int32_t>;
    case ElementType::kInt64:
      return std::is_same_v<T, int64_t>;
    case ElementType::kUInt8:
      return std::is_same_v<T, uint8_t>;
    case ElementType::kUInt16:
      return std::is_same_v<T, uint16_t>;
    case ElementType::kUInt32:
      return std::is_same_v<T, uint32_t>;
    default:
      return false;
  }
}

// Returns body.operator()<T>(), T being the one of `First, Rest...` that the
// type is stored as; the last one stands for all other types, which Prepare
// must have refused.
template <class First, class... Rest, class Body>
auto ByType([[maybe_unused]] ElementType type, const Body& body) {
  if constexpr (sizeof...(Rest) == 0) {
    return body.template operator()<First>();
  } else {
    if (IsStoredAs<First>(type)) return body.template operator()<First>();
    return ByType<Rest...>(type, body);
  }
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_BY_TYPE_H_
