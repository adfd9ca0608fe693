#include "reading/retry/line_retries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "reading/network/testing.h"

namespace munja::ocr {
namespace {

TEST(Grow, Sides_MoveByAFractionOfTheShorterOne) {
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

Reading Read(const char* text, float confidence, float x) {
  return {{text, confidence}, {{{x, 0}, {x, 0}, {x, 0}, {x, 0}}}};
}

// Lines that all say the same.
std::vector<PageLine> PageOf(int lines, const Reading& reading) {
  std::vector<PageLine> page;
  for (int i = 0; i < lines; ++i) page.push_back({{}, {}, reading});
  return page;
}

TEST(LineRetries, Recrop_WithTheMostConfidenceCountsAndKeepsTheBox) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  Reading worse = Read("b", 0.5f, 0), better = Read("c", 0.51f, 0);
  EXPECT_FALSE(AcceptRecrop(worse, first, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_FALSE(AcceptRecrop(better, first, reading));
  EXPECT_EQ(reading.text.text, "c");
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

TEST(LineRetries, TextThatComesTwice_StandsAgainstOneWithMoreConfidence) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  Reading surer = Read("b", 0.8f, 0), same = Read("a", 0.4f, 0);
  EXPECT_FALSE(AcceptRecrop(surer, first, reading));
  EXPECT_EQ(reading.text.text, "b");
  EXPECT_TRUE(AcceptRecrop(same, first, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.5f);
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

// All orders of confidence of a first reading, a third one and one that agrees
// with the first: what comes twice is the text.
TEST(LineRetries, TextThatComesTwice_StandsWhateverTheConfidences) {
  for (const float first_sure : {0.4f, 0.6f, 0.8f}) {
    for (const float third_sure : {0.3f, 0.5f, 0.7f, 0.9f}) {
      for (const float same_sure : {0.35f, 0.55f, 0.65f, 0.85f}) {
        Reading reading = Read("a", first_sure, 7);
        const text::CtcLine first = reading.text;
        Reading third = Read("b", third_sure, 0),
                same = Read("a", same_sure, 0);
        EXPECT_FALSE(AcceptRecrop(third, first, reading));
        EXPECT_TRUE(AcceptRecrop(same, first, reading));
        EXPECT_EQ(reading.text.text, "a")
            << first_sure << ", " << third_sure << ", " << same_sure;
        EXPECT_FLOAT_EQ(reading.text.confidence,
                        std::max(first_sure, same_sure));
      }
    }
  }
}

TEST(LineRetries, ReliableRecrop_EndsTheRetries) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  Reading nearly = Read("b", 0.94f, 0), sure = Read("c", 0.95f, 0);
  EXPECT_FALSE(AcceptRecrop(nearly, first, reading));
  EXPECT_TRUE(AcceptRecrop(sure, first, reading));
  EXPECT_EQ(reading.text.text, "c");
}

TEST(LineRetries, TextThatComesTwice_HasTheHigherConfidence) {
  Reading reading = Read("a", 0.5f, 7);
  const text::CtcLine first = reading.text;
  Reading same = Read("a", 0.7f, 0);
  EXPECT_TRUE(AcceptRecrop(same, first, reading));
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.7f);
}

TEST(LineRetries, Recrops_AreForWhatIsNearlyText) {
  EXPECT_TRUE(MayBecomeText(Read("a", 0.4f, 0)));
  EXPECT_FALSE(MayBecomeText(Read("a", 0.39f, 0)));
  EXPECT_FALSE(MayBecomeText(Read("", 0.0f, 0)));
}

TEST(LineRetries, AWholePageOfDoubt_IsUnknownScript) {
  EXPECT_TRUE(IsUnknownScript(8, 8));
  EXPECT_TRUE(IsUnknownScript(30, 40));
  EXPECT_FALSE(IsUnknownScript(29, 40));
  EXPECT_FALSE(IsUnknownScript(7, 7));
  EXPECT_FALSE(IsUnknownScript(0, 0));
}

TEST(LineRetries, UpsideDown_ClearlyBetterReadingIsTaken) {
  Reading reading = Read("a", 0.5f, 7), turned = Read("b", 0.9f, 8);
  const text::CtcLine first = reading.text;
  EXPECT_TRUE(AcceptUpsideDown(turned, first, reading));
  EXPECT_EQ(reading.text.text, "b");
  EXPECT_FLOAT_EQ(reading.text.confidence, 0.9f);
  EXPECT_EQ(reading.polygon[0], (geometry::Point{8, 0}));
}

TEST(LineRetries, UpsideDown_NeedsAClearMargin) {
  Reading reading = Read("a", 0.5f, 7), turned = Read("b", 0.55f, 8);
  const text::CtcLine first = reading.text;
  EXPECT_FALSE(AcceptUpsideDown(turned, first, reading));
  EXPECT_EQ(reading.text.text, "a");
  EXPECT_EQ(reading.polygon[0], (geometry::Point{7, 0}));
}

TEST(LineRetries, UpsideDown_IsComparedWithTheReadingOfTheSameBox) {
  const auto letters = [](const char* text, float confidence) {
    Reading reading = Read(text, confidence, 8);
    for (size_t i = 0; i < reading.text.text.size(); ++i)
      reading.text.marks.push_back(
          {.text_end = i + 1, .probability = confidence});
    return reading;
  };
  // The surest of three other crops of a line upside down.
  Reading reading = letters("Mopu!M", 0.85f), turned = letters("window", 0.9f);
  const text::CtcLine first = Read("Mopuim", 0.6f, 7).text;
  EXPECT_TRUE(AcceptUpsideDown(turned, first, reading));
  EXPECT_EQ(reading.text.text, "window");
  // A few letters may be others upside down.
  reading = letters("-AO", 0.85f);
  turned = letters("OV-", 0.93f);
  EXPECT_FALSE(AcceptUpsideDown(turned, first, reading));
  EXPECT_EQ(reading.text.text, "-AO");
  // A crop that is read more surely stands.
  reading = letters("window", 0.93f);
  turned = letters("Mopu!M", 0.9f);
  EXPECT_FALSE(AcceptUpsideDown(turned, first, reading));
  EXPECT_EQ(reading.text.text, "window");
}

TEST(LineRetries, ManyReliableLines_ShowThatAPageIsUpright) {
  std::vector<PageLine> page = PageOf(8, Read("Total", 0.9f, 0));
  EXPECT_TRUE(IsUpright(page));
  for (int i = 0; i < 8; ++i) page.push_back({{}, {}, Read("lejo", 0.89f, 0)});
  EXPECT_TRUE(IsUpright(page));
  page.push_back({{}, {}, Read("pod", 0.7f, 0)});
  EXPECT_FALSE(IsUpright(page));
  // Few lines, and those that may be read either way.
  EXPECT_FALSE(IsUpright(PageOf(7, Read("Total", 0.9f, 0))));
  EXPECT_FALSE(IsUpright(PageOf(9, Read("69", 0.99f, 0))));
}

TEST(LineRetries, ReliableLines_AreNotReadUpsideDown) {
  // Nothing could be clearly surer than 0.95.
  EXPECT_FALSE(MayBeUpsideDown(Read("a", 0.95f, 0)));
  EXPECT_TRUE(MayBeUpsideDown(Read("a", 0.9f, 0)));
  EXPECT_TRUE(MayBeUpsideDown(Read("a", 0.3f, 0)));
}

// Reads a page as the pipeline does.
Status ReadPage(LineReaders& readers, const image::ImageView& page,
                const std::vector<TextBox>& boxes,
                std::vector<Reading>* readings, bool crops_first = false) {
  std::vector<PageLine> lines;
  for (const TextBox& box : boxes) lines.push_back({box});
  if (crops_first) MUNJA_RETURN_IF_ERROR(readers.CropAll(page, lines));
  MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, lines));
  MUNJA_RETURN_IF_ERROR(RetryLines(readers, page, lines));
  readings->clear();
  for (PageLine& line : lines) readings->push_back(std::move(line.reading));
  return Status();
}

// Reads one letter: "a" with `confidence`, or "b" with 0.99 where the first
// pixel is black. Counts what it reads.
class CountingReader {
 public:
  explicit CountingReader(float confidence) {
    auto dictionary = text::Dictionary::Parse("a\nb\n", false);
    EXPECT_TRUE(dictionary.ok());
    RecognizerConfig config;
    config.use_space = false;
    auto recognizer = Recognizer::Create(
        std::make_unique<FakeSession>(
            [this, confidence](const TensorView& input,
                               std::vector<float>& output) {
              ++count_;
              const bool is_black = input.as<float>()[0] < -0.9f;
              output = {0.0f, is_black ? 0.0f : confidence,
                        is_black ? 0.99f : 0.0f};
              return Shape{1, 1, 3};
            }),
        std::make_shared<const text::Dictionary>(std::move(dictionary).value()),
        config);
    EXPECT_TRUE(recognizer.ok()) << recognizer.status().message();
    auto readers = LineReaders::Create(std::move(recognizer).value(),
                                       std::nullopt, std::nullopt, nullptr);
    EXPECT_TRUE(readers.ok());
    readers_.emplace(std::move(readers).value());
  }

