#include "reading/read/line_readers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "reading/testing.h"

namespace munja::ocr {
namespace {

TEST(LinesSideBySide, OneThreadReadsOneAfterTheOther) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{300, 200}, 1), 2u);
  EXPECT_EQ(LinesSideBySide({}, 4), 0u);
}

TEST(LinesSideBySide, EqualLinesKeepAllThreadsBusy) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>(8, 320), 2), 8u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(8, 320), 4), 8u);
}

TEST(LinesSideBySide, TheOddOneIsReadByAllTogether) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{320}, 2), 0u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(3, 320), 2), 2u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>(9, 320), 4), 8u);
}

TEST(LinesSideBySide, ShortLinesFillTheGap) {
  EXPECT_EQ(LinesSideBySide(std::vector<int>{400, 200, 200}, 2), 3u);
  EXPECT_EQ(LinesSideBySide(std::vector<int>{1000, 10}, 2), 0u);
}

// Reads one letter: "a" with `confidence`, or "b" with 0.99 where the first
// pixel is black. Counts what it reads.
class CountingReader {
 public:
  explicit CountingReader(float confidence) {
    auto dictionary = text::Dictionary::Parse("a\nb\n", false);
    EXPECT_TRUE(dictionary.ok());
    RecognizerContract contract;
    contract.use_space = false;
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
        contract);
    EXPECT_TRUE(recognizer.ok()) << recognizer.status().message();
    auto readers = LineReaders::Create(std::move(recognizer).value(),
                                       std::nullopt, std::nullopt, nullptr);
    EXPECT_TRUE(readers.ok());
    readers_.emplace(std::move(readers).value());
  }

  // Of lines one below the other, on a page whose right half is black or not.
  // `are_on_end`: their boxes are taller than wide. `faint`: so many of the
  // last boxes are faint.
  std::vector<Reading> Read(int lines, bool has_black_end,
                            bool are_on_end = false, int faint = 0) {
    auto page = image::Image::Create(128, 64 * lines);
    EXPECT_TRUE(page.ok());
    for (int y = 0; y < page->height(); ++y) {
      std::fill_n(page->row(y), 3 * 64, uint8_t{255});
      std::fill_n(page->row(y) + 3 * 64, 3 * 64,
                  has_black_end ? uint8_t{0} : uint8_t{255});
    }
    return Read(page->view(), Boxes(lines, are_on_end, faint));
  }
  // Of a white page, in memory that was used before.
  std::vector<Reading> Read(const std::vector<TextBox>& boxes) {
    auto page = image::Image::Create(64, 64);
    EXPECT_TRUE(page.ok());
    std::fill_n(page->row(0), 3 * 64 * 64, uint8_t{255});
    return Read(page->view(), boxes);
  }
  int count() const { return count_; }

 private:
  static std::vector<TextBox> Boxes(int lines, bool are_on_end, int faint) {
    std::vector<TextBox> boxes;
    for (int i = 0; i < lines; ++i) {
      const auto top = static_cast<float>(64 * i + 8), bottom = top + 48;
      const float right = are_on_end ? 24 : 120;
      boxes.push_back(
          {{{{8, top}, {right, top}, {right, bottom}, {8, bottom}}}, 0.9f});
      boxes.back().is_faint = i >= lines - faint;
    }
    return boxes;
  }
  std::vector<Reading> Read(const image::ImageView& page,
                            const std::vector<TextBox>& boxes) {
    count_ = 0;
    EXPECT_TRUE(readers_->ReadAll(page, boxes, {}, readings_).ok());
    return readings_;
  }

  std::atomic<int> count_ = 0;
  std::optional<LineReaders> readers_;
  std::vector<Reading> readings_;
};

TEST(ReadAll, SureLinesAreReadOnce) {
  CountingReader reader(0.95f);
  EXPECT_EQ(reader.Read(5, false)[4].text.text, "a");
  EXPECT_EQ(reader.count(), 5);
}

TEST(ReadAll, ADoubtfulLineIsReadUntilATextComesTwiceAndUpsideDown) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(4, false)[3].text.text, "a");
  EXPECT_EQ(reader.count(), 4 * 3);
}

TEST(ReadAll, FaintLinesAreReadOnce) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(4, false, false, 3)[3].text.text, "a");
  EXPECT_EQ(reader.count(), 3 + 3);
}

// Of faint boxes, which are lines when four letters are read in them.
TEST(ReadAll, FaintSpecksAreNotRead) {
  CountingReader reader(0.95f);
  std::vector<TextBox> boxes = {
      {{{{8, 8}, {24, 8}, {24, 24}, {8, 24}}}, 0.3f},
      {{{{40, 8}, {54, 8}, {54, 24}, {40, 24}}}, 0.3f},
      {{{{8, 40}, {56, 40}, {56, 56}, {8, 56}}}, 0.3f}};
  for (const bool are_faint : {true, false, true}) {
    for (TextBox& box : boxes) box.is_faint = are_faint;
    const std::vector<Reading> readings = reader.Read(boxes);
    EXPECT_EQ(readings[0].text.text, "a");  // As wide as high.
    EXPECT_EQ(readings[1].text.text, are_faint ? "" : "a");
    EXPECT_EQ(readings[1].text.confidence > 0, !are_faint);
    EXPECT_EQ(readings[2].text.text, "a");
    EXPECT_EQ(reader.count(), are_faint ? 2 : 3);
  }
}

