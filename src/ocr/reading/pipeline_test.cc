#include "reading/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "reading/network/testing.h"

namespace munja::ocr {
namespace {

// Pages of these tests are white with bars whose red value is 20 times the
// class that the fake recognizer reads in them; green tells where text is, and
// where it may be.
constexpr int kRedOfClass = 20;
constexpr int kFaintGreen = 110;

void Paint(image::Image& page, int x0, int y0, int x1, int y1, int cls,
           int green = 0) {
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      uint8_t* p = page.row(y) + 3 * x;
      p[0] = static_cast<uint8_t>(cls * kRedOfClass);
      p[1] = static_cast<uint8_t>(green);
      p[2] = 0;
    }
  }
}

image::Image WhitePage(int width, int height) {
  auto page = image::Image::Create(width, height);
  EXPECT_TRUE(page.ok());
  for (int y = 0; y < height; ++y)
    std::fill_n(page->row(y), 3 * width, uint8_t{255});
  return std::move(page).value();
}

// Channels of a normalized BGR input, back to [0, 255].
float Denormalize(float value, const Normalization& n, int channel) {
  return (value * n.deviation[channel] + n.mean[channel]) * 255.0f;
}

Shape FakeDetect(const TensorView& input, std::vector<float>& output) {
  const int height = input.shape[1], width = input.shape[2];
  output.resize(static_cast<size_t>(height) * width);
  const Normalization n = DetectorConfig().normalization;
  for (size_t i = 0; i < output.size(); ++i) {
    const float green = Denormalize(input.as<float>()[i * 3 + 1], n, 1);
    output[i] = green < 64 ? 0.95f : green < 128 ? 0.35f : 0.01f;
  }
  return Shape{1, height, width, 1};
}

constexpr int kClasses = 12;  // Blank, "a" to "j", space.

// Every step reads the class that the color of its middle pixel says; a color
// between two classes, or light green, is a blank.
Shape FakeRecognize(const TensorView& input, std::vector<float>& output) {
  const int height = input.shape[1], width = input.shape[2];
  const int steps = width / 8;
  output.assign(static_cast<size_t>(steps) * kClasses, 0.0f);
  const Normalization n = RecognizerConfig().normalization;
  for (int s = 0; s < steps; ++s) {
    const float* p = input.as<float>() +
                     (static_cast<size_t>(height) / 2 * width + s * 8 + 4) * 3;
    const float green = Denormalize(p[1], n, 1);
    const float red = Denormalize(p[2], n, 2);
    int cls = static_cast<int>(red / kRedOfClass + 0.5f);
    const bool is_text = green <= 20 || std::abs(green - kFaintGreen) < 4;
    if (!is_text || cls >= kClasses ||
        std::abs(red - static_cast<float>(cls * kRedOfClass)) > 4)
      cls = 0;
    output[static_cast<size_t>(s) * kClasses + cls] = 0.9f;
  }
  return Shape{1, steps, kClasses};
}

std::unique_ptr<Pipeline> MakePipeline(
    int threads, FakeSession::Function classifier = nullptr,
    const Config& config = Config(),
    FakeSession::Function detector = FakeDetect,
    FakeSession::Function recognizer = FakeRecognize) {
  auto dictionary =
      text::Dictionary::Parse("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", true);
  EXPECT_TRUE(dictionary.ok());
  Networks networks;
  networks.name = "fake";
  networks.detector = std::make_unique<FakeSession>(std::move(detector));
  networks.recognizer = std::make_unique<FakeSession>(std::move(recognizer));
  if (classifier)
    networks.classifier = std::make_unique<FakeSession>(classifier);
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary).value());
  auto pool = threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr;
  auto pipeline = Pipeline::Create(std::move(networks), config, pool);
  EXPECT_TRUE(pipeline.ok());
  return std::move(pipeline).value();
}

std::vector<std::string> Texts(const document::Document& document) {
  std::vector<std::string> texts;
  for (const auto& line : document.lines) texts.push_back(line.text);
  return texts;
}

// Two characters, "a" and "b", 40 wide and 20 high, with something between them
// that only the detector takes for text; the whole turned around the middle of
// the page.
constexpr float kSide = 50, kInner = 10, kHalfHeight = 10;
image::Image TwoCharacters(float angle) {
  image::Image page = WhitePage(200, 200);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 200; ++x) {
      const float dx = static_cast<float>(x) - 100.0f;
      const float dy = static_cast<float>(y) - 100.0f;
      const float u = std::cos(angle) * dx + std::sin(angle) * dy;
      const float v = std::cos(angle) * dy - std::sin(angle) * dx;
      if (std::abs(u) > kSide || std::abs(v) > kHalfHeight) continue;
      uint8_t* p = page.row(y) + 3 * x;
      const bool is_between = std::abs(u) < kInner;
      p[0] = is_between ? 255 : u < 0 ? kRedOfClass : 2 * kRedOfClass;
      p[1] = is_between ? kFaintGreen : 0;
      p[2] = is_between ? 255 : 0;
    }
  }
  return page;
}

