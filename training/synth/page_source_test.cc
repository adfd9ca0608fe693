#include "synth/page_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/sanitizers.h"
#include "synth/page_kinds.h"
#include "synth/page_preview.h"
#include "synth/recipe.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

const std::string kRecipes = MUNJA_SOURCE_DIR "/training/recipes/";

// The recipe of digits and capitals with another section "page".
std::string WriteRecipe(const std::string& name, const char* page) {
  auto recipe = ReadRecipe(kRecipes + "tiny.json");
  EXPECT_TRUE(recipe.ok());
  Json json = *recipe;
  json["alphabet"] = kRecipes + "tiny-alphabet.txt";
  json["page"] = Json::parse(page);
  const std::string path =
      ::testing::TempDir() + "/page_source_" + name + ".json";
  EXPECT_TRUE(WriteFile(path, json.dump()).ok());
  return path;
}

std::unique_ptr<PageSource> OpenSource(const std::string& recipe,
                                       uint64_t seed) {
  auto source = PageSource::Open(recipe, seed);
  if (source.ok()) return std::move(source).value();
  // Machines without any of the fonts cannot make pages.
  if (source.status().code() != Code::kNotFound)
    ADD_FAILURE() << source.status().message();
  return nullptr;
}

#define OPEN_OR_SKIP(name, page, seed)                                     \
  const auto name##_owner = OpenSource(WriteRecipe(#name, page), seed);    \
  if (name##_owner == nullptr) GTEST_SKIP() << "no fonts on this machine"; \
  const PageSource& name = *name##_owner

constexpr char kAllKinds[] =
    R"({"kinds": {"document": 1, "table": 1, "form": 1, "receipt": 1, "sign": 1, "screen": 1, "packaging": 1, "poster": 1,
        "plate": 1, "scene": 1, "empty": 1}})";

bool Same(const PageSample& a, const PageSample& b) {
  if (a.lines.size() != b.lines.size() ||
      a.picture.width() != b.picture.width() ||
      a.picture.height() != b.picture.height())
    return false;
  for (size_t i = 0; i < a.lines.size(); ++i) {
    if (a.lines[i].text != b.lines[i].text ||
        a.lines[i].ignore != b.lines[i].ignore ||
        a.lines[i].outline != b.lines[i].outline)
      return false;
  }
  for (int y = 0; y < a.picture.height(); ++y) {
    if (std::memcmp(a.picture.row(y), b.picture.row(y), a.picture.stride()) !=
        0)
      return false;
  }
  return true;
}

TEST(PageSource, SameIndex_GivesTheSameBytesInAnyOrderAndThread) {
  OPEN_OR_SKIP(source, kAllKinds, 3);
  OPEN_OR_SKIP(again, kAllKinds, 3);
  constexpr uint64_t kCount = 24;
  std::vector<PageSample> first(kCount), second(kCount);
  for (uint64_t i = 0; i < kCount; ++i) {
    auto sample = source.Make(i);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    first[i] = std::move(sample).value();
  }
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = kCount; i-- > 0;) {
        if (i % 3 != t) continue;
        if (auto sample = again.Make(i); sample.ok())
          second[i] = std::move(sample).value();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uint64_t i = 0; i < kCount; ++i)
    EXPECT_TRUE(Same(first[i], second[i])) << "page " << i;
  OPEN_OR_SKIP(other, kAllKinds, 4);
  auto sample = other.Make(0);
  ASSERT_TRUE(sample.ok());
  EXPECT_FALSE(Same(first[0], *sample));
}

// Distance of `p` from the line through a and b; positive to the right of a ->
// b, which is inside of an outline.
float Inward(geometry::Point p, geometry::Point a, geometry::Point b) {
  const geometry::Point along = b - a, to = p - a;
  return (along.x * to.y - along.y * to.x) / geometry::Length(along);
}

bool Inside(const geometry::Polygon& polygon, geometry::Point p) {
  bool inside = false;
  for (size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const geometry::Point a = polygon[i], b = polygon[j];
    if ((a.y > p.y) != (b.y > p.y) &&
        p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

struct Bounds {
  int left, top, right, bottom;
};
Bounds BoundsOf(const geometry::Polygon& outline, const image::Image& picture) {
  float l = 1e9f, t = 1e9f, r = -1e9f, b = -1e9f;
  for (geometry::Point p : outline) {
    l = std::min(l, p.x);
    t = std::min(t, p.y);
    r = std::max(r, p.x);
    b = std::max(b, p.y);
  }
  return {std::max(static_cast<int>(l) - 1, 0),
          std::max(static_cast<int>(t) - 1, 0),
          std::min(static_cast<int>(r) + 2, picture.width()),
          std::min(static_cast<int>(b) + 2, picture.height())};
}

geometry::Point Center(int x, int y) {
  return {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f};
}

class PageKindTest : public ::testing::TestWithParam<size_t> {
 protected:
  static constexpr uint64_t kPages = 10;
  std::unique_ptr<PageSource> Open(const char* rest = "") const {
    const std::string kind(kPageKinds[GetParam()].name);
    const std::string page = R"({"kinds": {")" + kind +
                             R"(": 1}, "any_turn": 0.1, "quarter_turns": 0.1)" +
                             rest + "}";
    return OpenSource(WriteRecipe(kind, page.c_str()), 11);
  }
};

