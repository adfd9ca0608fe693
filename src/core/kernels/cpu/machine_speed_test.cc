#include "kernels/cpu/machine_speed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hwy/tests/hwy_gtest.h"

namespace munja::kernels {
namespace {

class MachineSpeedTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(MachineSpeedTest);

// Nothing is said about speed: only that there is some, of every kind.
TEST_P(MachineSpeedTest, Everything_IsMeasured) {
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    const auto speed = MeasureMachine(pool);
    ASSERT_TRUE(speed.ok());
    EXPECT_GT(speed->fp32_gflops, 0);
    EXPECT_TRUE(std::isfinite(speed->fp32_gflops));
    for (const double gops : {speed->int8_gops, speed->int16_gops}) {
      EXPECT_GT(gops, 0);
      EXPECT_TRUE(std::isfinite(gops));
    }
    size_t smaller = 0;
    for (const CopySpeed& copy : speed->copy) {
      EXPECT_GT(copy.gb_per_s, 0);
      EXPECT_TRUE(std::isfinite(copy.gb_per_s));
      EXPECT_GT(copy.bytes, smaller);
      smaller = copy.bytes;
    }
  }
}

}  // namespace
}  // namespace munja::kernels
