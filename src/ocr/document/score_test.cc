#include "document/score.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "base/file.h"
#include "document/writers/writer.h"
#include "text/utf8.h"

namespace munja::document {
namespace {

std::vector<geometry::PointD> Outline(double x, double y, double w, double h) {
  return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

LabeledImage Picture(std::vector<LabeledLine> lines) {
  LabeledImage label;
  label.lines = std::move(lines);
  return label;
}

LabeledImage Crop(std::string text) {
  LabeledImage label;
  label.is_crop = true;
  label.text = std::move(text);
  return label;
}

Line ReadAt(std::string text, float x, float y, float w, float h) {
  Line line;
  line.text = std::move(text);
  line.polygon = {{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}};
  return line;
}

Document Reading(std::vector<Line> lines) {
  Document document;
  document.lines = std::move(lines);
  return document;
}

// Case and spaces do not make a line wrong; a line in unknown writing says
// nothing, nor does one without a label.
TEST(Score, Reliability_IsCounted) {
  Score score;
  std::vector<Line> read = {
      ReadAt("hello,WORLD", 0, 0, 100, 10), ReadAt("abxd", 0, 20, 40, 10),
      ReadAt("", 0, 40, 40, 10), ReadAt("more", 200, 20, 40, 10)};
  for (Line& line : read) line.confidence = 0.75f;
  read[2].unknown_writing = "cyrillic";
  score.AddPicture(
      Picture({{.text = "Hello, world", .polygon = Outline(0, 0, 100, 10)},
               {.text = "abcd", .polygon = Outline(0, 20, 40, 10)},
               {.text = "gone", .polygon = Outline(0, 40, 40, 10)}}),
      Reading(read));
  const auto bins = score.reliability().Bins();
  EXPECT_EQ(score.reliability().lines(), 2);
  EXPECT_EQ(bins[7].lines, 2);
  EXPECT_EQ(bins[7].right, 1);
  EXPECT_DOUBLE_EQ(score.reliability().Error(), 0.25);
}

TEST(Score, Figures_MatchHandCounts) {
  Score score;
  // Three labels: one read well, one misread, one missed; and one box too many.
  score.AddPicture(
      Picture({{.text = "Hello, world", .polygon = Outline(0, 0, 100, 10)},
               {.text = "abcd", .polygon = Outline(0, 20, 40, 10)},
               {.text = "gone", .polygon = Outline(0, 40, 40, 10)}}),
      Reading({ReadAt("Hello,  world", 0, 1, 100, 10),
               ReadAt("abxd", 0, 20, 40, 10),
               ReadAt("more", 200, 20, 40, 10)}));
  const Figures f = score.figures();
  EXPECT_EQ(f.lines, 3);
  EXPECT_EQ(f.boxes, 3);
  EXPECT_DOUBLE_EQ(f.det_precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(f.det_recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(f.line_recall, 1.0 / 3);
  EXPECT_DOUBLE_EQ(f.cer_matched, 1.0 / 16);
  EXPECT_DOUBLE_EQ(f.word_f1, 2.0 * 2 / 8);
  // helloworld + abcd + gone against helloworld + abxd + more: 10 + 3 + "oe".
  EXPECT_DOUBLE_EQ(f.char_f1, 2.0 * 15 / 36);
  EXPECT_FALSE(f.has_crops);
}

TEST(Score, IgnoredLabels_AreNeitherRightNorWrong) {
  Score score;
  score.AddPicture(
      Picture(
          {{.text = "", .polygon = Outline(0, 0, 50, 10), .is_ignored = true},
           {.text = "yes", .polygon = Outline(0, 20, 30, 10)}}),
      Reading({ReadAt("noise", 0, 0, 50, 10), ReadAt("yes", 0, 20, 30, 10)}));
  const Figures f = score.figures();
  EXPECT_EQ(f.lines, 1);
  EXPECT_EQ(f.boxes, 1);
  EXPECT_EQ(f.det_hmean, 1);
  EXPECT_EQ(f.word_f1, 1);
}

TEST(Score, Hmean_OfNoOutlinesIsZero) {
  Score score;
  score.AddPicture(Picture({{.text = "yes", .polygon = {}}}), Reading({}));
  const Figures f = score.figures();
  EXPECT_EQ(f.det_precision, 0);
  EXPECT_EQ(f.det_recall, 0);
  EXPECT_EQ(f.det_hmean, 0);
}

TEST(Score, LabelsWithoutOutlines_CountForTextOnly) {
  Score score;
  score.AddPicture(Picture({{.text = "only text", .polygon = {}}}),
                   Reading({ReadAt("only", 0, 0, 9, 9)}));
  const Figures f = score.figures();
  EXPECT_EQ(f.lines, 0);
  EXPECT_EQ(f.boxes, 0);
  EXPECT_DOUBLE_EQ(f.word_f1, 2.0 / 3);
}

// Nothing is there to be found: everything found is wrong.
TEST(Score, BoxesOnPagesWithoutText_AreWrong) {
  Score score;
  score.AddPicture(Picture({}), Reading({ReadAt("noise", 0, 0, 50, 10),
                                         ReadAt("more", 0, 20, 50, 10)}));
  // Where text is ignored, the box beside it.
  score.AddPicture(
      Picture(
          {{.text = "", .polygon = Outline(0, 0, 50, 10), .is_ignored = true}}),
      Reading({ReadAt("what", 0, 0, 50, 10), ReadAt("x", 0, 90, 50, 10)}));
  score.AddPicture(
      Picture({{.text = "yes", .polygon = Outline(0, 20, 30, 10)}}),
      Reading({ReadAt("yes", 0, 20, 30, 10)}));
  const Figures f = score.figures();
  EXPECT_EQ(f.images, 3);
  EXPECT_EQ(f.lines, 1);
  EXPECT_EQ(f.boxes, 4);
  EXPECT_DOUBLE_EQ(f.det_precision, 1.0 / 4);
  EXPECT_DOUBLE_EQ(f.det_recall, 1);
}

// Errors are counted by the characters of the label, however long the reading.
TEST(Score, ErrorRates_AreRelativeToTheLabel) {
  Score score;
  score.AddPicture(Picture({{.text = "ab", .polygon = Outline(0, 0, 50, 10)}}),
                   Reading({ReadAt("abxyz", 0, 0, 50, 10)}));
  EXPECT_DOUBLE_EQ(score.figures().cer_matched, 3.0 / 2);
  Score crops;
  crops.AddCrop(Crop("ab"), "abxyz");
  EXPECT_DOUBLE_EQ(crops.figures().cer, 3.0 / 2);
}

TEST(Score, Crops_AreScoredByText) {
  Score score;
  score.AddCrop(Crop("ABC 1"), "ABC  1");
  score.AddCrop(Crop("abc"), "A-b-c");
  score.AddCrop(Crop("xy"), "");
  const Figures f = score.figures();
  EXPECT_DOUBLE_EQ(f.accuracy, 1.0 / 3);
  EXPECT_DOUBLE_EQ(f.accuracy_relaxed, 2.0 / 3);
  EXPECT_EQ(f.characters, 10);
  EXPECT_DOUBLE_EQ(f.cer, 5.0 / 10);
  EXPECT_FALSE(f.has_pictures);
}

// From here on: the script that defines the figures is run.

const char kScript[] = MUNJA_SOURCE_DIR "/../shared/tools/score.py";
const char kLabels[] = MUNJA_SOURCE_DIR "/../shared/images/labels";

// Lines read as an imperfect reader would: moved, misread, missed, split.
Document Misread(const LabeledImage& label, std::mt19937& random) {
  Document document;
  document.source = "/somewhere/" + label.image;
  const auto chance = [&](double p) {
    return std::uniform_real_distribution<double>()(random) < p;
  };
  const auto misread = [&](const std::string& text) {
    std::u32string out;
    for (char32_t c : text::DecodeUtf8(text)) {
      if (chance(.02)) continue;
      if (chance(.02)) out += U" .AaSs\u00DF\uFF21\u2160\u4E2D"[random() % 10];
      out += chance(.05) ? c + 1 : c;
    }
    return text::EncodeUtf8(out);
  };
  std::vector<LabeledLine> lines = label.lines;
  if (label.is_crop) lines.push_back({.text = label.text, .polygon = {}});
  for (const LabeledLine& line : lines) {
    if (chance(.1)) continue;
    Line read;
    read.text = misread(line.text);
    float x0 = 0, y0 = 0, x1 = 50, y1 = 20;
    if (!line.polygon.empty()) {
      const auto [left, right] = std::minmax_element(
          line.polygon.begin(), line.polygon.end(),
          [](const auto& a, const auto& b) { return a.x < b.x; });
      const auto [top, bottom] = std::minmax_element(
          line.polygon.begin(), line.polygon.end(),
          [](const auto& a, const auto& b) { return a.y < b.y; });
      x0 = static_cast<float>(left->x), x1 = static_cast<float>(right->x);
      y0 = static_cast<float>(top->y), y1 = static_cast<float>(bottom->y);
    }
    const auto jitter = [&] {
      return (y1 - y0) *
             std::uniform_real_distribution<float>(-.3f, .3f)(random);
    };
    read.polygon = {{{x0 + jitter(), y0 + jitter()},
                     {x1 + jitter(), y0 + jitter()},
                     {x1 + jitter(), y1 + jitter()},
                     {x0 + jitter(), y1 + jitter()}}};
    document.lines.push_back(read);
    // Equal overlaps: the same box once more.
    if (chance(.1)) document.lines.push_back(read);
  }
  return document;
}

// Our figures and the script's, for labels in a file and synthetic results.
void CompareWithScript(const std::string& labels_path, unsigned seed) {
  SCOPED_TRACE(labels_path);
  const auto labels = ReadLabels(labels_path);
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  std::mt19937 random(seed);
  Score score;
  std::string results;
  int missing = 0;
  for (const LabeledImage& label : *labels) {
    const bool is_missing = random() % 20 == 0;
    const Document document = is_missing ? Document() : Misread(label, random);
    if (is_missing)
      ++missing;
    else
      results += WriteJson(document);
    if (!label.is_crop) {
      score.AddPicture(label, document);
      continue;
    }
    std::string text;
    for (const Line& line : document.lines)
      text += (&line == document.lines.data() ? "" : " ") + line.text;
    score.AddCrop(label, text);
  }
  const std::string path = ::testing::TempDir() + "munja_score_" +
                           std::to_string(getpid()) + ".jsonl";
  ASSERT_TRUE(WriteFile(path, results).ok());
  const std::string command = std::string("python3 ") + kScript + " " +
                              labels_path + " " + path + " --json 2>/dev/null";
  FILE* script = popen(command.c_str(), "r");
  ASSERT_NE(script, nullptr);
  std::string out(10'000, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), script));
  ASSERT_EQ(pclose(script), 0);
  std::filesystem::remove(path);
  auto want = nlohmann::json::parse(out);
  const Figures f = score.figures();
  // The script calls a mean of nothing 1.
  if (f.has_pictures && f.lines + f.boxes == 0) want["det_hmean"] = 0.0;
  std::map<std::string, double> got = {
      {"images", static_cast<double>(f.images)}, {"missing_results", missing}};
  if (f.has_crops) {
    got.insert({{"accuracy", f.accuracy},
                {"accuracy_relaxed", f.accuracy_relaxed},
                {"cer", f.cer},
                {"characters", static_cast<double>(f.characters)}});
  }
  if (f.has_pictures) {
    got.insert({{"lines", static_cast<double>(f.lines)},
                {"boxes", static_cast<double>(f.boxes)},
                {"det_precision", f.det_precision},
                {"det_recall", f.det_recall},
                {"det_hmean", f.det_hmean},
                {"line_recall", f.line_recall},
                {"cer_matched", f.cer_matched},
                {"word_f1", f.word_f1},
                {"char_f1", f.char_f1}});
  }
  // Both divide the same integers, so they agree to the last digit.
  EXPECT_EQ(got, (want.get<std::map<std::string, double>>()));
}

class ScoreScript : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 --version >/dev/null 2>&1") != 0 ||
        !IsRegularFile(kScript)) {
      GTEST_SKIP() << "no python3 or no score.py";
    }
  }
};

TEST_F(ScoreScript, AllLabels_AgreeWithTheScript) {
  if (!IsDirectory(kLabels)) GTEST_SKIP() << "no labels";
  unsigned seed = 1;
  for (const auto& entry : std::filesystem::directory_iterator(kLabels))
    CompareWithScript(entry.path().string(), seed++);
}

TEST_F(ScoreScript, RandomLabels_AgreeWithTheScript) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 10; ++round) {
    std::string labels;
    for (int picture = 0; picture < 6; ++picture) {
      nlohmann::json json;
      json["image"] = "p" + std::to_string(picture) + ".png";
      json["lines"] = nlohmann::json::array();
      const unsigned count = random() % 6;
      for (unsigned i = 0; i < count; ++i) {
        std::u32string text(1 + random() % 8, U'a');
        // All of the first planes but for surrogates and private use.
        for (char32_t& c : text) {
          do {
            c = random() % 3 ? U' ' + random() % 95 : 1 + random() % 0x1ffff;
          } while (c >= 0xd800 && c < 0xf900);
        }
        nlohmann::json line;
        line["text"] = text::EncodeUtf8(text);
        if (random() % 8 == 0) {
          line["poly"] = nullptr;
        } else {
          const double x = random() % 300 / 10.0, y = random() % 300 / 10.0;
          line["poly"] = {{x, y}, {x + 40.3, y}, {x + 41, y + 9.7}, {x, y + 9}};
        }
        if (random() % 5 == 0) line["ignore"] = true;
        json["lines"].push_back(line);
      }
      labels += json.dump() + "\n";
    }
    const std::string path = ::testing::TempDir() + "munja_labels_" +
                             std::to_string(getpid()) + ".jsonl";
    ASSERT_TRUE(WriteFile(path, labels).ok());
    CompareWithScript(path, round);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace munja::document