TEST(Pipeline, Characters_LieOnTheirInkAlsoInTurnedLines) {
  for (const float degrees : {0.0f, 8.0f, -20.0f, 35.0f}) {
    const float angle = degrees * 3.14159265f / 180;
    const image::Image page = TwoCharacters(angle);
    const auto document = MakePipeline(1)->Recognize(page.view());
    ASSERT_TRUE(document.ok()) << document.status().message();
    ASSERT_EQ(Texts(*document), std::vector<std::string>{"ab"}) << degrees;
    const auto& characters = document->lines[0].characters;
    ASSERT_EQ(characters.size(), 2u);
    EXPECT_EQ(characters[0].text, "a");
    EXPECT_EQ(characters[1].text, "b");
    EXPECT_FLOAT_EQ(characters[0].confidence, 0.9f);
    for (size_t i = 0; i < 2; ++i) {
      const float left = i == 0 ? -kSide : kInner;
      const float right = i == 0 ? -kInner : kSide;
      const std::array<geometry::Point, 4> expected = {{{left, -kHalfHeight},
                                                        {right, -kHalfHeight},
                                                        {right, kHalfHeight},
                                                        {left, kHalfHeight}}};
      for (size_t k = 0; k < 4; ++k) {
        const geometry::Point e = expected[k];
        const geometry::Point at = {
            100 + std::cos(angle) * e.x - std::sin(angle) * e.y,
            100 + std::sin(angle) * e.x + std::cos(angle) * e.y};
        // A step of the probability map is some pixels; ink is sharper.
        EXPECT_NEAR(characters[i].polygon[k].x, at.x, 2.5) << degrees;
        EXPECT_NEAR(characters[i].polygon[k].y, at.y, 2.5) << degrees;
      }
    }
  }
}

TEST(Pipeline, Lines_ComeInReadingOrder) {
  image::Image page = WhitePage(320, 256);
  Paint(page, 20, 20, 100, 40, 1);
  Paint(page, 180, 24, 300, 44, 2);  // The same row, wider: area is no order.
  Paint(page, 20, 100, 300, 130, 3);
  Paint(page, 20, 180, 60, 196, 4);
  const auto document = MakePipeline(1)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(document->width, 320);
  EXPECT_EQ(document->model, "fake");
  for (const auto& line : document->lines)
    EXPECT_FLOAT_EQ(line.confidence, 0.9f);
}

TEST(Pipeline, Lines_LieWhereTheirInkDoes) {
  // Boxes grow by 1.4 of area / perimeter over the bars, which are found as
  // they are: 120 x 20 by 12.
  image::Image page = WhitePage(320, 256);
  Paint(page, 100, 100, 220, 120, 1);
  Config config;
  const auto fit = MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(fit.ok());
  ASSERT_EQ(fit->lines.size(), 1u);
  config.detector.fit_boxes = false;
  const auto pipeline = MakePipeline(1, nullptr, config);
  const auto as_found = pipeline->Recognize(page.view());
  ASSERT_TRUE(as_found.ok());
  ASSERT_EQ(as_found->lines.size(), 1u);
  EXPECT_EQ(fit->lines[0].text, as_found->lines[0].text);
  const geometry::Quad& tight = fit->lines[0].polygon;
  const geometry::Quad& loose = as_found->lines[0].polygon;
  EXPECT_GE(loose[3].y - loose[0].y, 30);
  EXPECT_LE(tight[3].y - tight[0].y, 28.01f);  // A fifth on each side.
  EXPECT_LE(tight[0].y, 100);
  EXPECT_GE(tight[3].y, 120);
  // Lines that are only detected have the same outlines.
  const auto boxes = MakePipeline(1)->Detect(page.view());
  ASSERT_TRUE(boxes.ok());
  ASSERT_EQ(boxes->size(), 1u);
  EXPECT_EQ((*boxes)[0].outline, tight);
}

TEST(Pipeline, LowScoreText_IsALineIfItIsReadWithConfidence) {
  image::Image page = WhitePage(320, 256);
  for (int i = 0; i < 4; ++i)
    Paint(page, 40 + 40 * i, 20, 80 + 40 * i, 40, 1 + i, kFaintGreen);
  Paint(page, 40, 100, 200, 120, 5, kFaintGreen);  // A single letter.
  Paint(page, 40, 180, 200, 200, 6);
  const auto texts = [&](const Config& config) {
    const auto document =
        MakePipeline(1, nullptr, config)->Recognize(page.view());
    EXPECT_TRUE(document.ok());
    return document.ok() ? Texts(*document) : std::vector<std::string>();
  };
  Config config;
  config.recognizer.faint_confidence = 0.85f;
  EXPECT_EQ(texts(config), (std::vector<std::string>{"abcd", "f"}));
  config.recognizer.faint_confidence = 0.95f;
  EXPECT_EQ(texts(config), (std::vector<std::string>{"f"}));
  config.recognizer.faint_confidence = 0;
  config.detector.faint_threshold = 0.4f;
  EXPECT_EQ(texts(config), (std::vector<std::string>{"f"}));
  // Without a reading there is no telling.
  const auto boxes = MakePipeline(1)->Detect(page.view());
  ASSERT_TRUE(boxes.ok());
  EXPECT_EQ(boxes->size(), 1u);
}

