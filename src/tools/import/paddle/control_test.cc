// Loops and branches of Paddle programs; numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<float>;

// The operators added since `first` of the main block go into a block of their
// own. Gives its number.
int IntoBlock(ProgramFile& file, int first) {
  const int number = file.desc().blocks_size();
  file.desc().add_blocks();
  auto& main = *file.desc().mutable_blocks(0)->mutable_ops();
  for (int i = first; i < main.size(); ++i)
    *file.desc().mutable_blocks(number)->add_ops() = main[i];
  while (main.size() > first) main.RemoveLast();
  file.desc().mutable_blocks(number)->set_idx(number);
  return number;
}

int Size(ProgramFile& file) { return file.block().ops_size(); }

void Number(ProgramFile& file, const std::string& name, float value,
            int type = 3) {
  Attr shape;
  shape.set_name("shape");
  shape.set_type(static_cast<decltype(shape.type())>(11));
  shape.add_longs(1);
  file.Op("fill_constant", {}, {{"Out", name}},
          {shape, FloatAttr("value", value), IntAttr("dtype", type)});
}

// i = 0; while (i < n) { x = x * 2 + i; ++i; }
TEST(PaddleControl, CountedLoop_IsUnrolled) {
  ProgramFile file({1, 2});
  Number(file, "i", 0);
  Number(file, "turns", 3);
  file.Op("assign", {{"X", "x"}}, {{"Out", "sum"}});
  file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
  const int first = Size(file);
  file.Op("scale", {{"X", "sum"}}, {{"Out", "twice"}}, {FloatAttr("scale", 2)});
  file.Op("cast", {{"X", "i"}}, {{"Out", "i_float"}},
          {IntAttr("out_dtype", 5)});
  file.Op("elementwise_add", {{"X", "twice"}, {"Y", "i_float"}},
          {{"Out", "sum"}});
  file.Op("increment", {{"X", "i"}}, {{"Out", "i"}}, {FloatAttr("step", 1)});
  file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
  const int body = IntoBlock(file, first);
  file.Op("while", {{"X", "sum"}, {"Condition", "again"}}, {{"Out", "sum"}},
          {BlockAttr(body)});
  // ((x * 2 + 0) * 2 + 1) * 2 + 2
  EXPECT_THAT(Both(file, "sum", {1, 2}, {1, 10}), ElementsAre(12, 84));
}

// while (sum of x < 100) x = x * x: as often as the numbers say.
TEST(PaddleControl, DynamicLoop_BecomesWhile) {
  const auto make = [] {
    ProgramFile file({1, 2});
    file.Parameter("limit", {1}, {100});
    const auto test = [&](const std::string& of) {
      file.Op("reduce_sum", {{"X", of}}, {{"Out", "total"}},
              {BoolAttr("reduce_all", true)});
      file.Op("less_than", {{"X", "total"}, {"Y", "limit"}},
              {{"Out", "again"}});
    };
    file.Op("assign", {{"X", "x"}}, {{"Out", "y"}});
    test("y");
    const int first = Size(file);
    file.Op("elementwise_mul", {{"X", "y"}, {"Y", "y"}}, {{"Out", "y"}});
    test("y");
    const int body = IntoBlock(file, first);
    file.Op("while", {{"X", "y"}, {"Condition", "again"}}, {{"Out", "y"}},
            {BlockAttr(body)});
    return file;
  };
  ProgramFile few = make(), many = make();
  EXPECT_THAT(Both(few, "y", {1, 2}, {60, 70}), ElementsAre(60, 70));
  // Squared three times: 4 + 9 and 16 + 81 are less than 100.
  EXPECT_THAT(Both(many, "y", {1, 2}, {2, 3}), ElementsAre(256, 6561));
}

