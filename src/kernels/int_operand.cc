#include "kernels/int_operand.h"

#include <cstring>

#include "kernels/byte_dot.h"
#include "kernels/centered.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int_operand.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Between int8 and uint8 of values that differ by 128.
void FlipSigns(const uint8_t* in, size_t count, uint8_t* out) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto sign = hn::Set(d, uint8_t{0x80});
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Xor(hn::LoadU(d, in + i), sign), d, out + i);
  for (; i < count; ++i) out[i] = in[i] ^ uint8_t { 0x80 };
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(FlipSigns);

bool IsFlipped(const IntInput& in, IntFormat format) {
  if (format == IntFormat::kPairs) return false;
  return (in.type == ElementType::kInt8) ==
         (format == IntFormat::kUnsignedBytes);
}

IntFormat ByteFormat() {
  if (!HasByteDot()) return IntFormat::kPairs;
  return HWY_ARCH_X86 ? IntFormat::kUnsignedBytes : IntFormat::kSignedBytes;
}

int32_t OperandZero(const IntInput& in, IntFormat format) {
  if (format == IntFormat::kPairs) return 0;
  if (!IsFlipped(in, format)) return in.zero;
  return format == IntFormat::kUnsignedBytes ? in.zero + 128 : in.zero - 128;
}

void LoadOperand(const IntInput& in, size_t first, size_t count,
                 IntFormat format, uint8_t* to) {
  if (count == 0) return;
  if (in.type == ElementType::kInt16) {
    std::memcpy(to, static_cast<const int16_t*>(in.data) + first,
                count * sizeof(int16_t));
    return;
  }
  const uint8_t* from = static_cast<const uint8_t*>(in.data) + first;
  if (format == IntFormat::kPairs) {
    auto* pairs = reinterpret_cast<int16_t*>(to);
    if (in.type == ElementType::kUInt8)
      Center(from, count, in.zero, pairs);
    else
      Center(reinterpret_cast<const int8_t*>(from), count, in.zero, pairs);
  } else if (IsFlipped(in, format)) {
    HWY_DYNAMIC_DISPATCH(FlipSigns)(from, count, to);
  } else {
    std::memcpy(to, from, count);
  }
}

void FillOperand(const IntInput& in, size_t count, IntFormat format,
                 uint8_t* to) {
  std::memset(to, OperandZero(in, format) & 255,
              count * IntElementBytes(format));
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