TEST(Pipeline, Outlines_StartWhereTheTextDoes) {
  // On end and read upside down: the corners turn with the text.
  image::Image page = WhitePage(320, 256);
  Paint(page, 100, 40, 120, 200, 1);
  for (const bool is_turned : {false, true}) {
    const auto classify = [is_turned](const TensorView&,
                                      std::vector<float>& output) {
      output = {is_turned ? 0.0f : 1.0f, is_turned ? 1.0f : 0.0f};
      return Shape{1, 2};
    };
    const auto document = MakePipeline(1, classify)->Recognize(page.view());
    ASSERT_TRUE(document.ok()) << document.status().message();
    ASSERT_EQ(document->lines.size(), 1u);
    // The text starts at the top of its tall box, turned at the bottom.
    const geometry::Quad& q = document->lines[0].polygon;
    EXPECT_EQ(q[0].y < q[1].y, !is_turned);
    EXPECT_EQ(q[0].x > q[3].x, !is_turned);
    for (const auto& p : q) EXPECT_TRUE(p.x >= 95 && p.x <= 125) << p.x;
  }
}

TEST(Pipeline, ABlankPage_HasNoLines) {
  for (const int side : {100, 700}) {
    const image::Image page = WhitePage(side, side * 4 / 5);
    const auto document = MakePipeline(1)->Recognize(page.view());
    ASSERT_TRUE(document.ok());
    EXPECT_TRUE(document->lines.empty());
  }
}

// Sees no text whose box is higher than so many pixels of its input.
Shape DetectSmall(const TensorView& input, std::vector<float>& output) {
  constexpr int kLargest = 150;
  const Shape shape = FakeDetect(input, output);
  const auto width = static_cast<size_t>(shape[2]);
  for (size_t x = 0; x < width; ++x) {
    int high = 0;
    for (size_t i = x; i < output.size(); i += width) high += output[i] > 0.5f;
    if (high <= kLargest) continue;
    for (size_t i = x; i < output.size(); i += width) output[i] = 0.01f;
  }
  return shape;
}

// Letters that fill the page are found in a smaller copy of it, also only one,
// and lie where they are on the page. Pages with other lines cost no more.
TEST(Pipeline, LettersThatFillThePage_AreRead) {
  image::Image page = WhitePage(900, 640);
  Paint(page, 50, 70, 450, 570, 1);
  Paint(page, 450, 70, 850, 570, 2);
  int passes = 0;
  const auto detect = [&](const TensorView& input, std::vector<float>& output) {
    ++passes;
    return DetectSmall(input, output);
  };
  const auto document =
      MakePipeline(1, nullptr, {}, detect)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  ASSERT_EQ(Texts(*document), std::vector<std::string>{"ab"});
  const geometry::Quad& place = document->lines[0].polygon;
  EXPECT_NEAR(place[0].x, 50, 70);
  EXPECT_NEAR(place[0].y, 70, 70);
  EXPECT_NEAR(place[2].x, 850, 70);
  EXPECT_NEAR(place[2].y, 570, 70);
  EXPECT_EQ(passes, 3);  // At 900, 450 and 225 pixels.

  passes = 0;
  image::Image small = WhitePage(900, 640);
  Paint(small, 50, 70, 450, 110, 1);
  ASSERT_TRUE(
      MakePipeline(1, nullptr, {}, detect)->Recognize(small.view()).ok());
  EXPECT_EQ(passes, 1);
}

void Fill(image::Image& page, int x0, int y0, int x1, int y1,
          std::array<uint8_t, 3> rgb) {
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      std::copy_n(rgb.data(), 3, page.row(y) + 3 * x);
}

// Two bars as bright as their ground. The lower one is the darker of the two
// where red without blue is looked at, 0 of 255, the upper one 20: an "a".
TEST(Pipeline, TextThatColorAloneShows_IsRead) {
  image::Image page = WhitePage(320, 256);
  Fill(page, 0, 0, 320, 256, {255, 150, 0});
  Fill(page, 20, 20, 300, 40, {30, 203, 120});
  Fill(page, 20, 100, 300, 120, {0, 218, 120});
  const auto document = MakePipeline(1)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document), std::vector<std::string>{"a"});
  EXPECT_EQ(document->width, 320);
  EXPECT_EQ(document->model, "fake");
}

// There is no telling from a box whether a texture is a letter.
TEST(Pipeline, LargeLetters_AreReadWithConfidenceOrNotAtAll) {
  image::Image page = WhitePage(900, 640);
  Paint(page, 50, 70, 850, 570, 1);
  Config config;
  config.recognizer.faint_confidence = 0.95f;  // Read with 0.9.
  const auto document =
      MakePipeline(1, nullptr, config, DetectSmall)->Recognize(page.view());
  ASSERT_TRUE(document.ok());
  EXPECT_TRUE(document->lines.empty());
  const auto boxes =
      MakePipeline(1, nullptr, {}, DetectSmall)->Detect(page.view());
  ASSERT_TRUE(boxes.ok());
  EXPECT_TRUE(boxes->empty());
}

