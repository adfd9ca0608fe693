// Elementary functions of a float array.
#ifndef MUNJA_KERNELS_ELEMENTWISE_UNARY_H_
#define MUNJA_KERNELS_ELEMENTWISE_UNARY_H_

#include <cstddef>
#include <string_view>

namespace munja::kernels {

enum class UnaryKind {
#define UNARY(kind, name, integers, stored) kind,
#include "kernels/elementwise/unaries.def"
#undef UNARY
};

// One row of unaries.def.
struct UnaryRow {
  enum Types { kFloats, kIntegers };
  enum Stored { kNoneStored, kOwnStored, kRealStored };
  UnaryKind kind;
  std::string_view name;
  Types types;
  Stored stored;
};

// In the order of UnaryKind.
inline constexpr UnaryRow kUnaryRows[] = {
#define UNARY(kind, name, integers, stored) \
  {UnaryKind::kind, name, UnaryRow::integers, UnaryRow::stored},
#include "kernels/elementwise/unaries.def"
#undef UNARY
};

// out[i] = kind(in[i]). `in` and `out` may be the same.
void Unary(UnaryKind kind, const float* in, size_t count, float* out);

namespace reference {
// In double precision, rounded once.
float UnaryOf(UnaryKind kind, float x);
void Unary(UnaryKind kind, const float* in, size_t count, float* out);
}  // namespace reference

}  // namespace munja::kernels

#endif  // MUNJA_KERNELS_ELEMENTWISE_UNARY_H_
