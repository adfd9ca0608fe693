#include <gtest/gtest.h>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode FakeQuant(double min, double max, int64_t bits, bool is_narrow,
                   const std::vector<float>& x) {
  return {.op = "FAKE_QUANT",
          .attributes = Options({{"min", min},
                                 {"max", max},
                                 {"num_bits", bits},
                                 {"narrow_range", is_narrow}}),
          .inputs = {Floats({static_cast<int32_t>(x.size())}, x)}};
}

TEST(FakeQuantTest, Values_AreRoundedToSteps) {
  // Quarters from -0.5 to 3.25.
  ExpectOutput<float>(
      FakeQuant(-0.5, 3.25, 4, false, {-9, -0.5f, 0, 0.1f, 0.13f, 1.9f, 9}),
      {7}, {-0.5f, -0.5f, 0, 0, 0.25f, 2, 3.25f});
  // Ones from 0.4 below zero: moved to start at zero.
  ExpectOutput<float>(FakeQuant(-0.4, 14.6, 4, false, {-1, 0.6f, 20}), {3},
                      {0, 1, 15});
  // Without the lowest of the 16 steps.
  ExpectOutput<float>(FakeQuant(-7, 7, 4, true, {-9, -6.6f, 0.4f, 9}), {4},
                      {-7, -7, 0, 7});
}

TEST(FakeQuantTest, InvalidNodes_AreRefused) {
  ExpectRefused(FakeQuant(1, 2, 8, false, {1}), Code::kMalformed,
                "does not hold 0");
  ExpectRefused(FakeQuant(0, 0, 8, false, {1}), Code::kMalformed, "range");
  ExpectRefused(FakeQuant(0, 1, 40, false, {1}), Code::kMalformed, "40 bits");
}

}  // namespace
}  // namespace munja::ops
