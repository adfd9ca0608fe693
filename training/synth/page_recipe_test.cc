#include "synth/page_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synth/page_kinds.h"

namespace munja::train {
namespace {

using ::testing::HasSubstr;

std::string PageRecipeFailure(const char* json) {
  const Json section = Json::parse(json);
  const auto recipe = PageRecipe::FromJson(&section);
  return recipe.ok() ? "" : std::string(recipe.status().message());
}

TEST(PageRecipe, MissingSection_GivesDefaults) {
  const auto recipe = PageRecipe::FromJson(nullptr);
  ASSERT_TRUE(recipe.ok());
  EXPECT_EQ(recipe->width_to, 640);
  ASSERT_EQ(recipe->kind_weights.size(), kPageKindCount);
  for (float weight : recipe->kind_weights) EXPECT_GT(weight, 0);
}

TEST(PageRecipe, Kinds_AreReadByName) {
  const Json section = Json::parse(
      R"({"kinds": {"receipt": 2, "empty": 0.5}, "width": [320, 400], "severity": 0})");
  const auto recipe = PageRecipe::FromJson(&section);
  ASSERT_TRUE(recipe.ok());
  for (size_t i = 0; i < kPageKindCount; ++i) {
    const float wanted = kPageKinds[i].name == "receipt" ? 2
                         : kPageKinds[i].name == "empty" ? 0.5f
                                                         : 0;
    EXPECT_EQ(recipe->kind_weights[i], wanted) << kPageKinds[i].name;
  }
  EXPECT_EQ(recipe->width_from, 320);
  EXPECT_EQ(recipe->severity, 0);
}

TEST(PageRecipe, Mistakes_AreNamed) {
  EXPECT_THAT(PageRecipeFailure(R"({"hieght": [1, 2]})"),
              HasSubstr("page.hieght"));
  EXPECT_THAT(PageRecipeFailure(R"({"kinds": {"reciept": 1}})"),
              HasSubstr("page.kinds.reciept"));
  EXPECT_THAT(PageRecipeFailure(R"({"kinds": {"receipt": -1}})"),
              HasSubstr("kinds.receipt"));
  EXPECT_THAT(PageRecipeFailure(R"({"kinds": {"receipt": 0}})"),
              HasSubstr("page.kinds"));
  EXPECT_THAT(PageRecipeFailure(R"({"kinds": []})"), HasSubstr("page.kinds"));
  EXPECT_THAT(PageRecipeFailure(R"({"width": [640, 320]})"),
              HasSubstr("page.width"));
  EXPECT_THAT(PageRecipeFailure(R"({"width": 640})"), HasSubstr("page.width"));
  EXPECT_THAT(PageRecipeFailure(R"({"severity": 2})"),
              HasSubstr("page.severity"));
  EXPECT_THAT(PageRecipeFailure("[]"), HasSubstr("page"));
}

}  // namespace
}  // namespace munja::train