TEST(ReadAll, WhatIsNoTextIsReadUpsideDownOnly) {
  CountingReader reader(0.3f);
  reader.Read(4, false);
  EXPECT_EQ(reader.count(), 4 * 2);
}

TEST(ReadAll, AFewDoubtfulLinesShowThatAPageStandsUpright) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(6, false)[5].text.text, "a");
  EXPECT_EQ(reader.count(), 6 * 2 + 4);
}

TEST(ReadAll, LinesOnEndAreEachReadUpsideDown) {
  CountingReader reader(0.6f);
  EXPECT_EQ(reader.Read(6, false, true)[5].text.text, "a");
  EXPECT_EQ(reader.count(), 6 * 3);
}

TEST(ReadAll, OfAPageInUnknownWritingAFewLinesAreReadUpsideDown) {
  CountingReader reader(0.6f);
  const auto readings = reader.Read(20, false);
  EXPECT_EQ(reader.count(), 20 + 4);
  for (const Reading& reading : readings) EXPECT_EQ(reading.text.text, "a");
}

TEST(ReadAll, APageThatIsUpsideDownIsTurnedWhole) {
  CountingReader reader(0.6f);
  const auto readings = reader.Read(20, true);
  EXPECT_EQ(reader.count(), 20 + 20);
  for (const Reading& reading : readings) EXPECT_EQ(reading.text.text, "b");
}

// A classifier says that all lines are upside down: their right end, which is
// black, comes first in every cut of them.
TEST(ReadAll, OtherCutsOfATurnedLineAreTurned) {
  auto dictionary = text::Dictionary::Parse("a\nb\n", false);
  ASSERT_TRUE(dictionary.ok());
  RecognizerContract contract;
  contract.use_space = false;
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
      contract);
  ASSERT_TRUE(recognizer.ok()) << recognizer.status().message();
  auto classifier = OrientationClassifier::Create(
      std::make_unique<FakeSession>(
          [](const TensorView&, std::vector<float>& output) {
            output = {0.0f, 1.0f};
            return Shape{1, 2};
          }),
      ClassifierContract());
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
  ASSERT_TRUE(readers->ReadAll(page->view(), {&box, 1}, {}, readings).ok());
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
  RecognizerContract contract;
  contract.use_space = false;
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
      std::make_shared<const text::Dictionary>(std::move(dictionary)),
      contract);
}

// The second of three lines is black, and doubtful to the first recognizer.
TEST(ReadAll, OnlyDoubtfulLinesAreReadByTheExactRecognizer) {
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
    ASSERT_TRUE(each->ReadAll(page->view(), boxes, {}, readings).ok());
    EXPECT_EQ(readings[0].text.text, "a");
    EXPECT_EQ(readings[1].text.text, "b");
    EXPECT_FLOAT_EQ(readings[1].text.confidence, 0.97f);
    EXPECT_EQ(readings[2].text.text, "a");
    EXPECT_EQ(fast, 3);
    EXPECT_EQ(exact, 1);  // It is sure: no second look.
    // Lines that were cut before are read the same.
    std::vector<LineImage> lines;
    ASSERT_TRUE(each->CutAll(page->view(), boxes, lines).ok());
    ASSERT_TRUE(each->ReadAll(page->view(), boxes, lines, readings).ok());
    EXPECT_EQ(readings[1].text.text, "b");
    EXPECT_EQ(exact, 2);
  }
}

// What stays doubtful is cut out anew and read by the exact one, too: the fast
// one's surer mistakes would win over it. Upside down the fast one will do.
TEST(ReadAll, OtherCutsAreTheExactRecognizers) {
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
  ASSERT_TRUE(readers->ReadAll(page->view(), {&box, 1}, {}, readings).ok());
  EXPECT_EQ(readings[0].text.text, "b");
  EXPECT_EQ(fast, 2);   // As it lies, and upside down.
  EXPECT_EQ(exact, 2);  // The same text twice ends the looking.
}

// A page in a writing that the network does not know is not worth the time.
TEST(ReadAll, AnUnknownWritingIsNotReadExactly) {
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
  ASSERT_TRUE(readers->ReadAll(page->view(), boxes, {}, readings).ok());
  EXPECT_EQ(exact, 0);
}

// What was read at first stands where memory ends in a second look, by the
// exact recognizer or in another cut.
TEST(ReadAll, SecondLooksAreDoneWithoutWhereMemoryEnds) {
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
    const Status status =
        readers->ReadAll(page->view(), {&box, 1}, {}, readings);
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
  EXPECT_EQ(readers->ReadAll(page->view(), {&box, 1}, {}, readings).code(),
            Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::ocr
