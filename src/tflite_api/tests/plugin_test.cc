#include "tflite_api/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tflite_api/external_testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using testing::ModelBuilder;
using testing::RunOn;

TEST(PluginTest, Operators_ReplaceBuiltinOnes) {
  auto resolver = std::make_shared<runtime::Resolver>();
  const Status status = LoadOperators(PLUGIN_OPERATORS, resolver.get());
  ASSERT_TRUE(status.ok()) << status.message();
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId y = model.Tensor({2});
  const graph::ValueId z = model.Tensor({2});
  model.Custom("Sin", {x}, {y});
  model.Builtin("NEG", {y}, {z});
  model.Output(z);
  runtime::SessionOptions options;
  options.resolver = resolver;
  auto session = runtime::CreateSession(model.Take(), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {0, 1}, {2}).values,
              ElementsAre(100, FloatEq(100 - std::sin(1.0f))));
}

Result<std::unique_ptr<runtime::Session>> AbsoluteWith(
    const std::vector<runtime::DelegateOption>& given,
    const std::string& path = PLUGIN_DELEGATE,
    const std::string& name = "plugin_delegate") {
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId y = model.Tensor({2});
  model.Builtin("ABS", {x}, {y});
  model.Output(y);
  runtime::SessionOptions options;
  MUNJA_ASSIGN_OR_RETURN(auto delegate, LoadDelegate(path, given));
  EXPECT_EQ(delegate->name(), name);
  options.delegates.push_back(std::move(delegate));
  return runtime::CreateSession(model.Take(), options);
}

TEST(PluginTest, Delegate_GetsItsOptions) {
  auto session = AbsoluteWith({{"add", "10"}});
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {-1, 2}, {2}).values, ElementsAre(11, 12));
  ASSERT_EQ((*session)->Owners().size(), 1u);
  EXPECT_EQ((*session)->Owners()[0].owner, "plugin_delegate");
}

TEST(PluginTest, FailedDelegate_SaysWhy) {
  auto session = AbsoluteWith({{"speed", "11"}});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(session.status().message()),
              HasSubstr("made no delegate: there is no option speed"));
}

TEST(PluginTest, StableDelegates_Run) {
  auto session = AbsoluteWith({}, PLUGIN_STABLE, "plugin_stable");
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {-1, 2}, {2}).values, ElementsAre(21, 22));
  ASSERT_EQ((*session)->Owners().size(), 1u);
  EXPECT_EQ((*session)->Owners()[0].owner, "plugin_stable");
}

TEST(PluginTest, StableDelegatesOfOtherVersions_AreRefused) {
  const std::vector<runtime::DelegateOption> options = {{"add", "10"}};
  const auto with = LoadDelegate(PLUGIN_STABLE, options);
  ASSERT_FALSE(with.ok());
  EXPECT_EQ(with.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(with.status().message()),
              HasSubstr("takes no options"));
  const auto other = LoadDelegate(PLUGIN_STABLE_2, {});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.status().code(), Code::kUnavailable);
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr("of version 2.0.0, this program takes 1.0.0"));
}

TEST(PluginTest, OtherLibrary_IsRefused) {
  runtime::Resolver resolver;
  for (const std::string path : {"/no/such/library.so", PLUGIN_EMPTY}) {
    const Status status = LoadOperators(path, &resolver);
    EXPECT_EQ(status.code(), Code::kUnavailable);
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    auto delegate = LoadDelegate(path, {});
    ASSERT_FALSE(delegate.ok());
    EXPECT_EQ(delegate.status().code(), Code::kUnavailable);
    EXPECT_THAT(std::string(delegate.status().message()), HasSubstr(path));
  }
}

}  // namespace
}  // namespace munja::compat
