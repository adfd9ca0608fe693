#include "synth/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "synth/testing.h"

namespace munja::train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Message(const Status& status) {
  return std::string(status.message());
}

TEST(Recipe, RecipesOfThisRepository_AreRead) {
  for (const char* name : {"latin.json", "default.json", "tiny.json"}) {
    const auto recipe = ReadRecipe(test_files::Recipe(name));
    ASSERT_TRUE(recipe.ok()) << recipe.status().message();
    EXPECT_NE(FindSection(*recipe, "fonts"), nullptr) << name;
  }
}

TEST(Recipe, TruncatedText_IsRefused) {
  const auto bytes = ReadFile(test_files::Recipe("tiny.json"));
  ASSERT_TRUE(bytes.ok());
  const std::string whole(bytes->begin(), bytes->end());
  const size_t end = whole.rfind('}');
  for (size_t n = 0; n < end; n += 7) {
    const std::string path = test_files::Write("cut.json", whole.substr(0, n));
    const auto recipe = ReadRecipe(path);
    ASSERT_FALSE(recipe.ok()) << n;
    EXPECT_THAT(Message(recipe.status()), HasSubstr("cut.json"));
  }
}

TEST(Recipe, UnknownSection_IsNamed) {
  const auto recipe = ReadRecipe(
      test_files::Write("r.json", R"({"alphabet": "a.txt", "fnots": {}})"));
  ASSERT_FALSE(recipe.ok());
  EXPECT_THAT(Message(recipe.status()),
              AllOf(HasSubstr("r.json"), HasSubstr("fnots")));
}

TEST(Recipe, Files_AreFoundNextToIt) {
  EXPECT_EQ(BesideRecipe("training/recipes/x.json", "a.txt"),
            "training/recipes/a.txt");
  EXPECT_EQ(BesideRecipe("x.json", "a.txt"), "a.txt");
  EXPECT_EQ(BesideRecipe("models/x.json", "/usr/share/dict/words"),
            "/usr/share/dict/words");
}

TEST(Section, Members_AreReadAndTheRestKeptAsIs) {
  const Json json = Json::parse(
      R"({"number": 2.5, "count": 3, "on": true, "pair": [1, 2], "names": ["a", "b"]})");
  const auto section = Section::Of(
      &json, "line", {"number", "count", "on", "pair", "names", "other"});
  ASSERT_TRUE(section.ok());
  float number = 0, other = 7, from = 0, to = 0;
  int count = 0;
  bool on = false;
  std::vector<std::string> names;
  EXPECT_TRUE(section->Read("number", 0.0f, 5.0f, number).ok());
  EXPECT_TRUE(section->Read("other", 0.0f, 5.0f, other).ok());
  EXPECT_TRUE(section->Read("count", 0, 5, count).ok());
  EXPECT_TRUE(section->Read("on", on).ok());
  EXPECT_TRUE(section->ReadRange("pair", 0, 5, from, to).ok());
  EXPECT_TRUE(section->Read("names", names).ok());
  EXPECT_EQ(number, 2.5f);
  EXPECT_EQ(other, 7);
  EXPECT_EQ(count, 3);
  EXPECT_TRUE(on);
  EXPECT_EQ(to, 2);
  EXPECT_THAT(names, ::testing::ElementsAre("a", "b"));
}

TEST(Section, WrongKey_IsNamed) {
  const Json json = Json::parse(
      R"({"a": "x", "b": [2, 1], "c": 9, "d": 1.5, "e": ["x", 1]})");
  const auto unknown = Section::Of(&json, "line", {"a"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(Message(unknown.status()), HasSubstr("line.b"));
  const auto section = Section::Of(&json, "line", {"a", "b", "c", "d", "e"});
  ASSERT_TRUE(section.ok());
  float f = 0, g = 0;
  int i = 0;
  std::vector<std::string> texts;
  EXPECT_THAT(Message(section->Read("a", 0.0f, 1.0f, f)), HasSubstr("line.a"));
  EXPECT_THAT(Message(section->ReadRange("b", 0, 5, f, g)),
              HasSubstr("line.b"));
  EXPECT_THAT(Message(section->Read("c", 0.0f, 5.0f, f)),
              AllOf(HasSubstr("line.c"), HasSubstr("from 0 to 5")));
  EXPECT_THAT(Message(section->Read("d", 0, 5, i)), HasSubstr("line.d"));
  EXPECT_THAT(Message(section->Read("e", texts)), HasSubstr("line.e"));
  EXPECT_THAT(Message(Section::Of(&json["a"], "text", {}).status()),
              HasSubstr("text"));
}

}  // namespace
}  // namespace munja::train