// The letters drawn alone tell where the ink really is.
TEST_P(PageKindTest, Outlines_HoldTheInkAndTouchItOnEverySide) {
  const auto source = Open();
  if (source == nullptr) GTEST_SKIP() << "no fonts on this machine";
  int64_t ink_pixels = 0, outlined = 0;
  int checked = 0;
  for (uint64_t index = 0; index < kPages; ++index) {
    const auto sample = source->MakeInk(index);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    const image::Image& ink = sample->picture;
    std::vector<uint8_t> held(
        static_cast<size_t>(ink.width()) * static_cast<size_t>(ink.height()),
        0);
    for (const PageLine& line : sample->lines) {
      const Bounds b = BoundsOf(line.outline, ink);
      const bool quad = line.outline.size() == 4;
      float nearest[4] = {1e9f, 1e9f, 1e9f, 1e9f};
      for (int y = b.top; y < b.bottom; ++y) {
        for (int x = b.left; x < b.right; ++x) {
          const geometry::Point p = Center(x, y);
          if (!Inside(line.outline, p)) continue;
          held[static_cast<size_t>(y) * static_cast<size_t>(ink.width()) +
               static_cast<size_t>(x)] = 1;
          if (!quad || ink.row(y)[3 * x] > 215) continue;
          for (size_t k = 0; k < 4; ++k)
            nearest[k] =
                std::min(nearest[k],
                         Inward(p, line.outline[k], line.outline[(k + 1) % 4]));
        }
      }
      const bool cut = std::any_of(
          line.outline.begin(), line.outline.end(), [&](geometry::Point p) {
            return p.x <= 0 || p.y <= 0 ||
                   p.x >= static_cast<float>(ink.width()) ||
                   p.y >= static_cast<float>(ink.height());
          });
      if (!quad || line.ignore || cut) continue;
      ++checked;
      const float high =
          std::max(geometry::Length(line.outline[3] - line.outline[0]),
                   geometry::Length(line.outline[2] - line.outline[1]));
      // A lone 1 has an outline half as wide as it is high.
      const bool is_wider_than_ink =
          geometry::Length(line.outline[1] - line.outline[0]) < 0.52f * high;
      for (size_t k = 0; k < 4; ++k) {
        if (is_wider_than_ink && k % 2 == 1) continue;
        // The padding is 8 % of the ink's height; a pixel for the half of one
        // that is not counted as ink and for its center, and a bit for letters
        // that end in a thin stroke or in a point of a curve's control polygon.
        EXPECT_LE(nearest[k], 0.08f * high + 1.5f + 0.06f * high)
            << "side " << k << " of '" << line.text << "' on page " << index
            << " at " << line.outline[0].x << ", " << line.outline[0].y;
      }
    }
    for (int y = 0; y < ink.height(); ++y) {
      for (int x = 0; x < ink.width(); ++x) {
        if (ink.row(y)[3 * x] > 127) continue;
        ++ink_pixels;
        outlined +=
            held[static_cast<size_t>(y) * static_cast<size_t>(ink.width()) +
                 static_cast<size_t>(x)];
      }
    }
  }
  if (kPageKinds[GetParam()].name == "empty") {
    EXPECT_EQ(ink_pixels, 0);
    return;
  }
  EXPECT_GT(checked, 5);
  // Missing: slivers of letters that the picture's border cuts, and curves
  // between the points of a bent outline.
  EXPECT_GE(static_cast<double>(outlined),
            0.985 * static_cast<double>(ink_pixels));
}

TEST_P(PageKindTest, Outlines_AreWithinTheImageAndClockwise) {
  const auto source = Open();
  if (source == nullptr) GTEST_SKIP() << "no fonts on this machine";
  for (uint64_t index = 0; index < kPages; ++index) {
    const auto sample = source->Make(index);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    EXPECT_EQ(sample->picture.width(), 640);
    EXPECT_EQ(sample->picture.height(), 640);
    for (const PageLine& line : sample->lines) {
      EXPECT_GE(line.outline.size(), 4u);
      EXPECT_EQ(line.outline.size() % 2, 0u);
      EXPECT_TRUE(line.ignore || !line.text.empty());
      double twice = 0;
      for (size_t i = 0; i < line.outline.size(); ++i) {
        const geometry::Point a = line.outline[i],
                              b = line.outline[(i + 1) % line.outline.size()];
        twice +=
            static_cast<double>(a.x) * b.y - static_cast<double>(a.y) * b.x;
        EXPECT_GE(a.x, 0);
        EXPECT_GE(a.y, 0);
        EXPECT_LE(a.x, 640);
        EXPECT_LE(a.y, 640);
      }
      EXPECT_GT(twice, 0) << line.text;
    }
  }
}