  // Reads lines one below the other, on a page whose right half is black or
  // not. `are_on_end`: their boxes are taller than wide. `low_scores`: so many
  // of the last boxes have low scores.
  std::vector<Reading> Read(int lines, bool has_black_end,
                            bool are_on_end = false, int low_scores = 0) {
    auto page = image::Image::Create(128, 64 * lines);
    EXPECT_TRUE(page.ok());
    for (int y = 0; y < page->height(); ++y) {
      std::fill_n(page->row(y), 3 * 64, uint8_t{255});
      std::fill_n(page->row(y) + 3 * 64, 3 * 64,
                  has_black_end ? uint8_t{0} : uint8_t{255});
    }
    return Read(page->view(), Boxes(lines, are_on_end, low_scores));
  }
  // Reads a white page, in memory that was used before.
  std::vector<Reading> Read(const std::vector<TextBox>& boxes) {
    auto page = image::Image::Create(64, 64);
    EXPECT_TRUE(page.ok());
    std::fill_n(page->row(0), 3 * 64 * 64, uint8_t{255});
    return Read(page->view(), boxes);
  }
  int count() const { return count_; }

 private:
  static std::vector<TextBox> Boxes(int lines, bool are_on_end,
                                    int low_scores) {
    std::vector<TextBox> boxes;
    for (int i = 0; i < lines; ++i) {
      const auto top = static_cast<float>(64 * i + 8), bottom = top + 48;
      const float right = are_on_end ? 24 : 120;
      boxes.push_back(
          {{{{8, top}, {right, top}, {right, bottom}, {8, bottom}}}, 0.9f});
      boxes.back().is_low_score = i >= lines - low_scores;
    }
    return boxes;
  }
  std::vector<Reading> Read(const image::ImageView& page,
                            const std::vector<TextBox>& boxes) {
    count_ = 0;
    std::vector<Reading> readings;
    EXPECT_TRUE(ReadPage(*readers_, page, boxes, &readings).ok());
    return readings;
  }

