// A page that is turned is read like the one that stands upright.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "capi/tools/testing.h"
#include "munja/document.h"
#include "munja/ocr.h"

namespace munja::capi {
namespace {

using EngineHandle = Handle<munja_engine, munja_engine_free>;
using ImageHandle = Handle<munja_image, munja_image_free>;
using DocumentHandle = Handle<munja_document, munja_document_free>;

// By quarter turns clockwise, pixel by pixel.
ImageHandle Turned(const munja_image* image, int quarters) {
  const int32_t width = munja_image_width(image),
                height = munja_image_height(image);
  const uint8_t* pixels = munja_image_pixels(image, nullptr);
  const int32_t across = quarters % 2 == 0 ? width : height;
  const int32_t down = quarters % 2 == 0 ? height : width;
  std::vector<uint8_t> turned(size_t{3} * static_cast<size_t>(width) *
                              static_cast<size_t>(height));
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const int32_t to_x = quarters == 0   ? x
                           : quarters == 1 ? height - 1 - y
                           : quarters == 2 ? width - 1 - x
                                           : y;
      const int32_t to_y = quarters == 0   ? y
                           : quarters == 1 ? x
                           : quarters == 2 ? height - 1 - y
                                           : width - 1 - x;
      std::memcpy(&turned[3 * static_cast<size_t>(to_y * across + to_x)],
                  pixels + 3 * static_cast<size_t>(y * width + x), 3);
    }
  }
  munja_image* made = nullptr;
  EXPECT_EQ(munja_image_from_rgb(turned.data(), across, down,
                                 3 * static_cast<size_t>(across), &made),
            MUNJA_OK);
  return ImageHandle(made);
}

// By any angle, on a gray ground that holds all of it, between pixels.
ImageHandle Skewed(const munja_image* image, float degrees) {
  const int32_t width = munja_image_width(image),
                height = munja_image_height(image);
  const uint8_t* pixels = munja_image_pixels(image, nullptr);
  const float c = std::cos(degrees * 3.14159265f / 180),
              s = std::sin(degrees * 3.14159265f / 180);
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  const auto across = static_cast<int32_t>(w * std::abs(c) + h * std::abs(s));
  const auto down = static_cast<int32_t>(w * std::abs(s) + h * std::abs(c));
  std::vector<uint8_t> turned(
      size_t{3} * static_cast<size_t>(across) * static_cast<size_t>(down), 128);
  for (int32_t y = 0; y < down; ++y) {
    for (int32_t x = 0; x < across; ++x) {
      const float dx = static_cast<float>(x) - static_cast<float>(across) / 2,
                  dy = static_cast<float>(y) - static_cast<float>(down) / 2;
      const float from_x = c * dx + s * dy + w / 2,
                  from_y = c * dy - s * dx + h / 2;
      const auto left = static_cast<int32_t>(std::floor(from_x)),
                 top = static_cast<int32_t>(std::floor(from_y));
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height)
        continue;
      const float fx = from_x - static_cast<float>(left),
                  fy = from_y - static_cast<float>(top);
      for (int32_t channel = 0; channel < 3; ++channel) {
        const auto at = [&](int32_t i, int32_t j) {
          return static_cast<float>(
              pixels[3 * static_cast<size_t>(j * width + i) +
                     static_cast<size_t>(channel)]);
        };
        const float above = at(left, top) * (1 - fx) + at(left + 1, top) * fx,
                    below = at(left, top + 1) * (1 - fx) +
                            at(left + 1, top + 1) * fx;
        turned[3 * static_cast<size_t>(y * across + x) +
               static_cast<size_t>(channel)] =
            static_cast<uint8_t>(above * (1 - fy) + below * fy + 0.5f);
      }
    }
  }
  munja_image* made = nullptr;
  EXPECT_EQ(munja_image_from_rgb(turned.data(), across, down,
                                 3 * static_cast<size_t>(across), &made),
            MUNJA_OK);
  return ImageHandle(made);
}

std::vector<std::string> Lines(const munja_document* document) {
  std::vector<std::string> lines;
  for (int32_t i = 0; i < munja_document_line_count(document); ++i) {
    munja_line line = {};
    line.struct_size = sizeof line;
    EXPECT_EQ(munja_document_line(document, i, &line), MUNJA_OK);
    lines.emplace_back(line.text);
  }
  return lines;
}

