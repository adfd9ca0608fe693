#include "kernels/reduce/softmax.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/softmax.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/tail-inl.h"
#include "kernels/elementwise/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {

float RowMaximum(const float* in, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto best = hn::Set(d, in[0]);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    best = hn::Max(best, hn::LoadU(d, in + i));
  float result = hn::GetLane(hn::MaxOfLanes(d, best));
  for (; i < count; ++i) result = std::max(result, in[i]);
  return result;
}

// The sum of exp(beta (in[i] - maximum)); the terms are kept in `out` unless
// it is null.
float ExpAndSum(const float* in, size_t count, float maximum, float beta,
                float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto top = hn::Set(d, maximum);
  const auto factor = hn::Set(d, beta);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::Mul(hn::Sub(hn::LoadU(d, in + i), top), factor);
    const auto e = ExpOfNegative(d, x);
    if (out != nullptr) hn::StoreU(e, d, out + i);
    sum = hn::Add(sum, e);
  }
  if (i < count) {
    const size_t rest = count - i;
    const auto x = hn::Mul(hn::Sub(LoadTail(d, in + i, rest), top), factor);
    const auto e = ExpOfNegative(d, x);
    if (out != nullptr) StoreTail(e, d, out + i, rest);
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, rest), e));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void Softmax(const float* in, size_t count, float beta, float* out) {
  if (count == 0) return;
  const float maximum = RowMaximum(in, count);
  const float sum = ExpAndSum(in, count, maximum, beta, out);
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto inverse = hn::Set(d, 1.0f / sum);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, out + i), inverse), d, out + i);
  for (; i < count; ++i) out[i] *= 1.0f / sum;
}

void LogSoftmax(const float* in, size_t count, float* out) {
  if (count == 0) return;
  const float maximum = RowMaximum(in, count);
  const float log_sum = std::log(ExpAndSum(in, count, maximum, 1.0f, nullptr));
  for (size_t i = 0; i < count; ++i) out[i] = in[i] - maximum - log_sum;
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {

HWY_EXPORT(Softmax);
HWY_EXPORT(LogSoftmax);
void Softmax(const float* in, size_t count, float beta, float* out) {
  HWY_DYNAMIC_DISPATCH(Softmax)(in, count, beta, out);
}
void LogSoftmax(const float* in, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(LogSoftmax)(in, count, out);
}

namespace reference {

void Softmax(const float* in, size_t count, float beta, float* out) {
  if (count == 0) return;
  const double maximum = *std::max_element(in, in + count);
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += std::exp(beta * (in[i] - maximum));
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(std::exp(beta * (in[i] - maximum)) / sum);
}

void LogSoftmax(const float* in, size_t count, float* out) {
  if (count == 0) return;
  const double maximum = *std::max_element(in, in + count);
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += std::exp(in[i] - maximum);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(in[i] - maximum - std::log(sum));
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