  std::atomic<int> count_ = 0;
  std::optional<LineReaders> readers_;
};

TEST(RetryLines, SureLines_AreReadOnce) {
  CountingReader reader(0.95f);
  EXPECT_EQ(reader.Read(5, false)[4].text.text, "a");
  EXPECT_EQ(reader.count(), 5);
}

TEST(RetryLines, ALowConfidenceLine_IsReadUntilATextComesTwiceAndUpsideDown) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(4, false)[3].text.text, "a");
  EXPECT_EQ(reader.count(), 4 * 3);
}

TEST(RetryLines, LowScoreLines_AreReadOnce) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(4, false, false, 3)[3].text.text, "a");
  EXPECT_EQ(reader.count(), 3 + 3);
}

// Low-score boxes are lines when four letters are read in them.
TEST(RetryLines, LowScoreSpecks_AreNotRead) {
  CountingReader reader(0.95f);
  std::vector<TextBox> boxes = {
      {{{{8, 8}, {24, 8}, {24, 24}, {8, 24}}}, 0.3f},
      {{{{40, 8}, {54, 8}, {54, 24}, {40, 24}}}, 0.3f},
      {{{{8, 40}, {56, 40}, {56, 56}, {8, 56}}}, 0.3f}};
  for (const bool have_low_scores : {true, false, true}) {
    for (TextBox& box : boxes) box.is_low_score = have_low_scores;
    const std::vector<Reading> readings = reader.Read(boxes);
    EXPECT_EQ(readings[0].text.text, "a");  // As wide as high.
    EXPECT_EQ(readings[1].text.text, have_low_scores ? "" : "a");
    EXPECT_EQ(readings[1].text.confidence > 0, !have_low_scores);
    EXPECT_EQ(readings[2].text.text, "a");
    EXPECT_EQ(reader.count(), have_low_scores ? 2 : 3);
  }
}