std::vector<std::string> Words(const munja_document* document) {
  std::vector<std::string> words;
  for (const std::string& line : Lines(document)) {
    std::istringstream text(line);
    words.insert(words.end(), std::istream_iterator<std::string>(text), {});
  }
  return words;
}

class TurnedPage : public testing::Test {
 protected:
  void SetUp() override {
    munja_image* image = nullptr;
    ASSERT_EQ(
        munja_image_load(MUNJA_SOURCE_DIR "/testdata/pictures/receipt.jpg",
                         nullptr, &image),
        MUNJA_OK)
        << munja_last_error();
    receipt_.reset(image);
  }
  DocumentHandle Read(const munja_image* image, const char* overrides) {
    munja_engine_options options = {};
    options.struct_size = sizeof options;
    options.model = kDefaultBundle;
    options.overrides = overrides;
    munja_engine* engine = nullptr;
    EXPECT_EQ(munja_engine_create(&options, &engine), MUNJA_OK)
        << munja_last_error();
    const EngineHandle owner(engine);
    munja_document* document = nullptr;
    EXPECT_EQ(munja_engine_read(engine, image, nullptr, &document), MUNJA_OK)
        << munja_last_error();
    return DocumentHandle(document);
  }

  ImageHandle receipt_;
};

// Whether two words with a wide gap are one line may depend on the turn.
TEST_F(TurnedPage, QuarterTurns_HaveTheSameWordsInTheSameOrder) {
  const DocumentHandle upright = Read(receipt_.get(), nullptr);
  ASSERT_GT(Lines(upright.get()).size(), 15u);
  const int32_t width = munja_image_width(receipt_.get()),
                height = munja_image_height(receipt_.get());
  for (int quarters = 1; quarters < 4; ++quarters) {
    const ImageHandle turned = Turned(receipt_.get(), quarters);
    const DocumentHandle document = Read(turned.get(), nullptr);
    EXPECT_EQ(Words(document.get()), Words(upright.get())) << quarters;
    EXPECT_EQ(munja_document_width(document.get()),
              quarters == 2 ? width : height);
    // The first line is where it was turned to, from its start, within a cell
    // or two of the probability map, whose grid lies differently over the
    // turned page.
    munja_line was = {};
    was.struct_size = sizeof was;
    munja_line is = {};
    is.struct_size = sizeof is;
    ASSERT_EQ(munja_document_line(upright.get(), 0, &was), MUNJA_OK);
    ASSERT_EQ(munja_document_line(document.get(), 0, &is), MUNJA_OK);
    for (int i = 0; i < 4; ++i) {
      const float x = was.polygon[2 * i], y = was.polygon[2 * i + 1];
      const auto w = static_cast<float>(width), h = static_cast<float>(height);
      EXPECT_NEAR(is.polygon[2 * i],
                  quarters == 1   ? h - y
                  : quarters == 2 ? w - x
                                  : y,
                  8);
      EXPECT_NEAR(is.polygon[2 * i + 1],
                  quarters == 1   ? x
                  : quarters == 2 ? h - y
                                  : w - x,
                  8);
    }
  }
}

// Letters are drawn anew between pixels, which may cost a word here and there.
TEST_F(TurnedPage, AnyAngle_HasNearlyTheSameWords) {
  std::vector<std::string> words = Words(Read(receipt_.get(), nullptr).get());
  std::sort(words.begin(), words.end());
  for (const float degrees : {-45.0f, -33.0f, 38.0f, 60.0f, 150.0f}) {
    const ImageHandle skewed = Skewed(receipt_.get(), degrees);
    std::vector<std::string> read = Words(Read(skewed.get(), nullptr).get());
    std::sort(read.begin(), read.end());
    std::vector<std::string> same;
    std::set_intersection(words.begin(), words.end(), read.begin(), read.end(),
                          std::back_inserter(same));
    EXPECT_GE(10 * same.size(), 9 * words.size()) << degrees;
  }
}

TEST_F(TurnedPage, BundleWithoutTurning_ReadsThePageAsItLies) {
  const std::vector<std::string> lines =
      Lines(Read(receipt_.get(), nullptr).get());
  const ImageHandle turned = Turned(receipt_.get(), 1);
  EXPECT_NE(Lines(Read(turned.get(), R"({"turn_pages": false})").get()), lines);
}

}  // namespace
}  // namespace munja::capi
