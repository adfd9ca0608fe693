#include "synth/line_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "base/file.h"
#include "reading/network/network_input.h"
#include "reading/read/cropper.h"
#include "synth/testing.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<LineSource> OpenTiny(uint64_t seed) {
  auto source = LineSource::Open(test_files::Recipe("tiny.json"), seed);
  EXPECT_TRUE(source.ok()) << source.status().message();
  return std::move(source).value();
}

bool Same(const LineSample& a, const LineSample& b) {
  return a.text == b.text && a.picture.width() == b.picture.width() &&
         a.picture.height() == b.picture.height() &&
         std::memcmp(
             a.picture.row(0), b.picture.row(0),
             a.picture.stride() * static_cast<size_t>(a.picture.height())) == 0;
}

TEST(LineSource, SameSeedAndIndex_GiveTheSameBytesInAnyOrderOnAnyThread) {
  const auto one = OpenTiny(7), two = OpenTiny(7);
  constexpr uint64_t kCount = 60;
  std::vector<LineSample> wanted, made(kCount);
  for (uint64_t i = 0; i < kCount; ++i) {
    auto sample = one->Make(i);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    wanted.push_back(std::move(sample).value());
  }
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = kCount; i-- > 0;) {
        if (i % 3 != t) continue;
        auto sample = two->Make(i);
        if (sample.ok()) made[i] = std::move(sample).value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint64_t i = 0; i < kCount; ++i)
    EXPECT_TRUE(Same(wanted[i], made[i])) << i;
}

TEST(LineSource, OtherSeedsAndIndices_GiveOtherLines) {
  const auto one = OpenTiny(1), two = OpenTiny(2);
  std::set<std::string> texts;
  for (uint64_t i = 0; i < 50; ++i) {
    texts.insert(one->Make(i)->text);
    texts.insert(two->Make(i)->text);
  }
  // Two to eight random characters: hardly any text comes twice.
  EXPECT_GT(texts.size(), 90u);
}

TEST(LineSource, Samples_AreOfTheAlphabetAndHaveInk) {
  const auto source = OpenTiny(3);
  const std::set<std::string> alphabet(source->alphabet().begin(),
                                       source->alphabet().end());
  EXPECT_EQ(alphabet.size(), 36u);
  for (uint64_t i = 0; i < 200; ++i) {
    const auto sample = source->Make(i);
    ASSERT_TRUE(sample.ok());
    ASSERT_FALSE(sample->text.empty());
    for (const char32_t c : text::DecodeUtf8(sample->text)) {
      EXPECT_TRUE(c == U' ' ||
                  alphabet.contains(text::EncodeUtf8(std::u32string(1, c))))
          << sample->text;
    }
    const image::Image& picture = sample->picture;
    EXPECT_GE(picture.height(), 12);
    EXPECT_LE(picture.height(), 80);
    // Colors may differ in one channel alone; means of letters and of what is
    // around them differ by 14 levels at least (StandsOut).
    int range = 0;
    for (int c = 0; c < 3; ++c) {
      int low = 255, high = 0;
      for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
          low = std::min<int>(low, picture.row(y)[3 * x + c]);
          high = std::max<int>(high, picture.row(y)[3 * x + c]);
        }
      }
      range = std::max(range, high - low);
    }
    EXPECT_GE(range, 14) << i;
  }
}

// More characters, more width: the labels belong to their pictures.
TEST(LineSource, Width_GrowsWithTheText) {
  const auto source = OpenTiny(4);
  std::map<size_t, std::pair<double, int>> widths;
  for (uint64_t i = 0; i < 600; ++i) {
    const auto sample = source->Make(i);
    ASSERT_TRUE(sample.ok());
    auto& [sum, count] = widths[sample->text.size()];
    sum +=
        static_cast<double>(sample->picture.width()) / sample->picture.height();
    ++count;
  }
  double last = 0;
  for (const auto& [size, entry] : widths) {
    if (entry.second < 20) continue;
    EXPECT_GT(entry.first / entry.second, last) << size;
    last = entry.first / entry.second;
  }
}

std::string LineSourceFailure(const std::string& recipe) {
  const std::string path = test_files::Write("recipe.json", recipe);
  test_files::Write("a.txt", "a\nb\n");
  const auto source = LineSource::Open(path, 1);
  return source.ok() ? "" : std::string(source.status().message());
}