TEST(Pipeline, TheDocument_DoesNotDependOnTheThreads) {
  image::Image page = WhitePage(640, 640);
  for (int i = 0; i < 18; ++i)
    Paint(page, 20 + 7 * i, 10 + 34 * i, 300 + 17 * i, 30 + 34 * i, 1 + i % 10);
  const auto one = MakePipeline(1)->Recognize(page.view());
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->lines.size(), 18u);
  for (const int threads : {2, 5}) {
    const auto many = MakePipeline(threads)->Recognize(page.view());
    ASSERT_TRUE(many.ok());
    ASSERT_EQ(Texts(*many), Texts(*one));
    for (size_t i = 0; i < one->lines.size(); ++i)
      EXPECT_EQ(many->lines[i].polygon, one->lines[i].polygon);
  }
}

// Upside down where the left end of the line is class 5 and not class 6.
Shape FakeClassify(const TensorView& input, std::vector<float>& output) {
  const int height = input.shape[1], width = input.shape[2];
  const float* p = input.as<float>() +
                   (static_cast<size_t>(height) / 2 * width + width / 4) * 3;
  const float red = Denormalize(p[2], ClassifierConfig().normalization, 2);
  const bool is_turned = std::abs(red - 5 * kRedOfClass) < 8;
  output = {is_turned ? 0.02f : 0.98f, is_turned ? 0.98f : 0.02f};
  return Shape{1, 2};
}

TEST(Pipeline, ALineUpsideDown_IsTurned) {
  image::Image page = WhitePage(320, 128);
  Paint(page, 40, 40, 160, 70, 5);
  Paint(page, 160, 40, 280, 70, 6);
  const auto as_is = MakePipeline(1)->Recognize(page.view());
  ASSERT_TRUE(as_is.ok());
  EXPECT_EQ(Texts(*as_is), (std::vector<std::string>{"ef"}));
  for (const int threads : {1, 3}) {
    const auto turned =
        MakePipeline(threads, FakeClassify)->Recognize(page.view());
    ASSERT_TRUE(turned.ok());
    EXPECT_EQ(Texts(*turned), (std::vector<std::string>{"fe"}));
    // The text now starts at the box's lower right corner.
    EXPECT_EQ(turned->lines[0].polygon[0], as_is->lines[0].polygon[2]);
  }
}

// The bundle's least confidence is the network's, the caller's the one that
// lines say.
TEST(Pipeline, Confidences_AreCalibratedWhenTheyAreSaid) {
  image::Image page = WhitePage(320, 128);
  Paint(page, 40, 40, 160, 70, 5);
  Config config;
  config.min_confidence = 0.85f;
  config.recognizer.confidence_offset = -1;
  const auto pipeline = MakePipeline(1, nullptr, config);
  const auto document = pipeline->Recognize(page.view());
  ASSERT_TRUE(document.ok());
  ASSERT_EQ(document->lines.size(), 1u);
  // Read with 0.9: odds of 9 / e.
  EXPECT_NEAR(document->lines[0].confidence, 0.768036, 1e-4);
  for (const float least : {0.7f, 0.8f}) {
    const auto sure = pipeline->Recognize(page.view(), nullptr, least);
    ASSERT_TRUE(sure.ok());
    EXPECT_EQ(sure->lines.size(), least < 0.768f ? 1u : 0u) << least;
  }
}

TEST(Pipeline, LinesBelowTheConfidence_AreLeftOut) {
  image::Image page = WhitePage(320, 128);
  Paint(page, 40, 40, 160, 70, 5);
  Config config;
  config.min_confidence = 0.95f;
  const auto document =
      MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(document.ok());
  EXPECT_TRUE(document->lines.empty());
}

// Scaled to the detector's limit, a strip of this shape is a pixel high.
TEST(Pipeline, AVeryLongImage_IsReadAsOneLine) {
  image::Image page = WhitePage(30000, 40);
  Paint(page, 0, 0, 15000, 40, 3);
  Paint(page, 15000, 0, 30000, 40, 4);
  Config config;
  config.detector.box_threshold = 1.0f;  // Nothing is found.
  const auto document =
      MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document), (std::vector<std::string>{"cd"}));
  const image::Image empty = WhitePage(3000, 40);
  const auto nothing = MakePipeline(1)->Recognize(empty.view());
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->lines.empty());
}

