// A loop that only multiplies and adds integers. Part of machine_speed.cc,
// included for each SIMD target and each kind of dot product: MUNJA_DOTS is the
// namespace of kernels/gemm/int_dot-inl.h, MUNJA_DOTS_ATTR the instructions.

namespace MUNJA_DOTS {

// As MultiplyAdd; gives the operations of one element a lane.
inline MUNJA_DOTS_ATTR double Dots(size_t rounds, int32_t* numbers) {
  constexpr size_t kSums = 10;
  const hn::ScalableTag<int32_t> d;
  using V = hn::Vec<decltype(d)>;
  V x = hn::Set(d, numbers[0]);
  const V w = hn::Set(d, numbers[1]), one = hn::Set(d, 1);
  V sum0[kSums], sum1[kSums];
  HWY_UNROLL(10)
  for (size_t i = 0; i < kSums; ++i) {
    sum0[i] = hn::Set(d, static_cast<int32_t>(i));
    sum1[i] = hn::Zero(d);
  }
  for (size_t round = 0; round < rounds; ++round) {
    HWY_UNROLL(10)
    for (size_t i = 0; i < kSums; ++i) sum0[i] = Dot(x, w, sum0[i], sum1[i]);
    // Otherwise products that do not change would be made once.
    x = hn::Add(x, one);
  }
  HWY_UNROLL(10)
  for (size_t i = 1; i < kSums; ++i)
    sum0[0] = hn::Add(sum0[0], hn::Add(sum0[i], sum1[i]));
  numbers[2] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0[0], sum1[0])));
  return static_cast<double>(rounds * kSums * 2 * hn::Lanes(d));
}

}  // namespace MUNJA_DOTS

#undef MUNJA_DOTS
#undef MUNJA_DOTS_ATTR
