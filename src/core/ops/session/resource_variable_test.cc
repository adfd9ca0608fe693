#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ResourceVariableTest : public ::testing::Test {
 protected:
  // The handle that VAR_HANDLE gives.
  TestTensor Handle(const std::string& name) {
    const auto out =
        Run({.op = "VAR_HANDLE",
             .attributes = Options(
                 {{"container", std::string("c")}, {"shared_name", name}}),
             .outputs = {{ElementType::kResource}}});
    EXPECT_TRUE(out.ok());
    return (*out)[0];
  }
  Result<std::vector<TestTensor>> Run(const TestNode& node) {
    TestOptions options;
    options.host = &host_;
    return RunNode(node, options);
  }
  std::string Refusal(const TestNode& node) {
    const auto result = Run(node);
    return result.ok() ? "ok" : std::string(result.status().message());
  }
  static TestNode Read(TestTensor handle,
                       ElementType type = ElementType::kFloat32) {
    return {.op = "READ_VARIABLE",
            .inputs = {std::move(handle)},
            .outputs = {{type}}};
  }
  static TestNode Assign(TestTensor handle, TestTensor value) {
    return {.op = "ASSIGN_VARIABLE",
            .inputs = {std::move(handle), std::move(value)},
            .outputs = {}};
  }

  TestHost host_;
};

TEST_F(ResourceVariableTest, AssignedValue_IsKeptByName) {
  const TestTensor a = Handle("a"), b = Handle("b");
  EXPECT_NE(a.bytes, b.bytes);
  EXPECT_EQ(a.bytes, Handle("a").bytes);
  EXPECT_EQ(Refusal(Assign(a, Floats({2}, {1, 2}))), "ok");
  EXPECT_EQ(Refusal(Assign(b, Ints({}, {7}))), "ok");
  auto out = Run(Read(a));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2}));
  EXPECT_THAT((*out)[0].values<float>(), ElementsAre(1, 2));
  out = Run(Read(b, ElementType::kInt32));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<int32_t>(), ElementsAre(7));
  // Shapes may change.
  EXPECT_EQ(Refusal(Assign(a, Floats({1, 3}, {4, 5, 6}))), "ok");
  EXPECT_EQ(Refusal(Assign(a, Floats({1, 1}, {9}))), "ok");
  out = Run(Read(a));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{1, 1}));
  EXPECT_THAT((*out)[0].values<float>(), ElementsAre(9));
}

TEST_F(ResourceVariableTest, InvalidNodes_AreRefused) {
  const TestTensor a = Handle("a");
  EXPECT_THAT(Refusal(Read(a)), HasSubstr("given no value"));
  EXPECT_EQ(Refusal(Assign(a, Floats({0}, {}))), "ok");
  EXPECT_EQ(Refusal(Read(a)), "ok");
  EXPECT_THAT(Refusal(Read(a, ElementType::kInt32)),
              HasSubstr("of type float32 as int32"));
  host_.resources().Clear();
  EXPECT_THAT(Refusal(Read(a)), HasSubstr("no variable"));
  // Numbers that no handle has, and handles of something else.
  for (const int32_t number : {-1, 1000, INT32_MAX}) {
    const TestTensor handle =
        MakeTensor<int32_t>(ElementType::kResource, {}, {number});
    EXPECT_THAT(Refusal(Read(handle)), HasSubstr("no variable"));
    EXPECT_THAT(Refusal(Assign(handle, Ints({}, {1}))),
                HasSubstr("no variable"));
  }
  const auto table =
      Run({.op = "HASHTABLE",
           .attributes = Options({{"table_id", int64_t{1}},
                                  {"key_dtype", std::string("INT64")},
                                  {"value_dtype", std::string("STRING")}}),
           .outputs = {{ElementType::kResource}}});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_THAT(Refusal(Read((*table)[0])), HasSubstr("no variable"));
  EXPECT_THAT(Refusal(Read(Ints({}, {0}))), HasSubstr("the handle is int32"));
  EXPECT_THAT(
      Refusal(Read(MakeTensor<int32_t>(ElementType::kResource, {2}, {0, 0}))),
      HasSubstr("no scalar"));
  EXPECT_THAT(Refusal(Read(Absent())), HasSubstr("absent"));
}

}  // namespace
}  // namespace munja::ops