// A strip in which nothing is found is a guess, which needs more confidence
// than the bundle or the caller asks for: whichever is the highest counts.
TEST(Pipeline, TheHighestFloorOfConfidence_Counts) {
  image::Image page = WhitePage(3000, 40);
  Paint(page, 0, 0, 3000, 40, 3);
  struct Case {
    float of_bundle;
    std::optional<float> of_caller;
    size_t lines;
  };
  // The line is read with 0.9.
  for (const Case& c :
       {Case{0.1f, {}, 1}, Case{0.85f, {}, 1}, Case{0.95f, {}, 0},
        Case{0.1f, 0.95f, 0}, Case{0.95f, 0.1f, 1}, Case{0.1f, 0.85f, 1}}) {
    Config config;
    config.detector.box_threshold = 1.0f;  // Nothing is found.
    config.min_confidence = c.of_bundle;
    const auto document = MakePipeline(1, nullptr, config)
                              ->Recognize(page.view(), nullptr, c.of_caller);
    ASSERT_TRUE(document.ok()) << document.status().message();
    EXPECT_EQ(document->lines.size(), c.lines)
        << c.of_bundle << ", " << c.of_caller.value_or(-1);
  }
}

// Small lines in two corners of a large page: a high-resolution pass finds all
// of them where they stand, and skips the rest.
TEST(Pipeline, ADensePage_IsDetectedAtHighResolutionWhereItHasText) {
  image::Image page = WhitePage(1800, 2400);
  constexpr int kLines = 8, kHeight = 16, kPitch = 40;
  struct Block {
    int left, top;
  };
  const Block blocks[] = {{60, 40}, {1300, 2000}};
  for (const Block& block : blocks)
    for (int i = 0; i < kLines; ++i)
      Paint(page, block.left, block.top + i * kPitch, block.left + 400,
            block.top + i * kPitch + kHeight, 1 + i);
  std::vector<int> pixels;  // By pass.
  const auto detect = [&](const TensorView& input, std::vector<float>& output) {
    pixels.push_back(input.shape[1] * input.shape[2]);
    return FakeDetect(input, output);
  };
  Config config;
  config.detector.dense_height = 18;
  config.turn_pages = false;
  const auto document =
      MakePipeline(1, nullptr, config, detect)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  ASSERT_EQ(document->lines.size(), 2u * kLines);
  for (const Block& block : blocks) {
    for (int i = 0; i < kLines; ++i) {
      const document::Line& line =
          document->lines[(&block - blocks) * kLines + i];
      EXPECT_EQ(line.text, std::string(1, static_cast<char>('a' + i)));
      EXPECT_NEAR(line.polygon[0].x, block.left, 6);
      EXPECT_NEAR(line.polygon[0].y, block.top + i * kPitch, 6);
      EXPECT_NEAR(line.polygon[2].x, block.left + 400, 6);
      EXPECT_NEAR(line.polygon[2].y, block.top + i * kPitch + kHeight, 6);
    }
  }
  ASSERT_EQ(pixels.size(), 3u);
  EXPECT_LT(pixels[1] + pixels[2], 1536 * 2048 / 2);
}

// A scrolled screenshot: at the detector's usual size its lines would be less
// than two pixels high.
TEST(Pipeline, VeryLongPages_AreReadWholeInTheirOrder) {
  constexpr int kLines = 200, kPitch = 60;
  image::Image page = WhitePage(600, kLines * kPitch);
  std::vector<std::string> expected;
  for (int i = 0; i < kLines; ++i) {
    const int cls = 1 + i % 10;
    Paint(page, 60, i * kPitch + 20, 260, i * kPitch + 40, cls);
    expected.emplace_back(1, static_cast<char>('a' + cls - 1));
  }
  for (const int threads : {1, 2}) {
    const auto document = MakePipeline(threads)->Recognize(page.view());
    ASSERT_TRUE(document.ok()) << document.status().message();
    EXPECT_EQ(Texts(*document), expected);
    for (size_t i = 0; i < document->lines.size(); ++i) {
      const geometry::Quad& place = document->lines[i].polygon;
      EXPECT_NEAR(place[0].y, static_cast<float>(i) * kPitch + 20, 4);
      EXPECT_NEAR(place[2].y, static_cast<float>(i) * kPitch + 40, 4);
    }
  }
}

// On a page far away the first pass sees some lines and a trace of the others;
// on a sign, all. The result of the high-resolution pass is used for the page,
// but not for the sign, and a sink is shown last what is read.
TEST(Pipeline,
     AFewSmallLines_AreDetectedAtHighResolutionAndCountWhereThereAreMore) {
  image::Image page = WhitePage(1800, 2400);
  for (int i = 0; i < 6; ++i)
    Paint(page, 900, 1000 + i * 40, 1300, 1016 + i * 40, 1 + i);
  for (const bool is_sign : {false, true}) {
    std::vector<bool> are_closer;  // By detector pass.
    const auto detect = [&](const TensorView& input,
                            std::vector<float>& output) {
      const Shape shape = FakeDetect(input, output);
      constexpr int kTraced = 960 * 1070 / 2400;
      const bool is_whole = shape[1] == 960;
      const auto width = static_cast<ptrdiff_t>(shape[2]);
      if (std::any_of(output.begin(), output.end(),
                      [](float value) { return value > 0.5f; }))
        are_closer.push_back(!is_whole);
      if (is_whole && !is_sign)
        for (auto p = output.begin() + kTraced * width; p != output.end(); ++p)
          if (*p > 0.1f) *p = 0.15f;
      return shape;
    };
    struct Sink : StageSink {
      Status OnProbabilityMap(const ProbabilityMap& m) override {
        map_height = m.height;
        probability = *std::max_element(m.values.begin(), m.values.end());
        return Status();
      }
      int map_height = 0;
      float probability = 0;
    } sink;
    Config config;
    config.detector.dense_height = 18;
    config.turn_pages = false;
    const auto document =
        MakePipeline(1, nullptr, config, detect)->Recognize(page.view(), &sink);
    ASSERT_TRUE(document.ok()) << document.status().message();
    EXPECT_EQ(document->lines.size(), 6u) << is_sign;
    EXPECT_EQ(are_closer, (std::vector<bool>{false, true}));
    if (is_sign) {
      EXPECT_EQ(sink.map_height, 960);
      EXPECT_NEAR(sink.probability, 0.95f, 1e-6f);
    } else {
      EXPECT_GT(sink.map_height, 960);
    }
  }
}