TEST(RetryLines, WhatIsNoText_IsReadUpsideDownOnly) {
  CountingReader reader(0.3f);
  reader.Read(4, false);
  EXPECT_EQ(reader.count(), 4 * 2);
}

TEST(RetryLines, AFewLowConfidenceLines_ShowThatAPageStandsUpright) {
  CountingReader reader(0.88f);
  EXPECT_EQ(reader.Read(6, false)[5].text.text, "a");
  EXPECT_EQ(reader.count(), 6 * 2 + 4);
}

TEST(RetryLines, LinesThatAreHardlyRead_AreEachReadUpsideDown) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(6, false)[5].text.text, "a");
  EXPECT_EQ(reader.count(), 6 * 3);
}

// A few of them are a sample of the page; none is read so for its own sake.
TEST(RetryLines, LinesThatAreNoText_AreNotReadUpsideDownAlone) {
  CountingReader reader(0.3f);
  reader.Read(6, false);
  EXPECT_EQ(reader.count(), 6 + 4);
}

TEST(RetryLines, VerticalLines_AreEachReadUpsideDown) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(6, false, true)[5].text.text, "a");
  EXPECT_EQ(reader.count(), 6 * 3);
}

TEST(RetryLines, PageInUnknownScript_AFewLinesAreReadUpsideDown) {
  CountingReader reader(0.6f);
  const auto readings = reader.Read(20, false);
  EXPECT_EQ(reader.count(), 20 + 4);
  for (const Reading& reading : readings) EXPECT_EQ(reading.text.text, "a");
}

TEST(RetryLines, PageUpsideDown_IsTurnedWhole) {
  CountingReader reader(0.6f);
  const auto readings = reader.Read(20, true);
  EXPECT_EQ(reader.count(), 20 + 20);
  for (const Reading& reading : readings) EXPECT_EQ(reading.text.text, "b");
}

// A classifier says that all lines are upside down: their right end, which is
// black, comes first in every cut of them.
TEST(RetryLines, RecropsOfATurnedLine_AreTurned) {
  auto dictionary = text::Dictionary::Parse("a\nb\n", false);
  ASSERT_TRUE(dictionary.ok());
  RecognizerConfig config;
  config.use_space = false;
  int upright = 0, turned = 0;
  auto recognizer = Recognizer::Create(
      std::make_unique<FakeSession>(
          [&](const TensorView& input, std::vector<float>& output) {
            const bool is_black = input.as<float>()[0] < -0.9f;
            ++(is_black ? turned : upright);
            output = {0.0f, is_black ? 0.0f : 0.99f, is_black ? 0.6f : 0.0f};
            return Shape{1, 1, 3};
          }),
      std::make_shared<const text::Dictionary>(std::move(dictionary).value()),
      config);
  ASSERT_TRUE(recognizer.ok()) << recognizer.status().message();
  auto classifier = OrientationClassifier::Create(
      std::make_unique<FakeSession>(
          [](const TensorView&, std::vector<float>& output) {
            output = {0.0f, 1.0f};
            return Shape{1, 2};
          }),
      ClassifierConfig());
  ASSERT_TRUE(classifier.ok()) << classifier.status().message();
  auto readers =
      LineReaders::Create(std::move(recognizer).value(), std::nullopt,
                          std::move(classifier).value(), nullptr);
  ASSERT_TRUE(readers.ok()) << readers.status().message();
  auto page = image::Image::Create(128, 64);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 64; ++y) {
    std::fill_n(page->row(y), 3 * 64, uint8_t{255});
    std::fill_n(page->row(y) + 3 * 64, 3 * 64, uint8_t{0});
  }
  const TextBox box = {{{{8, 8}, {120, 8}, {120, 56}, {8, 56}}}, 0.9f};
  std::vector<Reading> readings;
  upright = turned = 0;  // The recognizer is tried when it is made.
  ASSERT_TRUE(ReadPage(*readers, page->view(), {box}, &readings).ok());
  EXPECT_EQ(readings[0].text.text, "b");
  EXPECT_EQ(upright, 0);
  EXPECT_EQ(turned, 2);  // The same text twice: enough.
}