// y = sum of x > 0 ? x + 1 : -x, as two blocks and a choice.
TEST(PaddleControl, DynamicBranch_IsSelected) {
  const auto make = [] {
    ProgramFile file({1, 2});
    file.Parameter("nothing", {1}, {0});
    file.Op("reduce_sum", {{"X", "x"}}, {{"Out", "total"}},
            {BoolAttr("reduce_all", true)});
    file.Op("greater_than", {{"X", "total"}, {"Y", "nothing"}},
            {{"Out", "is_more"}});
    file.Op("logical_not", {{"X", "is_more"}}, {{"Out", "is_not"}});
    file.Op("cast", {{"X", "is_more"}}, {{"Out", "mask"}},
            {IntAttr("out_dtype", 2)});
    int first = Size(file);
    file.Op("scale", {{"X", "x"}}, {{"Out", "yes"}}, {FloatAttr("bias", 1)});
    const int yes = IntoBlock(file, first);
    file.Op("conditional_block", {{"Cond", "is_more"}, {"Input", "x"}},
            {{"Out", "yes"}}, {BlockAttr(yes)});
    first = Size(file);
    file.Op("scale", {{"X", "x"}}, {{"Out", "no"}}, {FloatAttr("scale", -1)});
    const int no = IntoBlock(file, first);
    file.Op("conditional_block", {{"Cond", "is_not"}, {"Input", "x"}},
            {{"Out", "no"}}, {BlockAttr(no)});
    // The program lists both in order: not, then taken.
    munja::paddle::OpDesc& choice = file.Op(
        "select_input", {{"X", "no"}, {"Mask", "mask"}}, {{"Out", "y"}});
    choice.mutable_inputs(0)->add_arguments("yes");
    return file;
  };
  ProgramFile more = make(), less = make();
  EXPECT_THAT(Both(more, "y", {1, 2}, {5, -2}), ElementsAre(6, -1));
  EXPECT_THAT(Both(less, "y", {1, 2}, {-5, 2}), ElementsAre(5, -2));
}

// A variable that a branch changes stays as it was without it.
TEST(PaddleControl, VariableChangedInBranch_IsMerged) {
  const auto make = [] {
    ProgramFile file({1, 2});
    file.Parameter("nothing", {1}, {0});
    file.Op("reduce_sum", {{"X", "x"}}, {{"Out", "total"}},
            {BoolAttr("reduce_all", true)});
    file.Op("greater_than", {{"X", "total"}, {"Y", "nothing"}},
            {{"Out", "is_more"}});
    file.Op("scale", {{"X", "x"}}, {{"Out", "y"}}, {FloatAttr("scale", 3)});
    const int first = Size(file);
    file.Op("scale", {{"X", "y"}}, {{"Out", "y"}}, {FloatAttr("bias", 100)});
    const int block = IntoBlock(file, first);
    file.Op("conditional_block", {{"Cond", "is_more"}, {"Input", "y"}},
            {{"Out", "y"}}, {BlockAttr(block)});
    return file;
  };
  ProgramFile more = make(), less = make();
  EXPECT_THAT(Both(more, "y", {1, 2}, {5, -2}), ElementsAre(115, 94));
  EXPECT_THAT(Both(less, "y", {1, 2}, {-5, 2}), ElementsAre(-15, 6));
}

TEST(PaddleControl, TensorArray_InCountedLoop) {
  for (const bool stacks : {true, false}) {
    ProgramFile file({1, 2});
    Number(file, "i", 0);
    Number(file, "turns", 3);
    file.Op("assign", {{"X", "x"}}, {{"Out", "last"}});
    file.Op("write_to_array", {{"X", "last"}, {"I", "i"}}, {{"Out", "list"}});
    file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
    const int first = Size(file);
    file.Op("read_from_array", {{"X", "list"}, {"I", "i"}}, {{"Out", "last"}});
    file.Op("scale", {{"X", "last"}}, {{"Out", "next"}},
            {FloatAttr("scale", 10)});
    file.Op("increment", {{"X", "i"}}, {{"Out", "i"}}, {FloatAttr("step", 1)});
    file.Op("write_to_array", {{"X", "next"}, {"I", "i"}}, {{"Out", "list"}});
    file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
    const int body = IntoBlock(file, first);
    file.Op("while", {{"X", "last"}, {"Condition", "again"}}, {{"Out", "last"}},
            {BlockAttr(body)});
    file.Op("tensor_array_to_tensor", {{"X", "list"}},
            {{"Out", "y"}, {"OutIndex", "sizes"}},
            {IntAttr("axis", stacks ? 1 : 0), BoolAttr("use_stack", stacks)});
    file.Op("reshape2", {{"X", "y"}}, {{"Out", "flat"}},
            {IntsAttr("shape", {-1})});
    EXPECT_THAT(Both(file, "flat", {1, 2}, {1, 2}),
                ElementsAre(1, 2, 10, 20, 100, 200, 1000, 2000));
  }
}