// One line more is not clearly more text, but is not lost.
TEST(Pipeline, ALineThatOnlyTheHighResolutionPassFinds_IsRead) {
  image::Image page = WhitePage(1800, 2400);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 4; ++k)
      Paint(page, 900 + 100 * k, 1000 + i * 40, 1000 + 100 * k, 1016 + i * 40,
            1 + (i + k) % 4);
  const auto detect = [&](const TensorView& input, std::vector<float>& output) {
    const Shape shape = FakeDetect(input, output);
    constexpr int kUnseen = 960 * 1190 / 2400;
    if (shape[1] == 960)
      std::fill(output.begin() + kUnseen * static_cast<ptrdiff_t>(shape[2]),
                output.end(), 0.0f);
    return shape;
  };
  Config config;
  config.detector.dense_height = 18;
  config.turn_pages = false;
  const auto document =
      MakePipeline(1, nullptr, config, detect)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document),
            (std::vector<std::string>{"abcd", "bcda", "cdab", "dabc", "abcd",
                                      "bcda"}));
}

// A page with bars of one class each that may be pieces of strongly skewed
// lines.
image::Image PageWithPieces() {
  constexpr float kAngle = 0.65f, kHalfLength = 60, kHalfBar = 10;
  image::Image page = WhitePage(640, 640);
  for (int i = 0; i < 9; ++i) {
    const float left = 110.0f + 190.0f * static_cast<float>(i % 3);
    const float top = 110.0f + 190.0f * static_cast<float>(i / 3);
    for (int y = 0; y < 640; ++y) {
      for (int x = 0; x < 640; ++x) {
        const float dx = static_cast<float>(x) - left;
        const float dy = static_cast<float>(y) - top;
        const float u = std::cos(kAngle) * dx + std::sin(kAngle) * dy;
        const float v = std::cos(kAngle) * dy - std::sin(kAngle) * dx;
        if (std::abs(u) < kHalfLength && std::abs(v) < kHalfBar)
          Paint(page, x, y, x + 1, y + 1, 1 + i);
      }
    }
  }
  return page;
}

// Deskewing is tried, but finds no more text, or nothing for want of memory:
// the page is read as it lies, with the first detection.
TEST(Pipeline, GuessThatDoesNotHelp_CostsOnePass) {
  const image::Image page = PageWithPieces();
  Config config;
  config.turn_pages = false;
  const auto lying = MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(lying.ok());
  ASSERT_EQ(lying->lines.size(), 9u);
  for (const bool has_memory : {true, false}) {
    int looks = 0;
    const auto detect = [&](const TensorView& input,
                            std::vector<float>& output) {
      if (++looks > 1 && !has_memory) throw std::bad_alloc();
      return FakeDetect(input, output);
    };
    const auto document =
        MakePipeline(1, nullptr, {}, detect)->Recognize(page.view());
    ASSERT_TRUE(document.ok()) << document.status().message();
    EXPECT_EQ(looks, has_memory ? 2 : 3);  // The last with all the memory.
    EXPECT_EQ(Texts(*document), Texts(*lying));
  }
}

// Without memory for a high-resolution pass the first detection is read.
TEST(Pipeline, HighResolutionPassWithoutMemory_IsSkipped) {
  image::Image page = WhitePage(1800, 2400);
  for (int i = 0; i < 8; ++i)
    Paint(page, 60, 40 + i * 40, 460, 56 + i * 40, 1 + i);
  Config config;
  config.detector.dense_height = 18;
  config.turn_pages = false;
  std::vector<int> heights;
  const auto detect = [&](const TensorView& input, std::vector<float>& output) {
    heights.push_back(input.shape[1]);
    if (heights.size() == 2) throw std::bad_alloc();
    return FakeDetect(input, output);
  };
  const auto document =
      MakePipeline(1, nullptr, config, detect)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(document->lines.size(), 8u);
  EXPECT_EQ(heights.size(), 2u);
}

// The memory of a session: that of its largest run, and none in a fork.
class KeptMemory {
 public:
  KeptMemory() = default;
  KeptMemory(const KeptMemory&) {}
  KeptMemory& operator=(const KeptMemory&) = delete;
  void Use(size_t bytes) {
    if (bytes <= buffer_.size()) return;
    buffer_ = Buffer();
    Result<Buffer> larger = Buffer::Allocate(bytes);
    if (!larger.ok()) throw std::bad_alloc();
    buffer_ = std::move(*larger);
  }

