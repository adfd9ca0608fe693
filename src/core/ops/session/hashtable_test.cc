#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestTensor Longs(Shape shape, const std::vector<int64_t>& values) {
  return MakeTensor(ElementType::kInt64, shape, values);
}

class HashtableTest : public ::testing::Test {
 protected:
  TestTensor Handle(const char* key, const char* value, int64_t id = 1) {
    const auto out =
        Run({.op = "HASHTABLE",
             .attributes = Options({{"table_id", id},
                                    {"key_dtype", std::string(key)},
                                    {"value_dtype", std::string(value)}}),
             .outputs = {{ElementType::kResource}}});
    EXPECT_TRUE(out.ok()) << out.status().message();
    return out.ok() ? (*out)[0] : TestTensor();
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
  static TestNode Import(TestTensor handle, TestTensor keys,
                         TestTensor values) {
    return {.op = "HASHTABLE_IMPORT",
            .inputs = {std::move(handle), std::move(keys), std::move(values)},
            .outputs = {}};
  }
  static TestNode Find(TestTensor handle, TestTensor keys,
                       TestTensor otherwise) {
    const ElementType type = otherwise.type;
    return {
        .op = "HASHTABLE_FIND",
        .inputs = {std::move(handle), std::move(keys), std::move(otherwise)},
        .outputs = {{type}}};
  }

  TestHost host_;
};

TEST_F(HashtableTest, StringKeys_FindIntegers) {
  const TestTensor table = Handle("STRING", "INT64");
  // The first of equal keys counts, and only the first import.
  EXPECT_EQ(Refusal(Import(table, Strings({4}, {"one", "two", "", "one"}),
                           Longs({4}, {1, 2, 3, 4}))),
            "ok");
  EXPECT_EQ(Refusal(Import(table, Strings({1}, {"two"}), Longs({1}, {9}))),
            "ok");
  auto out = Run(Find(table, Strings({2, 2}, {"two", "three", "", "one"}),
                      Longs({}, {-1})));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].shape, (Shape{2, 2}));
  EXPECT_THAT((*out)[0].values<int64_t>(), ElementsAre(2, -1, 3, 1));
  out = Run({.op = "HASHTABLE_SIZE",
             .inputs = {table},
             .outputs = {{ElementType::kInt64}}});
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<int64_t>(), ElementsAre(3));
}

TEST_F(HashtableTest, IntegerKeys_FindStrings) {
  const TestTensor table = Handle("INT64", "STRING");
  EXPECT_EQ(Refusal(Import(table, Longs({2}, {5, -6}),
                           Strings({2}, {"five", "minus six"}))),
            "ok");
  const auto out =
      Run(Find(table, Longs({3}, {-6, 0, 5}), Strings({1}, {"none"})));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].bytes, Strings({3}, {"minus six", "none", "five"}).bytes);
}

TEST_F(HashtableTest, Tables_AreSeparate) {
  const TestTensor a = Handle("INT32", "FLOAT32", 1);
  const TestTensor b = Handle("INT32", "FLOAT32", 2);
  EXPECT_EQ(Refusal(Import(a, Ints({1}, {1}), Floats({1}, {0.5f}))), "ok");
  auto out = Run(Find(b, Ints({1}, {1}), Floats({}, {2})));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<float>(), ElementsAre(2));
  out = Run(Find(a, Ints({1}, {1}), Floats({}, {2})));
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_THAT((*out)[0].values<float>(), ElementsAre(0.5f));
}

TEST_F(HashtableTest, InvalidNodes_AreRefused) {
  const TestTensor table = Handle("INT64", "STRING");
  EXPECT_THAT(Refusal(Import(table, Longs({2}, {1, 2}), Strings({1}, {"a"}))),
              HasSubstr("keys of shape 2 and values of shape 1"));
  EXPECT_THAT(Refusal(Import(table, Ints({1}, {1}), Strings({1}, {"a"}))),
              HasSubstr("maps int64 to string, used are int32"));
  EXPECT_THAT(Refusal(Find(table, Longs({1}, {1}), Longs({1}, {1}))),
              HasSubstr("used are int64 and int64"));
  EXPECT_THAT(Refusal(Find(table, Longs({1}, {1}), Strings({2}, {"a", "b"}))),
              HasSubstr("default is no scalar"));
  EXPECT_THAT(
      Refusal(Find(MakeTensor<int32_t>(ElementType::kResource, {}, {77}),
                   Longs({1}, {1}), Strings({}, {"a"}))),
      HasSubstr("no table"));
  EXPECT_THAT(
      Refusal({.op = "HASHTABLE",
               .attributes = Options({{"key_dtype", std::string("FLOAT32")}}),
               .outputs = {{ElementType::kResource}}}),
      HasSubstr("'key_dtype' is FLOAT32"));
}

}  // namespace
}  // namespace munja::ops
