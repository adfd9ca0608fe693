#include "ops/support/quantized/quantized_activation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "base/fork.h"
#include "kernels/quant/fixed_point.h"
#include "ops/support/operands.h"

namespace munja::ops {
namespace {

using kernels::Activation;
using kernels::ActivationKind;
using kernels::Multiplier;
using kernels::QuantizeMultiplier;

StoredFunction Relu(const Affine& in, const Affine& out, StoredRange range) {
  const Multiplier m = QuantizeMultiplier(in.scale / out.scale);
  return [m, in, out, range](int32_t q) {
    return kernels::Rescale(q - in.zero, m, out.zero, range.low, range.high);
  };
}

StoredFunction LeakyRelu(const Affine& in, const Affine& out, float alpha,
                         StoredRange range) {
  const Multiplier identity = QuantizeMultiplier(in.scale / out.scale);
  const float slope = in.scale * alpha / out.scale;
  // A multiplier has no sign; a negative slope is one of -x.
  const Multiplier negative = QuantizeMultiplier(std::abs(slope));
  const int32_t sign = slope < 0.0f ? -1 : 1;
  return [=](int32_t q) {
    const int32_t x = q - in.zero;
    return kernels::Rescale(x >= 0 ? x : sign * x, x >= 0 ? identity : negative,
                            out.zero, range.low, range.high);
  };
}

int32_t SaturateTo16(int64_t v) {
  return static_cast<int32_t>(std::clamp<int64_t>(v, -32768, 32767));
}

// round(a * b / 2^15) of 16-bit numbers, saturating.
int32_t RoundingHighMul16(int32_t a, int32_t b) {
  const int32_t product = a * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return SaturateTo16((product + nudge) / (1 << 15));
}

int32_t MantissaOf16Bits(Multiplier m) {
  constexpr int32_t kRounding = 1 << 15;
  if (m.mantissa >= std::numeric_limits<int32_t>::max() - kRounding)
    return 32767;
  return (m.mantissa + kRounding) >> 16;
}

Result<StoredFunction> HardSwish(const Affine& in, const Affine& out,
                                 StoredRange range) {
  // The input is kept with seven more bits; 32768 is a real 3 in `relu`.
  const float fine_scale = (1.0f / 128.0f) * in.scale;
  const Multiplier to_out = QuantizeMultiplier(fine_scale / out.scale);
  const Multiplier to_relu = QuantizeMultiplier(fine_scale / (3.0f / 32768.0f));
  if (to_out.exponent > 0) {
    return Unsupported("the output's scale is less than 1/128 of the input's");
  }
  const int32_t out_mantissa = MantissaOf16Bits(to_out);
  const int32_t relu_mantissa = MantissaOf16Bits(to_relu);
  return StoredFunction([=](int32_t q) {
    const int32_t fine = (q - in.zero) * 128;
    int32_t relu = fine;
    const int exponent = to_relu.exponent;
    if (exponent > 0)
      relu = SaturateTo16(relu * (int64_t{1} << (exponent - 1)));
    relu = RoundingHighMul16(relu, relu_mantissa);
    if (exponent > 0) relu = SaturateTo16(int64_t{2} * relu);
    if (exponent < 0)
      relu = kernels::RoundingDivideByPowerOfTwo(relu, -exponent);
    relu = (relu + 32768) >> 1;  // From [-3, 3] to [0, 1].
    const int32_t scaled = RoundingHighMul16(fine, out_mantissa);
    const int32_t product = relu * scaled / (1 << 15);  // Toward zero.
    return std::clamp(
        kernels::RoundingDivideByPowerOfTwo(product, -to_out.exponent) +
            out.zero,
        range.low, range.high);
  });
}

// sigmoid(i / 24) in units of 2^-16, each moved half the way to where the line
// to the next one would fit in the middle.
std::array<uint16_t, 256> MakeSigmoidTable() {
  const auto sigmoid = [](double i) {
    return 65536.0 / (1.0 + std::exp(-i / 24.0));
  };
  std::array<uint16_t, 256> t;
  for (int i = 0; i < 256; ++i) {
    const double line = (sigmoid(i) + sigmoid(i + 1)) / 2;
    t[i] = static_cast<uint16_t>(
        std::lround(sigmoid(i) + (sigmoid(i + 0.5) - line) / 2));
  }
  t[255] = 65535;
  return t;
}

// LOGISTIC and TANH of int16: the input is brought to units of 1/12288, then
// the table is read with interpolation.
StoredFunction Sigmoid16(const Affine& in, bool is_tanh) {
  const std::optional<int> exponent = PowerOfTwo(in.scale);
  int shift = exponent ? 12 + *exponent : -1;
  int64_t multiplier = 0;
  if (shift == 0 || (is_tanh && shift == 1)) {
    multiplier = int64_t{3} << shift;
    shift = 0;
  } else {
    double m = static_cast<double>(in.scale) * 4096.0 * 3.0;
    for (shift = 0; m <= 32767.0 / 2.0 && shift <= 30; ++shift) m *= 2.0;
    multiplier = static_cast<int64_t>(std::min(m, 1e12));
  }
  const int64_t round = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  const std::array<uint16_t, 256>& table = MadeOnce<MakeSigmoidTable>();
  return [=, &table](int32_t q) {
    const int64_t x = (q * multiplier + round) >> shift;
    const auto magnitude = static_cast<uint64_t>(std::llabs(x));
    const int bits = is_tanh ? 8 : 9;  // Between two entries.
    const uint64_t index = magnitude >> bits;
    const auto between =
        static_cast<int64_t>(magnitude & ((uint64_t{1} << bits) - 1));
    if (is_tanh) {
      const int64_t y = index >= 255
                            ? int64_t{0xFFFF} << 8
                            : (int64_t{table[index]} << 8) +
                                  between * (table[index + 1] - table[index]);
      constexpr int64_t kHalf = 1 << 23, kRound = 1 << 7;
      return static_cast<int32_t>(
          (x >= 0 ? y - kHalf + kRound : -y + kHalf + kRound - 1) >> 8);
    }
    const int64_t y = index >= 255
                          ? int64_t{0x7FFF} << 10
                          : (int64_t{table[index]} << 9) +
                                between * (table[index + 1] - table[index]);
    constexpr int64_t kOne = 1 << 25, kRound = 1 << 9;
    return static_cast<int32_t>((x >= 0 ? y + kRound : kOne - y + kRound - 1) >>
                                10);
  };
}

Status CheckOutputScale(const Affine& out, float scale, const char* text) {
  if (out.scale == scale) return Status();
  return Unsupported("the output's scale is " + std::to_string(out.scale) +
                     ", must be " + text);
}

Result<StoredFunction> MakeActivationFunction(const Activation& activation,
                                              const TensorView& in_view,
                                              const TensorView& out_view) {
  MUNJA_RETURN_IF_ERROR(CheckType(
      in_view, "the input",
      {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}));
  MUNJA_RETURN_IF_ERROR(CheckSameType(in_view, out_view));
  MUNJA_ASSIGN_OR_RETURN(const Affine in, PerTensor(in_view, "the input"));
  MUNJA_ASSIGN_OR_RETURN(const Affine out, PerTensor(out_view, "the output"));
  const StoredRange range = RangeOf(in_view.type);
  const bool is_16_bits = in_view.type == ElementType::kInt16;
  if (kernels::ClampOf(activation.kind).is_active) {
    MUNJA_ASSIGN_OR_RETURN(const StoredRange clamp,
                           ActivationRange(activation.kind, out, in_view.type));
    return Relu(in, out, clamp);
  }
  switch (activation.kind) {
    case ActivationKind::kLeakyRelu:
      return LeakyRelu(in, out, activation.alpha, range);
    case ActivationKind::kHardSwish:
      if (is_16_bits) break;
      return HardSwish(in, out, range);
    case ActivationKind::kSigmoid:
      if (is_16_bits) {
        MUNJA_RETURN_IF_ERROR(
            CheckOutputScale(out, 1.0f / 32768.0f, "1/32768"));
        return Sigmoid16(in, false);
      }
      MUNJA_RETURN_IF_ERROR(CheckOutputScale(out, 1.0f / 256.0f, "1/256"));
      break;
    case ActivationKind::kTanh:
      if (is_16_bits) {
        if (PowerOfTwo(out.scale) != -15)
          return CheckOutputScale(out, 0.0f, "1/32768");
        return Sigmoid16(in, true);
      }
      break;
    default:
      break;
  }
  if (is_16_bits) return Unsupported("does not exist for int16");
  return FromReals(in, out, in_view.type, [activation](float x) {
    return kernels::reference::Activate(activation, x);
  });
}

}  // namespace

StoredFunctionMaker QuantizedActivation(const Activation& activation) {
  return [activation](const TensorView& in, const TensorView& out) {
    return MakeActivationFunction(activation, in, out);
  };
}

}  // namespace munja::ops
