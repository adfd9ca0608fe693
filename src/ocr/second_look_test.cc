#include "ocr/second_look.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "ocr/testing.h"

namespace munja::ocr {
namespace {

TEST(Grow, MovesEachSideByAFractionOfTheShorterOne) {
  const geometry::Quad quad = {{{10, 10}, {110, 10}, {110, 30}, {10, 30}}};
  const geometry::Quad grown = Grow(quad, 0.1f);
  const geometry::Quad wanted = {{{8, 8}, {112, 8}, {112, 32}, {8, 32}}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(grown[i].x, wanted[i].x, 1e-4);
    EXPECT_NEAR(grown[i].y, wanted[i].y, 1e-4);
  }
  const geometry::Quad point = {{{5, 5}, {5, 5}, {5, 5}, {5, 5}}};
  EXPECT_EQ(Grow(point, 0.1f), point);
}

// Reads "a" with confidence 0.5 where the line's left half is darker and "b"
// with the given confidence where its right half is.
FakeSession::Function DarkLeft(float turned_confidence) {
  return [=](const TensorView& input, std::vector<float>& output) {
    const int height = input.shape[1], width = input.shape[2];
    const float* row =
        input.as<float>() + static_cast<size_t>(height / 2) * width * 3;
    const bool dark_left = row[width / 4 * 3] < row[width * 3 / 4 * 3];
    const int steps = width / 8;
    output.assign(static_cast<size_t>(steps) * 3, 0.0f);
    for (int s = 0; s < steps; ++s) output[static_cast<size_t>(s) * 3 + 0] = 1;
    output[0] = 0;
    output[dark_left ? 1 : 2] = dark_left ? 0.5f : turned_confidence;
    return Shape{1, steps, 3};
  };
}

image::Image HalfDark() {
  auto page = image::Image::Create(200, 60);
  EXPECT_TRUE(page.ok());
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 600; ++x)
      page->row(y)[x] = x < 300 ? uint8_t{20} : uint8_t{220};
  return std::move(page).value();
}

Reading Look(float turned_confidence, bool try_upside_down) {
  auto dictionary = text::Dictionary::Parse("a\nb\n", false);
  EXPECT_TRUE(dictionary.ok());
  auto recognizer = Recognizer::Create(
      std::make_unique<FakeSession>(DarkLeft(turned_confidence)),
      std::make_shared<const text::Dictionary>(std::move(dictionary).value()),
      RecognizerContract());
  EXPECT_TRUE(recognizer.ok());
  const image::Image page = HalfDark();
  const geometry::Quad quad = {{{20, 10}, {180, 10}, {180, 50}, {20, 50}}};
  Reading reading;
  reading.polygon = quad;
  reading.text.text = "a";
  reading.text.confidence = 0.5f;
  EXPECT_TRUE(SecondLook(page.view(), quad, false, try_upside_down, *recognizer,
                         reading)
                  .ok());
  return reading;
}

TEST(SecondLook, TakesTheClearlyBetterReadingUpsideDown) {
  const Reading reading = Look(0.9f, true);
  EXPECT_EQ(reading.text.text, "b");
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.9f);
  EXPECT_EQ(reading.polygon[0], (geometry::Point{180, 50}));
}

TEST(SecondLook, StaysUprightWithoutAClearMargin) {
  const Reading reading = Look(0.55f, true);
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_EQ(reading.polygon[0], (geometry::Point{20, 10}));
}

TEST(SecondLook, DoesNotTurnWhatAClassifierHasSeen) {
  EXPECT_EQ(Look(0.9f, false).text.text, "a");
}

}  // namespace
}  // namespace munja::ocr
