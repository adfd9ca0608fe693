#include "synth/font_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "synth/testing.h"

namespace munja::train {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<FontSet> Open(const std::string& json, const Alphabet& alphabet) {
  const Json section = Json::parse(json);
  return FontSet::Open(&section, alphabet);
}

TEST(FontSet, Patterns_FindFontsAndListWhatIsMissing) {
  const Alphabet ascii = test_files::Ascii();
  const auto fonts = Open(
      R"({"groups": [{"files": ["dejavu/DejaVuSans.ttf", "none/Such*.ttf"]}]})",
      ascii);
  ASSERT_TRUE(fonts.ok()) << fonts.status().message();
  ASSERT_EQ(fonts->fonts().size(), 1u);
  EXPECT_THAT(fonts->fonts()[0].path, HasSubstr("DejaVuSans.ttf"));
  EXPECT_FALSE(fonts->fonts()[0].is_unicase);
  EXPECT_THAT(fonts->missing(), ElementsAre("none/Such*.ttf"));
  EXPECT_EQ(fonts->Uncovered(ascii), U"");
}

TEST(FontSet, NoFontAtAll_IsAnErrorThatSaysWhereItLooked) {
  const Alphabet ascii = test_files::Ascii();
  const auto fonts =
      Open(R"({"folders": ["/none/such"], "groups": [{"files": ["*.ttf"]}]})",
           ascii);
  ASSERT_FALSE(fonts.ok());
  EXPECT_EQ(fonts.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(fonts.status().message()), HasSubstr("/none/such"));
}

TEST(FontSet, FileThatIsNoFont_IsMissing) {
  const Alphabet ascii = test_files::Ascii();
  const std::string path = test_files::Write("broken.ttf", "This is no font.");
  const std::string folder = path.substr(0, path.rfind('/'));
  EXPECT_FALSE(Open(R"({"folders": [")" + folder +
                        R"("], "groups": [{"files": ["*.ttf"]}]})",
                    ascii)
                   .ok());
}

TEST(FontSet, Mistakes_AreNamed) {
  const Alphabet ascii = test_files::Ascii();
  const auto failure = [&](const char* json) {
    return std::string(Open(json, ascii).status().message());
  };
  EXPECT_THAT(failure(R"({})"), HasSubstr("fonts.groups"));
  EXPECT_THAT(failure(R"({"fodlers": []})"), HasSubstr("fonts.fodlers"));
  EXPECT_THAT(failure(R"({"groups": [{"files": ["*.ttf"], "wieght": 1}]})"),
              HasSubstr("fonts.groups[0].wieght"));
  EXPECT_THAT(failure(R"({"groups": [{"files": []}]})"),
              HasSubstr("fonts.groups[0].files"));
  EXPECT_THAT(
      failure(R"({"groups": [{"files": ["*.ttf"], "sceneries": ["sea"]}]})"),
      AllOf(HasSubstr("sceneries"), HasSubstr("document")));
}

// The first group may be used for digits only, the second has Greek, too.
TEST(FontSet, ChosenFont_HasEveryCharacter) {
  const Alphabet alphabet = test_files::MakeAlphabet("0123abcαβ가");
  const auto fonts = Open(R"({"groups": [
      {"weight": 100, "characters": "0123", "files": ["dejavu/DejaVuSansMono.ttf"]},
      {"weight": 1, "files": ["dejavu/DejaVuSans.ttf"]}]})",
                          alphabet);
  ASSERT_TRUE(fonts.ok()) << fonts.status().message();
  ASSERT_EQ(fonts->fonts().size(), 2u);
  Random random(1);
  int mono = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(fonts->Choose(random, U"aα 1", Scenery::kScene, alphabet), 1);
    EXPECT_EQ(fonts->Choose(random, U"가", Scenery::kScene, alphabet), -1);
    mono +=
        fonts->Choose(random, U"12 3", Scenery::kScene, alphabet) == 0 ? 1 : 0;
  }
  EXPECT_GT(mono, 180);  // 198 expected, deviation 1.4.
  EXPECT_EQ(fonts->Uncovered(alphabet), U"가");
  EXPECT_TRUE(fonts->Covers(1, U"aα 1", alphabet));
  EXPECT_FALSE(fonts->Covers(1, U"가", alphabet));
  EXPECT_FALSE(fonts->Covers(-1, U"a", alphabet));
}

TEST(FontSet, WeightsOfGroups_AreSharedByTheirFonts) {
  const Alphabet ascii = test_files::Ascii();
  const auto fonts = Open(R"({"groups": [
      {"weight": 1, "files": ["dejavu/DejaVuSerif.ttf", "dejavu/DejaVuSerif-Bold.ttf"], "sceneries": ["document"]},
      {"weight": 1, "files": ["dejavu/DejaVuSans.ttf"]}]})",
                          ascii);
  ASSERT_TRUE(fonts.ok());
  std::map<int, int> document, scene;
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    ++document[fonts->Choose(random, U"A", Scenery::kDocument, ascii)];
    ++scene[fonts->Choose(random, U"A", Scenery::kScene, ascii)];
  }
  // 1000, 1000 and 2000 expected; deviations about 30: five of them.
  EXPECT_NEAR(document[0], 1000, 150);
  EXPECT_NEAR(document[1], 1000, 150);
  EXPECT_NEAR(document[2], 2000, 160);
  EXPECT_EQ(scene[2], 4000);
}

}  // namespace
}  // namespace munja::train
