#include "ops/support/string_moves.h"

#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/testing.h"

namespace munja::ops {
namespace {

using Words = std::vector<std::string_view>;

void ExpectStrings(TestNode node, const Shape& shape, const Words& words) {
  node.outputs = {{ElementType::kString}};
  for (const int threads : {1, 3}) {
    const auto out = RunNode(node, {.threads = threads});
    ASSERT_TRUE(out.ok()) << node.op << ": " << out.status().message();
    EXPECT_EQ((*out)[0].shape.ToString(), shape.ToString()) << node.op;
    EXPECT_EQ((*out)[0].bytes, Strings(shape, words).bytes) << node.op;
  }
}

const Words kWords = {"a", "", "ccc", "dd", "a", "f"};

TEST(StringMovesTest, OneInput_IsMoved) {
  ExpectStrings(
      {.op = "RESHAPE",
       .attributes = Options({{"new_shape", std::vector<int64_t>{3, -1}}}),
       .inputs = {Strings({6}, kWords)}},
      {3, 2}, kWords);
  ExpectStrings(
      {.op = "EXPAND_DIMS",
       .inputs = {Strings({2}, {"x", "y"}), Ints({}, {0}).Constant()}},
      {1, 2}, {"x", "y"});
  ExpectStrings(
      {.op = "SLICE",
       .inputs = {Strings({2, 3}, kWords), Ints({2}, {0, 1}).Constant(),
                  Ints({2}, {2, -1}).Constant()}},
      {2, 2}, {"", "ccc", "a", "f"});
  ExpectStrings(
      {.op = "TRANSPOSE",
       .inputs = {Strings({2, 3}, kWords), Ints({2}, {1, 0}).Constant()}},
      {3, 2}, {"a", "dd", "", "a", "ccc", "f"});
  ExpectStrings(
      {.op = "GATHER", .inputs = {Strings({6}, kWords), Ints({3}, {2, 2, 1})}},
      {3}, {"ccc", "ccc", ""});
  ExpectStrings({.op = "FILL",
                 .inputs = {Ints({2}, {1, 2}).Constant(), Strings({}, {"z"})}},
                {1, 2}, {"z", "z"});
  ExpectStrings(
      {.op = "RESHAPE",
       .attributes = Options({{"new_shape", std::vector<int64_t>{2, 0}}}),
       .inputs = {Strings({0}, {})}},
      {2, 0}, {});
}

TEST(StringMovesTest, SeveralInputsAndOutputs_AreMoved) {
  ExpectStrings({.op = "CONCATENATION",
                 .attributes = Options({{"axis", int64_t{0}}}),
                 .inputs = {Strings({2}, {"x", "yy"}), Strings({1}, {"z"}),
                            Strings({0}, {})}},
                {3}, {"x", "yy", "z"});
  ExpectStrings({.op = "PACK",
                 .attributes = Options(
                     {{"axis", int64_t{1}}, {"values_count", int64_t{2}}}),
                 .inputs = {Strings({2}, {"x", "yy"}),
                            Strings({2}, {"z", ""}).Constant()}},
                {2, 2}, {"x", "z", "yy", ""});
  TestNode unpack{
      .op = "UNPACK",
      .attributes = Options({{"axis", int64_t{0}}, {"num", int64_t{2}}}),
      .inputs = {Strings({2, 3}, kWords)},
      .outputs = {{ElementType::kString}, {ElementType::kString}}};
  const auto out = RunNode(unpack);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ((*out)[0].bytes, Strings({3}, {"a", "", "ccc"}).bytes);
  EXPECT_EQ((*out)[1].bytes, Strings({3}, {"dd", "a", "f"}).bytes);
}

TEST(StringMovesTest, InvalidNodes_AreRefused) {
  TestNode node{.op = "GATHER",
                .inputs = {Strings({6}, kWords), Ints({1}, {6})},
                .outputs = {{ElementType::kString}}};
  ExpectRefused(node, Code::kInvalidArgument, "index 6");
  node.outputs = {{ElementType::kFloat32}};
  ExpectRefused(node, Code::kMalformed, "mixes");
  node = {.op = "ABS",
          .inputs = {Strings({6}, kWords)},
          .outputs = {{ElementType::kString}}};
  ExpectRefused(node, Code::kUnsupported, "string");
  node = {.op = "FILL",
          .inputs = {Ints({2}, {INT32_MAX, 3}).Constant(), Strings({}, {"z"})},
          .outputs = {{ElementType::kString}}};
  ExpectRefused(node, Code::kOutOfMemory, "too large for strings");
}

}  // namespace
}  // namespace munja::ops
