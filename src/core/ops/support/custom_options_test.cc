#include "ops/support/custom_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace munja::ops {
namespace {

TEST(CustomOptions, WrittenOptions_AreReadBack) {
  graph::Attributes a;
  a.Set("count", int64_t{-3});
  a.Set("far", int64_t{1} << 40);
  a.Set("flag", true);
  a.Set("list", std::vector<int64_t>{1, -2});
  a.Set("numbers", std::vector<double>{0.5, 2});
  a.Set("ratio", 0.25);
  a.Set("text", std::string("linear"));
  const auto back = DecodeCustomOptions(EncodeCustomOptions(a));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, a);
}

TEST(CustomOptions, OtherBytes_AreRefused) {
  EXPECT_TRUE(DecodeCustomOptions({}).ok());
  const std::vector<uint8_t> noise = {1, 2, 3, 4, 5};
  EXPECT_FALSE(DecodeCustomOptions(noise).ok());
}

}  // namespace
}  // namespace munja::ops
