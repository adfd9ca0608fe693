#include "tensor/element_type.h"

namespace munja {
namespace {

struct Row {
  const char* name;
  size_t size;
};
constexpr Row kRows[] = {
    {"float32", 4},   {"float16", 2},  {"int32", 4},    {"uint8", 1},
    {"int64", 8},     {"string", 0},   {"bool", 1},     {"int16", 2},
    {"complex64", 8}, {"int8", 1},     {"float64", 8},  {"complex128", 16},
    {"uint64", 8},    {"resource", 4}, {"variant", 0},  {"uint32", 4},
    {"uint16", 2},    {"int4", 0},     {"bfloat16", 2},
};

}  // namespace

bool IsKnownElementType(int value) {
  return value >= 0 &&
         value < static_cast<int>(sizeof(kRows) / sizeof(kRows[0]));
}

size_t ElementSize(ElementType type) {
  const int i = static_cast<int>(type);
  return IsKnownElementType(i) ? kRows[i].size : 0;
}

const char* ElementTypeName(ElementType type) {
  const int i = static_cast<int>(type);
  return IsKnownElementType(i) ? kRows[i].name : "unknown";
}

}  // namespace munja