// Reads the letter with the confidence that it is told, or with another one for
// black lines. `left`: how many readings there is memory for.
Result<Recognizer> Reads(char letter, float confidence, float of_black,
                         int* count, const int* left = nullptr) {
  MUNJA_ASSIGN_OR_RETURN(auto dictionary,
                         text::Dictionary::Parse("a\nb\n", false));
  RecognizerConfig config;
  config.use_space = false;
  return Recognizer::Create(
      std::make_unique<FakeSession>([=](const TensorView& input,
                                        std::vector<float>& output) {
        if (left != nullptr && *count >= *left) throw std::bad_alloc();
        ++*count;
        const float sure = input.as<float>()[0] < -0.9f ? of_black : confidence;
        output = {0.0f, letter == 'a' ? sure : 0.0f,
                  letter == 'b' ? sure : 0.0f};
        return Shape{1, 1, 3};
      }),
      std::make_shared<const text::Dictionary>(std::move(dictionary)), config);
}

// The second of three lines is black, and the first recognizer reads it with
// low confidence.
TEST(RetryLines, OnlyLowConfidenceLines_AreReadByTheExactRecognizer) {
  int fast = 0, exact = 0;
  auto first = Reads('a', 0.99f, 0.5f, &fast);
  auto second = Reads('b', 0.98f, 0.97f, &exact);
  ASSERT_TRUE(first.ok() && second.ok());
  auto readers = LineReaders::Create(std::move(*first), std::move(*second),
                                     std::nullopt, nullptr);
  ASSERT_TRUE(readers.ok()) << readers.status().message();
  auto fork = readers->Fork();
  ASSERT_TRUE(fork.ok()) << fork.status().message();
  auto page = image::Image::Create(128, 192);
  ASSERT_TRUE(page.ok());
  std::vector<TextBox> boxes;
  for (int y = 0; y < 192; ++y)
    std::fill_n(page->row(y), 3 * 128, uint8_t(y / 64 == 1 ? 0 : 255));
  for (int i = 0; i < 3; ++i) {
    const auto top = static_cast<float>(64 * i + 8);
    boxes.push_back(
        {{{{8, top}, {120, top}, {120, top + 48}, {8, top + 48}}}, 0.9f});
  }
  for (LineReaders* each : {&*readers, &*fork}) {
    fast = exact = 0;
    std::vector<Reading> readings;
    ASSERT_TRUE(ReadPage(*each, page->view(), boxes, &readings).ok());
    EXPECT_EQ(readings[0].text.text, "a");
    EXPECT_EQ(readings[1].text.text, "b");
    EXPECT_FLOAT_EQ(readings[1].text.confidence, 0.97f);
    EXPECT_EQ(readings[2].text.text, "a");
    EXPECT_EQ(fast, 3);
    EXPECT_EQ(exact, 1);  // Its confidence is high: no retry.
    // Lines that were cut before are read the same.
    ASSERT_TRUE(
        ReadPage(*each, page->view(), boxes, &readings, /*crops_first=*/true)
            .ok());
    EXPECT_EQ(readings[1].text.text, "b");
    EXPECT_EQ(exact, 2);
  }
}

