#include "synth/distractors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "synth/texture.h"

namespace munja::train {
namespace {

// The share of pixels that are not `color` within a box, and outside of it.
std::pair<double, double> Changed(const Canvas& canvas, const Box& box,
                                  Color color) {
  double in = 0, in_all = 0, out = 0, out_all = 0;
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const uint8_t* p = canvas.picture().row(y) + 3 * x;
      const bool other = p[0] != color.r || p[1] != color.g || p[2] != color.b;
      const float fx = static_cast<float>(x), fy = static_cast<float>(y);
      const bool inside = fx + 1 > box.left && fx < box.right &&
                          fy + 1 > box.top && fy < box.bottom;
      (inside ? in : out) += other;
      (inside ? in_all : out_all) += 1;
    }
  }
  return {in / in_all, out / out_all};
}

using DrawFunction = void (*)(Canvas&, Random&, const PageMap&, const Box&,
                              Color);

class Distractor : public ::testing::TestWithParam<DrawFunction> {};

TEST_P(Distractor, Paint_StaysWithinItsBox) {
  const Color white{255, 255, 255};
  const Box box{60, 50, 160, 150};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Canvas canvas = std::move(Canvas::Create(220, 200)).value();
    canvas.Clear(white);
    Random random(seed);
    GetParam()(canvas, random, PageMap(), box, {0, 0, 0});
    // Strokes are as wide as they are: a tenth more.
    const auto [in, out] = Changed(canvas, box.Inset(-15), white);
    EXPECT_GT(in, 0.005) << seed;
    EXPECT_EQ(out, 0) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Distractor,
                         ::testing::Values(DrawIcon, DrawArrow, DrawBarcode,
                                           DrawMatrixCode, DrawChart,
                                           DrawScribble));

TEST(Distractors, Backdrops_AreReproducible) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Canvas a = std::move(Canvas::Create(160, 120)).value(),
           b = std::move(Canvas::Create(160, 120)).value();
    Random ra(seed), rb(seed);
    for (auto [canvas, random] : {std::pair{&a, &ra}, std::pair{&b, &rb}}) {
      PaintBackdrop(*canvas, *random);
      ScatterDistractors(*canvas, *random, 12);
    }
    for (int y = 0; y < 120; ++y)
      ASSERT_EQ(std::memcmp(a.picture().row(y), b.picture().row(y),
                            a.picture().stride()),
                0)
          << seed;
  }
}

}  // namespace
}  // namespace munja::train
