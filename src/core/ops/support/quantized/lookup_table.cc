#include "ops/support/quantized/lookup_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/elementwise/byte_table.h"
#include "kernels/elementwise/int16_clamp.h"
#include "kernels/elementwise/interpolation_table.h"
#include "ops/support/operands.h"
#include "ops/support/pointwise_rows.h"

namespace munja::ops {
namespace {

constexpr size_t kLookupGrain = size_t{1} << 14;

// An int16 has so many values: with more elements a table of all is cheaper
// than computing each.
constexpr int64_t kInt16Values = int64_t{1} << 16;

struct MapState : State {
  StoredFunction function;
  bool has_table = false;
  bool is_partial = false;  // Some entry of the table is kUndefined.
  // Inputs of 8 bits: the output for each byte, in full and as a byte.
  std::array<int32_t, 256> table;
  std::array<uint8_t, 256> bytes;
  // int16 to int16: the output for each input as uint16; empty when each
  // element is computed instead.
  std::vector<int16_t> table16;
  // The function only clamps to [first, last].
  bool is_clamp = false;
  int16_t first = 0, last = 0;
};

void FindClamp(MapState& state) {
  state.first = state.table16[0x8000];
  state.last = state.table16[0x7fff];
  state.is_clamp = state.first <= state.last;
  for (int32_t i = -32768; state.is_clamp && i < 32768; ++i) {
    state.is_clamp = state.table16[static_cast<uint16_t>(i)] ==
                     std::clamp<int32_t>(i, state.first, state.last);
  }
}

bool Is8Bit(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kUInt8;
}

// Calls f.operator()<T>() for the type of quantized values.
template <class F>
void WithStored(ElementType type, const F& f) {
  switch (type) {
    case ElementType::kInt8:
      return f.template operator()<int8_t>();
    case ElementType::kUInt8:
      return f.template operator()<uint8_t>();
    case ElementType::kInt16:
      return f.template operator()<int16_t>();
    default:
      return f.template operator()<int32_t>();
  }
}

class StoredMapKernel final : public Kernel, public PointwiseRows {
 public:
  StoredMapKernel(StoredFunctionMaker maker, bool reference_kernels,
                  std::string undefined)
      : maker_(std::move(maker)),
        use_reference_(reference_kernels),
        undefined_(std::move(undefined)) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    for (const TensorView* view : {&in, &out}) {
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, view == &in ? "the input" : "the output",
                    {ElementType::kInt8, ElementType::kUInt8,
                     ElementType::kInt16, ElementType::kInt32}));
    }
    auto state = std::make_unique<MapState>();
    MUNJA_ASSIGN_OR_RETURN(state->function, maker_(in, out));
    if (Is8Bit(in.type) && !use_reference_) {
      state->has_table = true;
      for (int i = 0; i < 256; ++i) {
        const int32_t stored =
            in.type == ElementType::kInt8 && i > 127 ? i - 256 : i;
        state->table[i] = state->function(stored);
        state->bytes[i] = static_cast<uint8_t>(state->table[i] & 255);
        state->is_partial |= state->table[i] == kUndefined;
      }
    }
    if (in.type == ElementType::kInt16 && out.type == ElementType::kInt16 &&
        undefined_.empty() && !use_reference_ &&
        in.shape.elements() > kInt16Values) {
      state->table16.resize(kInt16Values);
      for (int32_t i = -32768; i < 32768; ++i) {
        state->table16[static_cast<uint16_t>(i)] =
            static_cast<int16_t>(state->function(i));
      }
      FindClamp(*state);
    }
    context.SetState(std::move(state));
    if (ElementSize(in.type) == ElementSize(out.type))
      context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, in.shape);
  }

  // Values without a result are refused before anything is made.
  const RowKernel* by_rows() const override {
    return use_reference_ || !undefined_.empty() ? nullptr : this;
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const TensorView& out = context.output(0);
    const auto& state = *static_cast<const MapState*>(context.state());
    Status status;
    WithStored(in.type, [&]<class From>() {
      if (!undefined_.empty()) status = CheckDomain<From>(state, in);
      if (!status.ok()) return;
      WithStored(out.type, [&]<class To>() {
        const From* from = in.as<From>();
        To* to = out.mutable_as<To>();
        context.pool().ParallelFor(
            static_cast<size_t>(in.shape.elements()), kLookupGrain,
            [&](size_t begin, size_t end, int) {
              Run(state, from + begin, end - begin, to + begin);
            });
      });
    });
    return status;
  }

 protected:
  void EvalElements(const EvalContext& context, const void* in, size_t count,
                    void* out) const override {
    const auto& state = *static_cast<const MapState*>(context.state());
    WithStored(context.input(0).type, [&]<class From>() {
      WithStored(context.output(0).type, [&]<class To>() {
        Run(state, static_cast<const From*>(in), count, static_cast<To*>(out));
      });
    });
  }

 private:
  template <class From, class To>
  static void Run(const MapState& state, const From* in, size_t count,
                  To* out) {
    if constexpr (sizeof(From) == 1) {
      if (state.has_table) {
        if constexpr (sizeof(To) == 1) {
          kernels::LookUpBytes(state.bytes.data(),
                               reinterpret_cast<const uint8_t*>(in), count,
                               reinterpret_cast<uint8_t*>(out));
          return;
        }
        for (size_t i = 0; i < count; ++i)
          out[i] = static_cast<To>(state.table[static_cast<uint8_t>(in[i])]);
        return;
      }
    }
    if constexpr (sizeof(From) == 2 && sizeof(To) == 2) {
      if (!state.table16.empty()) {
        if (state.is_clamp) {
          kernels::Clamp(reinterpret_cast<const int16_t*>(in), count,
                         state.first, state.last,
                         reinterpret_cast<int16_t*>(out));
          return;
        }
        const int16_t* table = state.table16.data();
        for (size_t i = 0; i < count; ++i)
          out[i] = table[static_cast<uint16_t>(in[i])];
        return;
      }
    }
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<To>(state.function(in[i]));
  }

  template <class From>
  Status CheckDomain(const MapState& state, const TensorView& in) const {
    if (state.has_table && !state.is_partial) return Status();
    const From* from = in.as<From>();
    const bool is_defined =
        std::none_of(from, from + in.shape.elements(), [&](From v) {
          return (state.has_table ? state.table[static_cast<uint8_t>(v)]
                                  : state.function(v)) == kUndefined;
        });
    return is_defined ? Status() : InvalidArgument(undefined_);
  }

  StoredFunctionMaker maker_;
  bool use_reference_;
  std::string undefined_;
};

}  // namespace

std::unique_ptr<Kernel> MakeStoredMap(StoredFunctionMaker maker,
                                      bool reference_kernels,
                                      std::string undefined) {
  return std::make_unique<StoredMapKernel>(std::move(maker), reference_kernels,
                                           std::move(undefined));
}

StoredFunction FromReals(const Affine& in, const Affine& out, ElementType type,
                         const std::function<float(float)>& f) {
  if (type == ElementType::kInt16) {
    const auto table = std::make_shared<kernels::InterpolationTable>(
        kernels::MakeInterpolationTable<float>(in.scale, in.zero, out.scale,
                                               f));
    return [table](int32_t stored) -> int32_t {
      return kernels::Interpolate(*table, static_cast<int16_t>(stored));
    };
  }
  const StoredRange range = RangeOf(type);
  return [in, out, range, f](int32_t stored) {
    const float x = in.scale * static_cast<float>(stored - in.zero);
    const float v =
        std::round(f(x) * (1.0f / out.scale)) + static_cast<float>(out.zero);
    if (!(v > static_cast<float>(range.low))) return range.low;
    return v < static_cast<float>(range.high) ? static_cast<int32_t>(v)
                                              : range.high;
  };
}

}  // namespace munja::ops
