#include "kernels/spatial/pool.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class PoolKernelTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(PoolKernelTest);

TEST_P(PoolKernelTest, EveryChannelCount_MatchesReference) {
  for (int32_t channels = 1; channels < 37; ++channels) {
    PoolShape s;
    s.in_h = 7;
    s.in_w = 6;
    s.out_h = 4;
    s.out_w = 3;
    s.channels = channels;
    s.kernel_h = 3;
    s.kernel_w = 2;
    s.stride_h = s.stride_w = 2;
    s.pad_top = 1;
    std::vector<float> in(static_cast<size_t>(7 * 6 * channels));
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i * 29 % 31) - 20.0f;
    const size_t count = static_cast<size_t>(4 * 3 * channels);
    for (const PoolKind kind :
         {PoolKind::kMaximum, PoolKind::kAverage, PoolKind::kL2}) {
      for (const ActivationKind activation :
           {ActivationKind::kNone, ActivationKind::kRelu}) {
        std::vector<float> got(count + 1, -77.0f), want = got;
        Pool(kind, s, {activation}, in.data(), 0, 2, got.data());
        Pool(kind, s, {activation}, in.data(), 2, 4, got.data());
        reference::Pool(kind, s, {activation}, in.data(), 0, 4, want.data());
        EXPECT_EQ(got[count], -77.0f);
        // 1e-6: at most 6 rounded terms, a division, a root.
        for (size_t i = 0; i < count; ++i)
          EXPECT_NEAR(got[i], want[i], 1e-6f * (1 + std::abs(want[i])));
      }
    }
  }
}

// Zeros that take no memory until they are read; null where the system lacks
// address space for them.
class ManyZeros {
 public:
  explicit ManyZeros(uint64_t bytes) : bytes_(static_cast<size_t>(bytes)) {
    if (bytes_ != bytes) return;
    data_ = mmap(nullptr, bytes_, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~ManyZeros() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  ManyZeros(const ManyZeros&) = delete;
  ManyZeros& operator=(const ManyZeros&) = delete;
  const void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

 private:
  size_t bytes_;
  void* data_ = MAP_FAILED;
};

// The last window ends at pixel 2^31, one beyond the image, whichever side of
// the image is the long one.
TEST_P(PoolKernelTest, WindowsAtTheEndOfTheLongestImages_AreExact) {
  constexpr int32_t kWindow = 1 << 20;
  constexpr int32_t kLast = (1 << 11) - 1;
  const ManyZeros zeros(uint64_t{INT32_MAX} * sizeof(float));
  if (zeros.data() == nullptr) GTEST_SKIP() << "no such image fits here";
  PoolShape tall;
  tall.in_h = INT32_MAX;
  tall.in_w = tall.out_w = tall.channels = 1;
  tall.out_h = kLast + 1;
  tall.kernel_h = tall.stride_h = kWindow;
  std::vector<float> out(kLast + 1, -77.0f);
  Pool(PoolKind::kMaximum, tall, {}, static_cast<const float*>(zeros.data()),
       kLast, kLast + 1, out.data());
  EXPECT_EQ(out[kLast], 0.0f);
  std::vector<uint16_t> halves(kLast + 1, 77);
  MaximumOfBFloat16(tall, static_cast<const uint16_t*>(zeros.data()), kLast,
                    kLast + 1, halves.data());
  EXPECT_EQ(halves[kLast], 0);
  PoolShape wide;
  wide.in_w = INT32_MAX;
  wide.in_h = wide.out_h = wide.channels = 1;
  wide.out_w = 2;
  wide.kernel_w = kWindow;
  wide.stride_w = INT32_MAX - kWindow / 2;
  out.assign(2, -77.0f);
  Pool(PoolKind::kMaximum, wide, {}, static_cast<const float*>(zeros.data()), 0,
       1, out.data());
  EXPECT_EQ(out, (std::vector<float>{0.0f, 0.0f}));
  halves.assign(2, 77);
  MaximumOfBFloat16(wide, static_cast<const uint16_t*>(zeros.data()), 0, 1,
                    halves.data());
  EXPECT_EQ(halves, (std::vector<uint16_t>{0, 0}));
}

}  // namespace
}  // namespace munja::kernels