 private:
  Buffer buffer_;
};

// The least memory for a page suffices, whatever earlier passes took.
TEST(Pipeline, MoreMemory_IsNeverWorse) {
  constexpr size_t kMegabyte = size_t{1} << 20;
  image::Image page = WhitePage(1200, 1600);
  for (int i = 0; i < 8; ++i)
    Paint(page, 60, 40 + i * 40, 460, 56 + i * 40, 1 + i);
  Config config;
  config.detector.dense_height = 18;
  const auto detect = [kept = KeptMemory()](
                          const TensorView& input,
                          std::vector<float>& output) mutable {
    kept.Use(input.bytes);
    return FakeDetect(input, output);
  };
  const auto recognize = [kept = KeptMemory()](
                             const TensorView& input,
                             std::vector<float>& output) mutable {
    kept.Use(8 * kMegabyte);
    return FakeRecognize(input, output);
  };
  size_t least = 0;
  for (size_t megabytes = 20; megabytes <= 76; megabytes += 8) {
    Control control(Control::Limits{.memory = megabytes * kMegabyte});
    const ControlScope scope(&control);
    const auto pipeline = MakePipeline(2, nullptr, config, detect, recognize);
    for (int time = 0; time < 2; ++time) {
      const auto document = pipeline->Recognize(page.view());
      if (document.ok() && least == 0) least = megabytes;
      EXPECT_EQ(document.ok(), least > 0) << megabytes << " " << time;
      if (document.ok()) {
        EXPECT_EQ(document->lines.size(), 8u) << megabytes;
      }
    }
  }
  EXPECT_GT(least, 0u);
  EXPECT_LE(least, 36u);
}

// Where the detector hardly sees a character, its column says that it is one.
TEST(Pipeline, LowScoreCharacter_IsTextInAColumnOfOthers) {
  image::Image page = WhitePage(320, 256);
  for (int i = 0; i < 3; ++i)
    Paint(page, 20, 20 + 40 * i, 60, 40 + 40 * i, 1 + i);
  Paint(page, 24, 140, 42, 160, 4, kFaintGreen);    // Narrower than high.
  Paint(page, 220, 200, 260, 220, 5, kFaintGreen);  // Alone.
  Config config;
  const auto document =
      MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document), (std::vector<std::string>{"a", "b", "c", "d"}));
  config.recognizer.rules.SwitchOff(Rule::kCompanions);
  const auto without = MakePipeline(1, nullptr, config)->Recognize(page.view());
  ASSERT_TRUE(without.ok()) << without.status().message();
  EXPECT_EQ(Texts(*without), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Pipeline, AStageSink_SeesEveryStage) {
  struct Sink : StageSink {
    Status OnInput(const image::ImageView& v) override {
      input_width = v.width;
      return Status();
    }
    Status OnProbabilityMap(const ProbabilityMap& m) override {
      map_width = m.width;
      return Status();
    }
    Status OnBoxes(const image::ImageView&,
                   std::span<const TextBox> b) override {
      boxes = b.size();
      return Status();
    }
    Status OnLines(std::span<const PageLine> l) override {
      lines = l.size();
      return Status();
    }
    Status OnDocument(const document::Document& d) override {
      documents = d.lines.size();
      return Status();
    }
    int input_width = 0, map_width = 0;
    size_t boxes = 0, lines = 0, documents = 0;
  } sink;
  image::Image page = WhitePage(320, 128);
  Paint(page, 40, 40, 160, 70, 5);
  ASSERT_TRUE(MakePipeline(1)->Recognize(page.view(), &sink).ok());
  EXPECT_EQ(sink.input_width, 320);
  EXPECT_EQ(sink.map_width, 320);
  EXPECT_EQ(sink.boxes, 1u);
  EXPECT_EQ(sink.lines, 1u);
  EXPECT_EQ(sink.documents, 1u);
}

TEST(Pipeline, ADictionaryOfAnotherModel_IsRefused) {
  auto dictionary = text::Dictionary::Parse("a\nb\n", true);
  ASSERT_TRUE(dictionary.ok());
  Networks networks;
  networks.detector = std::make_unique<FakeSession>(FakeDetect);
  networks.recognizer = std::make_unique<FakeSession>(FakeRecognize);
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary).value());
  const auto pipeline =
      Pipeline::Create(std::move(networks), Config(), nullptr);
  ASSERT_FALSE(pipeline.ok());
  EXPECT_NE(pipeline.status().message().find("12"), std::string_view::npos);
  EXPECT_NE(pipeline.status().message().find("4"), std::string_view::npos);
}

