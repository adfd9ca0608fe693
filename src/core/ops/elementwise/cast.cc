// CAST between number types.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "tensor/bfloat16.h"
#include "tensor/half.h"
#include "tensor/int4.h"

namespace munja::ops::cast {
namespace {

// Representations under names of their own; bool is a byte that is 0 or not.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Complex {
  float real, imaginary;
};
// Packed two to a byte: there are no pointers to one.
struct Int4 {
  int8_t value;
};
struct Bool {
  uint8_t value;
};

// To a number that can be computed with.
template <class T>
auto Load(T v) {
  if constexpr (std::is_same_v<T, Half>) {
    return HalfToFloat(v.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return BFloat16ToFloat(v.bits);
  } else if constexpr (std::is_same_v<T, Complex>) {
    return v.real;
  } else if constexpr (std::is_same_v<T, Int4>) {
    return v.value;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<uint8_t>(v.value != 0);
  } else {
    return v;
  }
}

// Toward zero, and to the nearest bound when out of range; NaN gives 0.
template <class To, class From>
To FloatToInteger(From v) {
  if (v != v) return 0;
  // The bound above is a power of two and so exact in any floating type.
  constexpr auto kAbove =
      static_cast<From>(To{1} << (std::numeric_limits<To>::digits - 1)) * 2;
  if (v >= kAbove) return std::numeric_limits<To>::max();
  if (v <= static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(v);
}

template <class To, class From>
To Convert(From stored) {
  if constexpr (std::is_same_v<To, From>) return stored;
  const auto v = Load(stored);
  if constexpr (std::is_same_v<To, Half>) {
    return Half{FloatToHalf(static_cast<float>(v))};
  } else if constexpr (std::is_same_v<To, BFloat>) {
    return BFloat{FloatToBFloat16(static_cast<float>(v))};
  } else if constexpr (std::is_same_v<To, Complex>) {
    return Complex{static_cast<float>(v), 0.0f};
  } else if constexpr (std::is_same_v<To, Int4>) {
    const auto wide = Convert<int64_t>(v);
    return Int4{static_cast<int8_t>(std::clamp<int64_t>(wide, -8, 7))};
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{v != 0};
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<decltype(v)>) {
    return FloatToInteger<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class T>
T Get(const void* data, size_t i) {
  if constexpr (std::is_same_v<T, Int4>) {
    return Int4{Int4At(static_cast<const uint8_t*>(data), i)};
  } else {
    return static_cast<const T*>(data)[i];
  }
}

template <class T>
void Set(void* data, size_t i, T v) {
  if constexpr (std::is_same_v<T, Int4>) {
    SetInt4(static_cast<uint8_t*>(data), i, v.value);
  } else {
    static_cast<T*>(data)[i] = v;
  }
}

// Calls f.operator()<T>() with the type's representation; false when CAST does
// not take it.
template <class F>
bool WithType(ElementType type, const F& f) {
  switch (type) {
    case ElementType::kFloat32:
      return f.template operator()<float>(), true;
    case ElementType::kFloat64:
      return f.template operator()<double>(), true;
    case ElementType::kFloat16:
      return f.template operator()<Half>(), true;
    case ElementType::kBFloat16:
      return f.template operator()<BFloat>(), true;
    case ElementType::kComplex64:
      return f.template operator()<Complex>(), true;
    case ElementType::kInt4:
      return f.template operator()<Int4>(), true;
    case ElementType::kBool:
      return f.template operator()<Bool>(), true;
    case ElementType::kInt8:
      return f.template operator()<int8_t>(), true;
    case ElementType::kInt16:
      return f.template operator()<int16_t>(), true;
    case ElementType::kInt32:
      return f.template operator()<int32_t>(), true;
    case ElementType::kInt64:
      return f.template operator()<int64_t>(), true;
    case ElementType::kUInt8:
      return f.template operator()<uint8_t>(), true;
    case ElementType::kUInt16:
      return f.template operator()<uint16_t>(), true;
    case ElementType::kUInt32:
      return f.template operator()<uint32_t>(), true;
    case ElementType::kUInt64:
      return f.template operator()<uint64_t>(), true;
    default:
      return false;
  }
}

class CastKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    for (const TensorView* view : {&context.input(0), &context.output(0)}) {
      if (!WithType(view->type, []<class T>() {})) {
        return Unsupported(std::string("casts from or to ") +
                           ElementTypeName(view->type));
      }
    }
    return context.SetOutputShape(0, context.input(0).shape);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    const auto count = static_cast<size_t>(in.shape.elements());
    WithType(in.type, [&]<class From>() {
      WithType(out.type, [&]<class To>() {
        // An even grain: no two threads write into one byte.
        context.pool().ParallelFor(
            count, size_t{1} << 14, [&](size_t begin, size_t end, int) {
              for (size_t i = begin; i < end; ++i)
                Set(out.data, i, Convert<To>(Get<From>(in.data, i)));
            });
      });
    });
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  return std::unique_ptr<Kernel>(std::make_unique<CastKernel>());
}

}  // namespace munja::ops::cast