TEST(PaddleControl, MissingBlock_IsMalformed) {
  for (const int number : {0, 1, -1, 7}) {
    ProgramFile file({1, 2});
    file.Parameter("nothing", {1}, {0});
    file.Op("greater_than", {{"X", "nothing"}, {"Y", "nothing"}},
            {{"Out", "again"}});
    file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "x"}},
            {BlockAttr(number)});
    file.Op("scale", {{"X", "x"}}, {{"Out", "y"}}, {FloatAttr("scale", 2)});
    file.Fetch("y");
    EXPECT_EQ(file.Import().status().code(), Code::kMalformed) << number;
  }
  // A block that contains itself.
  ProgramFile file({1, 2});
  file.Parameter("one", {1}, {1});
  file.Parameter("nothing", {1}, {0});
  file.Op("greater_than", {{"X", "one"}, {"Y", "nothing"}}, {{"Out", "again"}});
  const int first = Size(file);
  file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "x"}},
          {BlockAttr(1)});
  IntoBlock(file, first);
  file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "x"}},
          {BlockAttr(1)});
  file.Fetch("x");
  EXPECT_EQ(file.Import().status().code(), Code::kMalformed);
}

// Loops of more iterations than are unrolled stay loops.
TEST(PaddleControl, LongCountedLoop_BecomesWhile) {
  ProgramFile file({1, 1});
  Number(file, "i", 0, 5);
  Number(file, "turns", 3000, 5);
  file.Op("assign", {{"X", "x"}}, {{"Out", "sum"}});
  file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
  const int first = Size(file);
  file.Op("scale", {{"X", "sum"}}, {{"Out", "sum"}}, {FloatAttr("bias", 2)});
  file.Op("increment", {{"X", "i"}}, {{"Out", "i"}}, {FloatAttr("step", 1)});
  file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "again"}});
  const int body = IntoBlock(file, first);
  file.Op("while", {{"X", "sum"}, {"Condition", "again"}}, {{"Out", "sum"}},
          {BlockAttr(body)});
  file.Fetch("sum");
  EXPECT_THAT(RunConverted(file.Import(), {1, 1}, {7}), ElementsAre(6007));
}

// Each of these blocks names the next one twice: 2 to the 40th in all.
TEST(PaddleControl, NestedBlocks_AreBounded) {
  ProgramFile file({1, 2});
  file.Op("reduce_sum", {{"X", "x"}}, {{"Out", "total"}},
          {BoolAttr("reduce_all", true)});
  file.Op("greater_than", {{"X", "total"}, {"Y", "total"}}, {{"Out", "again"}});
  constexpr int kBlocks = 40;
  const int first = Size(file);
  for (int b = 1; b <= kBlocks; ++b) {
    file.Op("logical_not", {{"X", "again"}}, {{"Out", "again"}});
    for (int i = 0; i < 2 && b < kBlocks; ++i)
      file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "x"}},
              {BlockAttr(b + 1)});
    IntoBlock(file, first);
  }
  file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "x"}},
          {BlockAttr(1)});
  file.Op("scale", {{"X", "x"}}, {{"Out", "y"}}, {FloatAttr("scale", 2)});
  file.Fetch("y");
  const auto model = file.Import();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("too large"));
}

// A loop that never ends is refused instead of being unrolled without end.
TEST(PaddleControl, EndlessLoop_IsRefused) {
  ProgramFile file({1, 2});
  file.Parameter("one", {1}, {1});
  file.Parameter("nothing", {1}, {0});
  file.Op("greater_than", {{"X", "one"}, {"Y", "nothing"}}, {{"Out", "again"}});
  file.Op("assign", {{"X", "x"}}, {{"Out", "y"}});
  const int first = Size(file);
  file.Op("scale", {{"X", "y"}}, {{"Out", "y"}}, {FloatAttr("scale", 2)});
  const int body = IntoBlock(file, first);
  file.Op("while", {{"X", "y"}, {"Condition", "again"}}, {{"Out", "y"}},
          {BlockAttr(body)});
  file.Fetch("y");
  const auto model = file.Import();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("changes"));
}

}  // namespace
}  // namespace munja::importer::paddle