// Spaces are a class of their own and must come out; forty words on one line
// are read in windows and none is lost.
TEST(RecognizeLine, FortyWords_KeepTheirSpaces) {
  image::Image line = WhitePage(40 * 144, 48);
  std::string expected;
  for (int word = 0; word < 40; ++word) {
    const int x = word * 144;
    Paint(line, x, 0, x + 48, 48, 1 + word % 10);
    Paint(line, x + 48, 0, x + 96, 48, 1 + (word + 1) % 10);
    Paint(line, x + 96, 0, x + 144, 48, 11);  // space
    if (word > 0) expected += ' ';
    expected += static_cast<char>('a' + word % 10);
    expected += static_cast<char>('a' + (word + 1) % 10);
  }
  const auto read = MakePipeline(1)->RecognizeLine(line.view());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->lines[0].text, expected);
}

// A detector's crop has narrow margins; in the whole image the letters would be
// an eighth of the height that networks read.
TEST(RecognizeLine, WideMargins_AreNotRead) {
  image::Image line = WhitePage(900, 320);
  for (int i = 0; i < 5; ++i)
    Paint(line, 300 + 60 * i, 240, 360 + 60 * i, 280, 1 + i);
  const auto read = MakePipeline(1)->RecognizeLine(line.view());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->lines[0].text, "abcde");
  // Its characters lie where they are in the image.
  ASSERT_EQ(read->lines[0].characters.size(), 5u);
  EXPECT_NEAR(read->lines[0].characters[2].polygon[0].x, 420, 8);
  EXPECT_NEAR(read->lines[0].characters[2].polygon[0].y, 240, 8);
}

// A light bar is taken for the ink of a dark line of "a"; in it is no text.
TEST(RecognizeLine, AnInkBoxThatIsReadWithoutConfidence_IsNotAllThatIsRead) {
  image::Image line = WhitePage(600, 100);
  Paint(line, 0, 0, 600, 100, 1);
  Paint(line, 190, 56, 410, 94, 0, 60);  // No text, and not light.
  Paint(line, 200, 65, 400, 85, 12, 250);
  const auto read = MakePipeline(1)->RecognizeLine(line.view());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->lines[0].text, "a");
}

// Whatever is in the image is read as what networks for Latin letters make of
// a line in Russian.
std::unique_ptr<Pipeline> MakeLatinPipeline(UnknownScript unknown_writing) {
  static constexpr std::string_view kRead =
      "HauHaerCA BOcCTaHOBneHMe TO9KW BO BpeMeHW";
  constexpr int kLatinClasses = 96;  // Blank, the signs of ASCII, space.
  const auto recognize = [](const TensorView&, std::vector<float>& output) {
    const int steps = 2 * static_cast<int>(kRead.size());
    output.assign(static_cast<size_t>(steps) * kLatinClasses, 0.0f);
    for (size_t i = 0; i < kRead.size(); ++i) {
      const char c = kRead[i];
      float* step = &output[2 * i * kLatinClasses];
      const int cls = c == ' ' ? kLatinClasses - 1 : c - '!' + 1;
      step[cls] = 0.8f;
      step[cls % (kLatinClasses - 1) + 1] = 0.15f;
      step[kLatinClasses] = 0.9f;
    }
    return Shape{1, steps, kLatinClasses};
  };
  std::string symbols;
  for (char c = '!'; c <= '~'; ++c) symbols += {c, '\n'};
  Networks networks;
  networks.name = "fake";
  networks.detector = std::make_unique<FakeSession>(FakeDetect);
  networks.recognizer = std::make_unique<FakeSession>(recognize);
  networks.dictionary = std::make_shared<const text::Dictionary>(
      text::Dictionary::Parse(symbols, true).value());
  Config config;
  config.recognizer.unknown_writing = unknown_writing;
  config.recognizer.part_words = false;
  return Pipeline::Create(std::move(networks), config, nullptr).value();
}

TEST(Pipeline, LinesInUnknownScript_AreMarkedLeftOutOrKept) {
  image::Image page = WhitePage(320, 256);
  for (int row = 0; row < 4; ++row)
    Paint(page, 20, 20 + 60 * row, 300, 40 + 60 * row, 1);
  const auto lines = [&](UnknownScript setting) {
    return MakeLatinPipeline(setting)->Recognize(page.view()).value().lines;
  };
  const auto marked = lines(UnknownScript::kMark);
  ASSERT_EQ(marked.size(), 4u);
  for (const auto& line : marked) {
    EXPECT_EQ(line.text, "");
    EXPECT_EQ(line.unknown_writing, "cyrillic");
  }
  EXPECT_TRUE(lines(UnknownScript::kLeaveOut).empty());
  const auto kept = lines(UnknownScript::kKeep);
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_NE(kept[0].text, "");
  EXPECT_EQ(kept[0].unknown_writing, "");
}

// Who asks for one line gets its text, whatever the writing.
TEST(RecognizeLine, ALineInUnknownScript_KeepsItsText) {
  const image::Image line = WhitePage(480, 48);
  const auto read =
      MakeLatinPipeline(UnknownScript::kMark)->RecognizeLine(line.view());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->lines[0].text, "HauHaerCA BOcCTaHOBneHMe TO9KW BO BpeMeHW");
  EXPECT_EQ(read->lines[0].unknown_writing, "cyrillic");
}

}  // namespace
}  // namespace munja::ocr
