#include "reading/read/recognizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reading/network/testing.h"
#include "reading/read/drawn_line.h"
#include "text/hangul_letters.h"
#include "text/language_builder.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace munja::ocr {
namespace {

constexpr int kColumns = 8;

// Gives the best three classes of each step, as sessions with top_k do.
class ThreeBestSession : public FakeSession {
 public:
  ThreeBestSession(std::vector<text::CtcStep> steps, int classes)
      : FakeSession([steps](const TensorView& input,
                            std::vector<float>& output) {
          const int count = input.shape[2] / kColumns;
          output.assign(static_cast<size_t>(count) * 6, 0);
          for (size_t i = 0; i < steps.size() && 6 * i < output.size(); ++i) {
            const text::CtcStep& step = steps[i];
            output[6 * i] = static_cast<float>(step.cls);
            output[6 * i + 1] = step.probability;
            for (size_t k = 0; k < 2; ++k) {
              output[6 * i + 2 * k + 2] =
                  static_cast<float>(step.others[k].cls);
              output[6 * i + 2 * k + 3] = step.others[k].probability;
            }
          }
          return Shape{1, count, 6};
        }),
        info_(FakeSession::outputs()[0]) {
    info_.classes = classes;
  }
  std::span<const runtime::TensorInfo> outputs() const override {
    return {&info_, 1};
  }

