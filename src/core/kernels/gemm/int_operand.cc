#include "kernels/gemm/int_operand.h"

#include <cstring>

#include "kernels/cpu/byte_dot.h"
#include "kernels/quant/centered.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/int_operand.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Between int8 and uint8 of values that differ by 128.
void ChangeSigns(const uint8_t* in, size_t count, uint8_t* out) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto sign = hn::Set(d, uint8_t{0x80});
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Xor(hn::LoadU(d, in + i), sign), d, out + i);
  for (; i < count; ++i) out[i] = in[i] ^ uint8_t { 0x80 };
}

// `count` pixels of `channels` bytes from `in`, those of `columns`, each
// `step` after the one before. The bits of `sign` change.
template <size_t kChannels>
void MovePixels(const uint8_t* in, const int32_t* columns, size_t count,
                size_t channels, uint8_t sign, uint8_t* out, size_t step) {
  const hn::CappedTag<uint8_t, 16> d;
  const size_t lanes = hn::Lanes(d);
  const auto bits = hn::Set(d, sign);
  if constexpr (kChannels != 0) channels = kChannels;
  for (size_t i = 0; i < count; ++i, out += step) {
    const uint8_t* from = in + static_cast<size_t>(columns[i]) * channels;
    size_t c = 0;
    for (; c + lanes <= channels; c += lanes)
      hn::StoreU(hn::Xor(hn::LoadU(d, from + c), bits), d, out + c);
    for (; c < channels; ++c) out[c] = from[c] ^ sign;
  }
}

void MoveBytes(const uint8_t* in, const int32_t* columns, size_t count,
               size_t channels, uint8_t sign, uint8_t* out, size_t step) {
  const auto move = channels == 16   ? MovePixels<16>
                    : channels == 32 ? MovePixels<32>
                                     : MovePixels<0>;
  move(in, columns, count, channels, sign, out, step);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(ChangeSigns);
HWY_EXPORT(MoveBytes);

bool HasOtherSign(const IntInput& in, IntFormat format) {
  if (format == IntFormat::kInt16) return false;
  return (in.type == ElementType::kInt8) == (format == IntFormat::kUInt8);
}

IntFormat ByteFormat() {
  if (!HasByteDot()) return IntFormat::kInt16;
  return HWY_ARCH_X86 ? IntFormat::kUInt8 : IntFormat::kInt8;
}

int32_t OperandZero(const IntInput& in, IntFormat format) {
  if (format == IntFormat::kInt16) return 0;
  if (!HasOtherSign(in, format)) return in.zero;
  return format == IntFormat::kUInt8 ? in.zero + 128 : in.zero - 128;
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
  if (format == IntFormat::kInt16) {
    auto* pairs = reinterpret_cast<int16_t*>(to);
    if (in.type == ElementType::kUInt8)
      Center(from, count, in.zero, pairs);
    else
      Center(reinterpret_cast<const int8_t*>(from), count, in.zero, pairs);
  } else if (HasOtherSign(in, format)) {
    HWY_DYNAMIC_DISPATCH(ChangeSigns)(from, count, to);
  } else {
    std::memcpy(to, from, count);
  }
}

void LoadMaps(const IntInput& in, size_t n, size_t row, size_t first,
              size_t count, IntFormat format, uint8_t* to) {
  const size_t element = IntElementBytes(format);
  size_t step = 0;
  for (const IntMap& map : in.maps) step += map.channels * element;
  for (const IntMap& map : in.maps) {
    const size_t line =
        n * map.height + static_cast<size_t>(map.rows[row]) - map.first_row;
    const size_t before = line * map.width * map.channels;
    const int32_t* columns = map.columns + first;
    if (format == IntFormat::kInt16) {
      const IntInput one{map.data, in.type, in.zero};
      for (size_t i = 0; i < count; ++i) {
        LoadOperand(one,
                    before + static_cast<size_t>(columns[i]) * map.channels,
                    map.channels, format, to + i * step);
      }
    } else {
      const uint8_t sign = HasOtherSign(in, format) ? 0x80 : 0;
      HWY_DYNAMIC_DISPATCH(MoveBytes)
      (map.data + before, columns, count, map.channels, sign, to, step);
    }
    to += map.channels * element;
  }
}

void FillOperand(const IntInput& in, size_t count, IntFormat format,
                 uint8_t* to) {
  std::memset(to, OperandZero(in, format) & 255,
              count * IntElementBytes(format));
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