TEST(LineSource, MistakesOfARecipe_AreNamed) {
  const std::string fonts =
      R"("fonts": {"groups": [{"files": ["dejavu/DejaVuSans.ttf"]}]})";
  const std::string text = R"("text": {"sources": [{"characters": ["a"]}]})";
  const std::string start = R"({"alphabet": "a.txt", )" + fonts;
  EXPECT_EQ(LineSourceFailure(start + ", " + text + "}"), "");
  EXPECT_THAT(LineSourceFailure(start), HasSubstr("recipe.json"));  // Cut off.
  EXPECT_THAT(LineSourceFailure("{" + fonts + "}"), HasSubstr("alphabet"));
  EXPECT_THAT(LineSourceFailure(R"({"alphabet": "none.txt"})"),
              HasSubstr("none.txt"));
  EXPECT_THAT(LineSourceFailure(start + "}"),
              AllOf(HasSubstr("recipe.json"), HasSubstr("text.sources")));
  EXPECT_THAT(LineSourceFailure(start + ", " + text +
                                R"(, "line": {"sizes": [1, 2]}})"),
              HasSubstr("line.sizes"));
  EXPECT_THAT(LineSourceFailure(start + ", " + text +
                                R"(, "line": {"size": [40, 20]}})"),
              HasSubstr("line.size"));
  EXPECT_THAT(LineSourceFailure(start + ", " + text +
                                R"(, "line": {"sceneries": {"screen": 0}}})"),
              HasSubstr("line.sceneries"));
  EXPECT_THAT(
      LineSourceFailure(
          R"({"alphabet": "a.txt", "fonts": {"groups": [{"files": ["none*.ttf"]}]}, )" +
          text + "}"),
      HasSubstr("fonts"));
}

TEST(LineSource, MissingFiles_GiveWarnings) {
  const std::string path =
      test_files::Write("recipe.json", R"({"alphabet": "a.txt",
      "fonts": {"groups": [{"files": ["dejavu/DejaVuSansMono-Bold.ttf", "none*.ttf"]}]},
      "text": {"sources": [{"characters": ["a"]}, {"prose": ["/none/such"]}]}})");
  test_files::Write("a.txt", "a\n가\n");
  const auto source = LineSource::Open(path, 1);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_THAT(
      (*source)->warnings(),
      ::testing::UnorderedElementsAre(
          HasSubstr("none*.ttf"), HasSubstr("/none/such"), HasSubstr("가")));
  const auto sample = (*source)->Make(0);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->text.front(), 'a');
}

// A text that cannot be drawn is an error, not an endless search.
TEST(LineSource, TextThatNoFontHas_IsAnError) {
  const std::string path =
      test_files::Write("recipe.json", R"({"alphabet": "a.txt",
      "fonts": {"groups": [{"files": ["dejavu/DejaVuSansMono-Bold.ttf"]}]},
      "text": {"sources": [{"characters": ["가"]}]}})");
  test_files::Write("a.txt", "a\n가\n");
  const auto source = LineSource::Open(path, 1);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_FALSE((*source)->Make(0).ok());
}

// Training sees what reading gives the network.
TEST(ScaleToHeight, Line_IsScaledAsTheCropperDoes) {
  const auto source = OpenTiny(5);
  ocr::RecognizerConfig contract;
  contract.height = 32;
  contract.tall_ratio = 100;  // Single letters stay upright.
  contract.normalization.order = ocr::ChannelOrder::kRgb;
  for (uint64_t i = 0; i < 40; ++i) {
    const auto sample = source->Make(i);
    ASSERT_TRUE(sample.ok());
    const auto scaled = ScaleToHeight(sample->picture.view(), 32, 4000);
    const auto cut =
        ocr::CutLine(sample->picture.view(),
                     ocr::WholeImage(sample->picture.view()), contract);
    ASSERT_TRUE(scaled.ok() && cut.ok());
    ASSERT_EQ(scaled->width(), cut->pixels.width());
    ASSERT_EQ(
        std::memcmp(scaled->row(0), cut->pixels.row(0), scaled->stride() * 32),
        0);

    const int columns = scaled->width() + 5;
    std::vector<float> planes(3 * 32 * static_cast<size_t>(columns));
    WritePlanes(scaled->view(), columns, 32 * static_cast<size_t>(columns),
                planes.data());
    Buffer buffer;
    const auto input = ocr::FillInput(cut->pixels.view(), columns,
                                      contract.normalization, buffer, nullptr);
    ASSERT_TRUE(input.ok());
    const float* wanted = input->as<float>();
    for (size_t y = 0; y < 32; ++y) {
      for (size_t x = 0; x < static_cast<size_t>(columns); ++x) {
        for (size_t c = 0; c < 3; ++c) {
          // Two orders of the same three operations.
          ASSERT_NEAR(planes[(c * 32 + y) * static_cast<size_t>(columns) + x],
                      wanted[(y * static_cast<size_t>(columns) + x) * 3 + c],
                      1e-5f);
        }
      }
    }
  }
}

TEST(ScaleToHeight, LongLines_AreSqueezed) {
  const auto picture = image::Image::Create(1000, 16);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(ScaleToHeight(picture->view(), 32, 300)->width(), 300);
}

}  // namespace
}  // namespace munja::train