// Lines that stay at low confidence are recropped and read by the exact
// recognizer, too: the fast one's surer mistakes would win over it. Upside down
// the fast one will do.
TEST(RetryLines, Recrops_AreReadByTheExactRecognizer) {
  int fast = 0, exact = 0;
  auto first = Reads('a', 0.99f, 0.5f, &fast);
  auto second = Reads('b', 0.98f, 0.6f, &exact);
  ASSERT_TRUE(first.ok() && second.ok());
  auto readers = LineReaders::Create(std::move(*first), std::move(*second),
                                     std::nullopt, nullptr);
  ASSERT_TRUE(readers.ok()) << readers.status().message();
  auto page = image::Image::Create(128, 64);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 64; ++y) std::fill_n(page->row(y), 3 * 128, uint8_t{0});
  const TextBox box = {{{{8, 8}, {120, 8}, {120, 56}, {8, 56}}}, 0.9f};
  std::vector<Reading> readings;
  fast = exact = 0;
  ASSERT_TRUE(ReadPage(*readers, page->view(), {box}, &readings).ok());
  EXPECT_EQ(readings[0].text.text, "b");
  EXPECT_EQ(fast, 2);   // As it lies, and upside down.
  EXPECT_EQ(exact, 2);  // The same text twice ends the looking.
}

// A page in a writing that the network does not know is not worth the time.
TEST(RetryLines, AnUnknownScript_IsNotReadExactly) {
  int fast = 0, exact = 0;
  auto first = Reads('a', 0.5f, 0.5f, &fast);
  auto second = Reads('b', 0.98f, 0.98f, &exact);
  ASSERT_TRUE(first.ok() && second.ok());
  auto readers = LineReaders::Create(std::move(*first), std::move(*second),
                                     std::nullopt, nullptr);
  ASSERT_TRUE(readers.ok()) << readers.status().message();
  auto page = image::Image::Create(128, 64);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 64; ++y) std::fill_n(page->row(y), 3 * 128, uint8_t{255});
  const TextBox box = {{{{8, 8}, {120, 8}, {120, 56}, {8, 56}}}, 0.9f};
  const std::vector<TextBox> boxes(8, box);
  std::vector<Reading> readings;
  exact = 0;
  ASSERT_TRUE(ReadPage(*readers, page->view(), boxes, &readings).ok());
  EXPECT_EQ(exact, 0);
}

// The first reading stays where memory ends in a retry, by the exact recognizer
// or in another crop.
TEST(RetryLines, Retries_AreSkippedWhereMemoryEnds) {
  auto page = image::Image::Create(128, 64);
  ASSERT_TRUE(page.ok());
  for (int y = 0; y < 64; ++y) std::fill_n(page->row(y), 3 * 128, uint8_t{255});
  const TextBox box = {{{{8, 8}, {120, 8}, {120, 56}, {8, 56}}}, 0.9f};
  for (const int memory : {0, 1}) {
    int fast = 0, exact = 0, left = 100;
    auto first = Reads('a', 0.5f, 0.5f, &fast);
    auto second = Reads('b', 0.6f, 0.6f, &exact, &left);
    ASSERT_TRUE(first.ok() && second.ok());
    auto readers = LineReaders::Create(std::move(*first), std::move(*second),
                                       std::nullopt, nullptr);
    ASSERT_TRUE(readers.ok()) << readers.status().message();
    exact = 0;
    left = memory;
    std::vector<Reading> readings;
    const Status status = ReadPage(*readers, page->view(), {box}, &readings);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(readings[0].text.text, memory == 0 ? "a" : "b");
  }
  // The first reading is what a page needs.
  int count = 0, left = 100;
  auto first = Reads('a', 0.5f, 0.5f, &count, &left);
  ASSERT_TRUE(first.ok());
  auto readers = LineReaders::Create(std::move(*first), std::nullopt,
                                     std::nullopt, nullptr);
  ASSERT_TRUE(readers.ok());
  left = 0;
  std::vector<Reading> readings;
  EXPECT_EQ(ReadPage(*readers, page->view(), {box}, &readings).code(),
            Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::ocr