 private:
  runtime::TensorInfo info_;
};

int Letter(char c) { return c - 'a' + 1; }

// The text where the network sees `steps`; letters are 1 to 26, the next class
// is a space.
text::CtcLine ReadSteps(const std::vector<text::CtcStep>& steps,
                        RecognizerConfig config,
                        const text::Language& language) {
  std::string letters;
  for (char c = 'a'; c <= 'z'; ++c) letters += std::string(1, c) + "\n";
  auto dictionary = std::make_shared<const text::Dictionary>(
      text::Dictionary::Parse(letters, config.use_space).value());
  config.width_multiple = kColumns;
  auto recognizer = Recognizer::Create(
      std::make_unique<ThreeBestSession>(steps, dictionary->classes()),
      dictionary, config, language);
  EXPECT_TRUE(recognizer.ok()) << recognizer.status().message();
  auto line = image::Image::Create(static_cast<int>(steps.size()) * kColumns,
                                   config.height);
  text::CtcLine text;
  const Status status = recognizer->Read(line->view(), text);
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

// The reading of "inyoice", whose y may be a v.
text::CtcLine ReadInvoice(const text::Language& language, float weight,
                          float words_weight) {
  std::vector<text::CtcStep> steps;
  for (const char c : std::string("inyoice")) {
    if (c == 'y')
      steps.push_back({Letter('y'), 0.5f, {{{Letter('v'), 0.4f}, {0, 0.05f}}}});
    else
      steps.push_back({Letter(c), 0.98f, {}});
    steps.push_back({0, 0.99f, {}});
  }
  RecognizerConfig config;
  config.use_space = false;
  config.language_weight = weight;
  config.words_weight = words_weight;
  return ReadSteps(steps, config, language);
}

text::Language InvoiceLanguage() {
  auto builder =
      text::LanguageBuilder::Create(U"abcdefghijklmnopqrstuvwxyz", 4);
  builder->Add(U"invoice", 20);
  const auto bytes = std::make_shared<const std::vector<uint8_t>>(
      builder->Build(100000).value());
  return {{text::LanguageModel::Parse(*bytes, bytes).value()}, nullptr};
}

TEST(Recognizer, ALanguage_DecidesWhatTheImageLeavesOpen) {
  const text::CtcLine plain = ReadInvoice({}, 0.5f, 5);
  EXPECT_EQ(plain.text, "inyoice");
  const text::CtcLine read = ReadInvoice(InvoiceLanguage(), 0.5f, 5);
  EXPECT_EQ(read.text, "invoice");
  // The network is as sure of what it saw as before.
  EXPECT_EQ(read.confidence, plain.confidence);
  EXPECT_EQ(ReadInvoice(InvoiceLanguage(), 0, 5).text, "inyoice");
}

TEST(Recognizer, WordsOfTheUser_DecideToo) {
  text::Language language;
  language.words = text::WordList::Parse("Invoice total").value();
  EXPECT_EQ(ReadInvoice(language, 0.5f, 5).text, "invoice");
  EXPECT_EQ(ReadInvoice(language, 0.5f, 0).text, "inyoice");
}

// A crop's margins are no spaces of its text.
TEST(Recognizer, Lines_BeginAndEndWithInk) {
  constexpr int kSpace = 27;
  const std::vector<text::CtcStep> steps = {
      {0, 0.9f, {}},        {kSpace, 0.3f, {}},   {0, 0.9f, {}},
      {kSpace, 0.4f, {}},   {Letter('a'), 1, {}}, {kSpace, 1, {}},
      {Letter('b'), 1, {}}, {0, 0.9f, {}},        {kSpace, 0.2f, {}}};
  RecognizerConfig config;
  config.part_words = false;
  const text::CtcLine line = ReadSteps(steps, config, {});
  EXPECT_EQ(line.text, "a b");
  EXPECT_EQ(line.confidence, 1);
  EXPECT_EQ(line.marks.size(), 3u);
  EXPECT_EQ(ReadSteps({{kSpace, 1, {}}, {0, 1, {}}}, config, {}).text, "");
}

TEST(Recognizer, Spaces_AreCorrectedUnlessSwitchedOff) {
  auto dictionary = std::make_shared<const text::Dictionary>(DrawnSymbols());
  const DrawnLine line = DrawLine(*dictionary, "tax_invoice");
  for (const bool part_words : {true, false}) {
    RecognizerConfig config;
    config.width_multiple = kStepWidth;
    config.part_words = part_words;
    auto recognizer = Recognizer::Create(
        std::make_unique<FakeSession>([&](const TensorView& input,
                                          std::vector<float>& output) {
          const auto classes = static_cast<size_t>(dictionary->classes());
          const auto steps = static_cast<size_t>(input.shape[2]) / kStepWidth;
          output.assign(steps * classes, 0);
          for (size_t i = 0; i < std::min(steps, line.steps.size()); ++i) {
            const text::CtcStep& step = line.steps[i];
            output[i * classes + static_cast<size_t>(step.cls)] =
                step.probability;
          }
          return Shape{1, static_cast<int>(steps), static_cast<int>(classes)};
        }),
        dictionary, config);
    ASSERT_TRUE(recognizer.ok()) << recognizer.status().message();
    text::CtcLine read;
    ASSERT_TRUE(recognizer->Read(line.picture.view(), read).ok());
    EXPECT_EQ(read.text, part_words ? "tax invoice" : "taxinvoice");
  }
}

// Blank, any syllable, space and the letters of each step.
text::CtcLine ReadLetters(const std::vector<std::vector<float>>& rows,
                          std::shared_ptr<const std::vector<char>> allowed) {
  std::string lines;
  for (char32_t c = U'가'; c <= U'힣'; ++c)
    lines += text::EncodeUtf8(std::u32string(1, c)) + "\n";
  auto dictionary = std::make_shared<const text::Dictionary>(
      text::Dictionary::Parse(lines, true).value());
  RecognizerConfig config;
  config.width_multiple = kColumns;
  config.hangul_letters = true;
  config.part_words = false;
  constexpr size_t kRow = 3 + text::HangulLetters::kLetters;
  auto recognizer = Recognizer::Create(
      std::make_unique<FakeSession>(
          [&](const TensorView& input, std::vector<float>& output) {
            const auto steps = static_cast<size_t>(input.shape[2]) / kColumns;
            output.assign(steps * kRow, 0);
            for (size_t i = 0; i < std::min(steps, rows.size()); ++i)
              std::copy(rows[i].begin(), rows[i].end(),
                        output.begin() + static_cast<ptrdiff_t>(i * kRow));
            return Shape{1, static_cast<int>(steps), static_cast<int>(kRow)};
          }),
      dictionary, config, {}, std::move(allowed));
  EXPECT_TRUE(recognizer.ok()) << recognizer.status().message();
  auto line = image::Image::Create(static_cast<int>(rows.size()) * kColumns,
                                   config.height);
  text::CtcLine text;
  const Status status = recognizer->Read(line->view(), text);
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

// Syllables that KS X 1001 does not have are read as any other.
TEST(Recognizer, HangulByLetters_IsComposed) {
  using Letters = text::HangulLetters;
  const auto row = [](float any, int initial, int vowel, int final) {
    std::vector<float> r(3 + Letters::kLetters, 0.0f);
    r[0] = 1 - any;
    r[1] = any;
    float* letters = r.data() + 3;
    letters[initial] = letters[Letters::kInitials + vowel] =
        letters[Letters::kInitials + Letters::kVowels + final] = 1;
    return r;
  };
  // 똠 is ㄸ ㅗ ㅁ, 얌 is ㅇ ㅑ ㅁ.
  const std::vector<std::vector<float>> rows = {
      row(0.9f, 4, 8, 16), row(0, 4, 8, 16), row(0.8f, 11, 2, 16)};
  const text::CtcLine read = ReadLetters(rows, nullptr);
  EXPECT_EQ(read.text, "똠얌");
  EXPECT_FLOAT_EQ(read.confidence, 0.85f);
  // Where only 얌 and the space may be read, 똠 is not.
  auto allowed = std::make_shared<std::vector<char>>(
      static_cast<size_t>(Letters::kSyllables + 2), char{0});
  (*allowed)[0] = 1;
  (*allowed)[1 + (11 * Letters::kVowels + 2) * Letters::kFinals + 16] = 1;
  EXPECT_EQ(ReadLetters(rows, allowed).text, "얌");
}

}  // namespace
}  // namespace munja::ocr
