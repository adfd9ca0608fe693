#include "ocr/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "ocr/testing.h"

namespace munja::ocr {
namespace {

// Pages of these tests are white with bars whose red value is 20 times the
// class that the fake recognizer reads in them; green tells where text is.
constexpr int kRedOfClass = 20;

void Paint(image::Image& page, int x0, int y0, int x1, int y1, int cls) {
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      uint8_t* p = page.row(y) + 3 * x;
      p[0] = static_cast<uint8_t>(cls * kRedOfClass);
      p[1] = 0;
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
  const Normalization n = DetectorContract().normalization;
  for (size_t i = 0; i < output.size(); ++i) {
    const float green = Denormalize(input.as<float>()[i * 3 + 1], n, 1);
    output[i] = green < 128 ? 0.95f : 0.01f;
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
  const Normalization n = RecognizerContract().normalization;
  for (int s = 0; s < steps; ++s) {
    const float* p = input.as<float>() +
                     (static_cast<size_t>(height) / 2 * width + s * 8 + 4) * 3;
    const float green = Denormalize(p[1], n, 1);
    const float red = Denormalize(p[2], n, 2);
    int cls = static_cast<int>(red / kRedOfClass + 0.5f);
    if (green > 20 || cls >= kClasses ||
        std::abs(red - static_cast<float>(cls * kRedOfClass)) > 4)
      cls = 0;
    output[static_cast<size_t>(s) * kClasses + cls] = 0.9f;
  }
  return Shape{1, steps, kClasses};
}

std::unique_ptr<Pipeline> MakePipeline(
    int threads, FakeSession::Function classifier = nullptr,
    const Contract& contract = Contract()) {
  auto dictionary =
      text::Dictionary::Parse("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", true);
  EXPECT_TRUE(dictionary.ok());
  Networks networks;
  networks.name = "fake";
  networks.detector = std::make_unique<FakeSession>(FakeDetect);
  networks.recognizer = std::make_unique<FakeSession>(FakeRecognize);
  if (classifier)
    networks.classifier = std::make_unique<FakeSession>(classifier);
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary).value());
  auto pool = threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr;
  auto pipeline = Pipeline::Create(std::move(networks), contract, pool);
  EXPECT_TRUE(pipeline.ok());
  return std::move(pipeline).value();
}

std::vector<std::string> Texts(const document::Document& document) {
  std::vector<std::string> texts;
  for (const auto& line : document.lines) texts.push_back(line.text);
  return texts;
}

TEST(Pipeline, ReadsLinesInReadingOrder) {
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

TEST(Pipeline, ABlankPageHasNoLines) {
  const image::Image page = WhitePage(100, 80);
  const auto document = MakePipeline(1)->Recognize(page.view());
  ASSERT_TRUE(document.ok());
  EXPECT_TRUE(document->lines.empty());
}

TEST(Pipeline, TheDocumentDoesNotDependOnTheThreads) {
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
  const float red = Denormalize(p[2], ClassifierContract().normalization, 2);
  const bool is_turned = std::abs(red - 5 * kRedOfClass) < 8;
  output = {is_turned ? 0.02f : 0.98f, is_turned ? 0.98f : 0.02f};
  return Shape{1, 2};
}

TEST(Pipeline, ALineUpsideDownIsTurned) {
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

TEST(Pipeline, LinesBelowTheConfidenceAreLeftOut) {
  image::Image page = WhitePage(320, 128);
  Paint(page, 40, 40, 160, 70, 5);
  Contract contract;
  contract.min_confidence = 0.95f;
  const auto document =
      MakePipeline(1, nullptr, contract)->Recognize(page.view());
  ASSERT_TRUE(document.ok());
  EXPECT_TRUE(document->lines.empty());
}

// Scaled to the detector's limit, a strip of this shape is a pixel high.
TEST(Pipeline, AVeryLongPictureIsReadAsOneLine) {
  image::Image page = WhitePage(30000, 40);
  Paint(page, 0, 0, 15000, 40, 3);
  Paint(page, 15000, 0, 30000, 40, 4);
  Contract contract;
  contract.detector.box_threshold = 1.0f;  // Nothing is found.
  const auto document =
      MakePipeline(1, nullptr, contract)->Recognize(page.view());
  ASSERT_TRUE(document.ok()) << document.status().message();
  EXPECT_EQ(Texts(*document), (std::vector<std::string>{"cd"}));
  const image::Image empty = WhitePage(3000, 40);
  const auto nothing = MakePipeline(1)->Recognize(empty.view());
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->lines.empty());
}

// A strip in which nothing is found is a guess, which needs more confidence
// than the bundle or the caller asks for: whichever is the highest counts.
TEST(Pipeline, TheHighestFloorOfConfidenceCounts) {
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
    Contract contract;
    contract.detector.box_threshold = 1.0f;  // Nothing is found.
    contract.min_confidence = c.of_bundle;
    const auto document = MakePipeline(1, nullptr, contract)
                              ->Recognize(page.view(), nullptr, c.of_caller);
    ASSERT_TRUE(document.ok()) << document.status().message();
    EXPECT_EQ(document->lines.size(), c.lines)
        << c.of_bundle << ", " << c.of_caller.value_or(-1);
  }
}

TEST(Pipeline, AStageSinkSeesEveryStage) {
  struct Sink : StageSink {
    Status OnInput(const image::ImageView& v) override {
      input_width = v.width;
      return Status();
    }
    Status OnTextMap(const TextMap& m) override {
      map_width = m.width;
      return Status();
    }
    Status OnBoxes(const image::ImageView&,
                   std::span<const TextBox> b) override {
      boxes = b.size();
      return Status();
    }
    Status OnLines(std::span<const LineImage> l) override {
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

TEST(Pipeline, ADictionaryOfAnotherModelIsRefused) {
  auto dictionary = text::Dictionary::Parse("a\nb\n", true);
  ASSERT_TRUE(dictionary.ok());
  Networks networks;
  networks.detector = std::make_unique<FakeSession>(FakeDetect);
  networks.recognizer = std::make_unique<FakeSession>(FakeRecognize);
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary).value());
  const auto pipeline =
      Pipeline::Create(std::move(networks), Contract(), nullptr);
  ASSERT_FALSE(pipeline.ok());
  EXPECT_NE(pipeline.status().message().find("12"), std::string_view::npos);
  EXPECT_NE(pipeline.status().message().find("4"), std::string_view::npos);
}

// Spaces are a class of their own and must come out; forty words on one line
// are read in windows and none is lost.
TEST(RecognizeLine, FortyWordsKeepTheirSpaces) {
  image::Image line = WhitePage(40 * 144, 48);
  std::string expected;
  for (int word = 0; word < 40; ++word) {
    const int x = word * 144;
    Paint(line, x, 0, x + 48, 48, 1 + word % 10);
    Paint(line, x + 48, 0, x + 96, 48, 1 + (word + 1) % 10);
    Paint(line, x + 96, 0, x + 144, 48, 11);  // space
    expected += static_cast<char>('a' + word % 10);
    expected += static_cast<char>('a' + (word + 1) % 10);
    expected += ' ';
  }
  const auto read = MakePipeline(1)->RecognizeLine(line.view());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->text, expected);
}

}  // namespace
}  // namespace munja::ocr