TEST_P(PageKindTest, LowLines_AreIgnoredAndNoOthersOfAPristinePage) {
  const auto source =
      Open(R"(, "severity": 0, "perspective": 0, "ignore_below": 12)");
  if (source == nullptr) GTEST_SKIP() << "no fonts on this machine";
  // Few pages have a line that the border cuts lengthwise.
  for (uint64_t index = 0; index < (kSanitized ? kPages : 6 * kPages);
       ++index) {
    const auto sample = source->Make(index);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    for (const PageLine& line : sample->lines) {
      if (line.outline.size() != 4 || line.ignore) continue;
      // Without its padding of 8 % at both sides.
      EXPECT_GE(geometry::Length(line.outline[3] - line.outline[0]) / 1.16f,
                12 * 0.97f)
          << line.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PageKindTest,
                         ::testing::Range(size_t{0}, kPageKindCount),
                         [](const auto& param) {
                           return std::string(kPageKinds[param.param].name);
                         });

TEST(PageSource, Kinds_OccurByTheirWeights) {
  OPEN_OR_SKIP(source, R"({"kinds": {"document": 3, "scene": 1, "empty": 1}})",
               1);
  std::map<std::string_view, int> counts;
  for (uint64_t i = 0; i < 1000; ++i) ++counts[source.KindOf(i)];
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_NEAR(counts["document"], 600, 75);  // Five standard deviations.
  EXPECT_NEAR(counts["scene"], 200, 65);
}

TEST(PageSource, Text_IsSpelledByTheAlphabet) {
  OPEN_OR_SKIP(source, kAllKinds, 9);
  for (uint64_t i = 0; i < 30; ++i) {
    const auto sample = source.Make(i);
    ASSERT_TRUE(sample.ok());
    for (const PageLine& line : sample->lines) {
      for (char c : line.text)
        EXPECT_TRUE((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                    c == ' ')
            << line.text;
      if (!line.text.empty()) {
        EXPECT_NE(line.text.front(), ' ');
        EXPECT_NE(line.text.back(), ' ');
      }
    }
  }
}

// As on real ones, where most things are bought once: a detector that hardly
// ever sees a 1 alone takes it for a stroke.
TEST(PageSource, LoneDigitsOfReceipts_AreMostlyOnes) {
  OPEN_OR_SKIP(source, R"({"kinds": {"receipt": 1}})", 12);
  int digits = 0, ones = 0;
  for (uint64_t i = 0; i < 40; ++i) {
    const auto sample = source.Make(i);
    ASSERT_TRUE(sample.ok());
    for (const PageLine& line : sample->lines) {
      if (line.ignore || line.text.size() != 1 || line.text[0] < '0' ||
          line.text[0] > '9')
        continue;
      ++digits;
      ones += line.text == "1" ? 1 : 0;
    }
  }
  EXPECT_GT(digits, 60);
  EXPECT_GT(ones, digits / 3);
}

TEST(PageSource, Sizes_AreDrawnFromTheRecipe) {
  OPEN_OR_SKIP(
      source,
      R"({"width": [100, 260], "height": [90, 110], "kinds": {"scene": 1}})",
      2);
  std::set<int> widths;
  for (uint64_t i = 0; i < 20; ++i) {
    const auto sample = source.Make(i);
    ASSERT_TRUE(sample.ok());
    widths.insert(sample->picture.width());
    EXPECT_GE(sample->picture.width(), 100);
    EXPECT_LE(sample->picture.width(), 260);
    EXPECT_GE(sample->picture.height(), 90);
    EXPECT_LE(sample->picture.height(), 110);
  }
  EXPECT_GT(widths.size(), 5u);
}

TEST(PageSource, ContactSheet_ShowsOutlines) {
  OPEN_OR_SKIP(
      source,
      R"({"width": [128, 128], "height": [96, 96], "kinds": {"scene": 1}})", 2);
  const auto sheet = PageContactSheet(source, 0, 3, 2, 100, false),
             plain = PageContactSheet(source, 0, 3, 2, 100, true);
  ASSERT_TRUE(sheet.ok());
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(sheet->width(), 300);
  EXPECT_EQ(sheet->height(), 200);
  bool differ = false;
  for (int y = 0; y < 200; ++y)
    differ = differ ||
             std::memcmp(sheet->row(y), plain->row(y), sheet->stride()) != 0;
  EXPECT_TRUE(differ);
  EXPECT_FALSE(PageContactSheet(source, 0, 0, 2, 100, false).ok());
}

TEST(PageSource, Mistakes_AreNamed) {
  auto failure = [](const std::string& recipe) {
    const auto source = PageSource::Open(recipe, 1);
    return source.ok() ? "" : std::string(source.status().message());
  };
  EXPECT_THAT(failure("no/such/recipe.json"), HasSubstr("no/such/recipe.json"));
  EXPECT_THAT(failure(WriteRecipe("wrong", R"({"kind": {}})")),
              HasSubstr("page.kind"));
}

}  // namespace
}  // namespace munja::train
