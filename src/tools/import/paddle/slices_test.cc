// Values put into parts of tensors and parts that the run finds, against NumPy,
// and with them the head of a network that reads tables: a recurrent network in
// a loop that ends when a word says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Numbers = std::vector<float>;
using Ints = std::vector<int32_t>;

void MoveIntoBlock(ProgramFile& file, int first, int number) {
  auto& main = *file.desc().mutable_blocks(0)->mutable_ops();
  for (int i = first; i < main.size(); ++i)
    *file.desc().mutable_blocks(number)->add_ops() = main[i];
  while (main.size() > first) main.RemoveLast();
}

// A constant of one number, or filled with it.
void Fill(ProgramFile& file, const std::string& name, float value, int type = 3,
          const Ints& shape = {1}) {
  file.Op("fill_constant", {}, {{"Out", name}},
          {IntsAttr("shape", shape), FloatAttr("value", value),
           IntAttr("dtype", type)});
}

Attr Scalars(const char* name, const Numbers& values) {
  Attr a;
  a.set_name(name);
  a.set_type(17);
  for (const float v : values) {
    a.add_scalars()->set_type(3);
    a.mutable_scalars(a.scalars_size() - 1)->set_r(static_cast<double>(v));
  }
  return a;
}

// Assigns to a slice of 0 to 11 as [2, 2, 3].
Numbers Put(const Ints& axes, const Ints& starts, const Ints& ends,
            const Ints& steps, const Numbers& values, const Ints& shape,
            std::vector<Attr> more = {}) {
  ProgramFile file({2, 2, 3});
  more.push_back(IntsAttr("axes", axes));
  more.push_back(IntsAttr("starts", starts));
  more.push_back(IntsAttr("ends", ends));
  more.push_back(IntsAttr("steps", steps));
  more.push_back(Scalars("values", values));
  more.push_back(IntsAttr("shape", shape));
  file.Op("set_value", {{"Input", "x"}}, {{"Out", "x"}}, std::move(more));
  Numbers rising;
  for (int i = 0; i < 12; ++i) rising.push_back(static_cast<float>(i));
  return Both(file, "x", {2, 2, 3}, rising);
}

TEST(PaddleSlices, SetValue_OfSlices) {
  // x[:, 1, ::2] = [[50], [60]]
  EXPECT_THAT(Put({1, 2}, {1, 0}, {2, 3}, {1, 2}, {50, 60}, {2, 1},
                  {IntsAttr("decrease_axes", {1})}),
              ElementsAre(0, 1, 2, 50, 4, 50, 6, 7, 8, 60, 10, 60));
  // x[1] = [7, 8, 9]
  EXPECT_THAT(
      Put({0}, {1}, {2}, {1}, {7, 8, 9}, {3}, {IntsAttr("decrease_axes", {0})}),
      ElementsAre(0, 1, 2, 3, 4, 5, 7, 8, 9, 7, 8, 9));
  // x[:, ::-1, 0:2] = [[100, 200], [300, 400]]
  EXPECT_THAT(Put({1, 2}, {2147483647, 0}, {-2147483647, 2}, {-1, 1},
                  {100, 200, 300, 400}, {2, 2}),
              ElementsAre(300, 400, 2, 100, 200, 5, 300, 400, 8, 100, 200, 11));
  // x[0, -1, -2:] = -1
  EXPECT_THAT(Put({0, 1, 2}, {0, -1, -2}, {1, 0, 2147483647}, {1, 1, 1}, {-1},
                  {1}, {IntsAttr("decrease_axes", {0, 1})}),
              ElementsAre(0, 1, 2, 3, -1, -1, 6, 7, 8, 9, 10, 11));
  // x[:, :, None, 1] = [[21], [22]]
  EXPECT_THAT(Put({2}, {1}, {2}, {1}, {21, 22}, {2, 1},
                  {IntsAttr("decrease_axes", {2}), IntsAttr("none_axes", {2})}),
              ElementsAre(0, 21, 2, 3, 22, 5, 6, 21, 8, 9, 22, 11));
  // x[:] = 5
  EXPECT_THAT(Put({}, {}, {}, {}, {5}, {1}),
              ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5));
}

TEST(PaddleSlices, SetValue_WrongCount_IsRefused) {
  ProgramFile file({2, 3});
  file.Op("set_value", {{"Input", "x"}}, {{"Out", "y"}},
          {IntsAttr("axes", {1}), IntsAttr("starts", {0}),
           IntsAttr("ends", {3}), IntsAttr("steps", {1}),
           Scalars("values", {1, 2}), IntsAttr("shape", {2})});
  file.Fetch("y");
  EXPECT_EQ(file.Import().status().code(), Code::kMalformed);
}

// x[:, a:b] and x[:, a], where a and b are the first and the last number of x.
TEST(PaddleSlices, DynamicBounds_AreRead) {
  const auto of = [](bool one, const Numbers& x) {
    ProgramFile file({1, 4});
    file.Op("cast", {{"X", "x"}}, {{"Out", "whole"}},
            {IntAttr("out_dtype", 2)});
    file.Op("slice", {{"Input", "whole"}}, {{"Out", "a"}},
            {IntsAttr("axes", {0, 1}), IntsAttr("starts", {0, 0}),
             IntsAttr("ends", {1, 1}), IntsAttr("decrease_axis", {0})});
    file.Op("slice", {{"Input", "whole"}}, {{"Out", "b"}},
            {IntsAttr("axes", {0, 1}), IntsAttr("starts", {0, 3}),
             IntsAttr("ends", {1, 4}), IntsAttr("decrease_axis", {0})});
    file.Op(
        "slice",
        {{"Input", "x"}, {"StartsTensorList", "a"}, {"EndsTensorList", "b"}},
        {{"Out", "y"}},
        {IntsAttr("axes", {1}), IntsAttr("starts", {-1}),
         IntsAttr("ends", {-1}),
         IntsAttr("decrease_axis", one ? Ints{1} : Ints{})});
    return Both(file, "y", {1, 4}, x);
  };
  EXPECT_THAT(of(false, {1, 7, 8, 3}), ElementsAre(7, 8));
  EXPECT_THAT(of(false, {-3, 7, 8, 9}), ElementsAre(7, 8, 9));
  EXPECT_THAT(of(false, {3, 7, 8, 2}), ElementsAre());
  EXPECT_THAT(of(true, {2, 7, 8, 0}), ElementsAre(8));
  EXPECT_THAT(of(true, {-2, 7, 8, 0}), ElementsAre(8));
}

// The largest integer means the end, as the largest step does for one element.
TEST(PaddleSlices, DynamicBounds_OfInt64Limits) {
  const auto largest = [](const char* name) {
    Attr a;
    a.set_name(name);
    a.set_type(11);
    a.add_longs(std::numeric_limits<int64_t>::max());
    return a;
  };
  ProgramFile part({3});
  part.Op("cast", {{"X", "x"}}, {{"Out", "whole"}}, {IntAttr("out_dtype", 3)});
  part.Op(
      "slice", {{"Input", "whole"}}, {{"Out", "a"}},
      {IntsAttr("axes", {0}), IntsAttr("starts", {0}), IntsAttr("ends", {1})});
  part.Op("slice", {{"Input", "x"}, {"StartsTensorList", "a"}}, {{"Out", "y"}},
          {IntsAttr("axes", {0}), IntsAttr("starts", {-1}), largest("ends")});
  EXPECT_THAT(Both(part, "y", {3}, {1, 20, 30}), ElementsAre(20, 30));
  ProgramFile one({3});
  one.Op("set_value", {{"Input", "x"}}, {{"Out", "y"}},
         {IntsAttr("axes", {0}), IntsAttr("starts", {1}), largest("ends"),
          largest("steps"), Scalars("values", {9}), IntsAttr("shape", {1})});
  EXPECT_THAT(Both(one, "y", {3}, {1, 2, 3}), ElementsAre(1, 9, 3));
}

// x[a:b] = values, of as many numbers as the part has.
TEST(PaddleSlices, SetValue_DynamicBounds) {
  ProgramFile file({4});
  file.Parameter("new", {2}, {70, 80});
  file.Op("cast", {{"X", "x"}}, {{"Out", "whole"}}, {IntAttr("out_dtype", 3)});
  file.Op(
      "slice", {{"Input", "whole"}}, {{"Out", "a"}},
      {IntsAttr("axes", {0}), IntsAttr("starts", {0}), IntsAttr("ends", {1})});
  file.Op("scale", {{"X", "a"}}, {{"Out", "b"}}, {FloatAttr("bias", 2)});
  file.Op("set_value",
          {{"Input", "x"},
           {"ValueTensor", "new"},
           {"StartsTensorList", "a"},
           {"EndsTensorList", "b"}},
          {{"Out", "y"}}, {IntsAttr("axes", {0}), IntsAttr("steps", {1})});
  EXPECT_THAT(Both(file, "y", {4}, {1, 20, 30, 40}),
              ElementsAre(1, 70, 80, 40));
}

Numbers Weights(int seed, int count, float scale = 0.5f) {
  Numbers w;
  for (int i = 0; i < count; ++i)
    w.push_back(static_cast<float>((i * 7 + seed * 5) % 11 - 5) * scale / 2.5f);
  return w;
}

// The head of a table structure recognizer as programs have it: attention over
// three positions of two channels and a gated unit find the next of three
// tokens, each iteration writes its token and its box into its row of tensors
// of five rows, and token 2 ends it.
ProgramFile TableHead() {
  using Vars = ProgramFile::Vars;
  constexpr int kSeed = 7;
  ProgramFile file({1, 3, 2});
  const auto weights = [&](const char* name, int seed,
                           std::vector<int64_t> dims, float scale = 0.5f) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= d;
    file.Parameter(name, std::move(dims),
                   Weights(kSeed + seed, static_cast<int>(count), scale));
  };
  weights("i2h", 1, {2, 2});
  weights("h2h", 2, {2, 2});
  weights("h2h_b", 3, {2});
  weights("score", 4, {2, 1}, 1.5f);
  weights("w_ih", 5, {6, 5});
  weights("b_ih", 6, {6});
  weights("w_hh", 7, {6, 2});
  weights("b_hh", 8, {6});
  weights("word_1", 9, {2, 2}, 1.5f);
  weights("word_1b", 10, {2});
  weights("word_2", 11, {2, 3}, 2);
  weights("word_2b", 12, {3});
  weights("box", 13, {2, 4});
  weights("box_b", 14, {4});
  Fill(file, "hidden", 0, 5, {1, 2});
  Fill(file, "words", 0, 5, {1, 5, 3});
  Fill(file, "boxes", 0, 5, {1, 5, 4});
  Fill(file, "ids", 0, 2, {1, 5});
  Fill(file, "last", 0, 2);
  Fill(file, "i", 0);
  Fill(file, "turns", 5);
  Fill(file, "is_over", 0, 0);
  // A variable that only iterations write is unspecified before the first.
  Fill(file, "word", 1e30f, 6);
  const auto test = [&] {
    file.Op("less_than", {{"X", "i"}, {"Y", "turns"}}, {{"Out", "is_less"}});
    file.Op("logical_not", {{"X", "is_over"}}, {{"Out", "goes_on"}});
    file.Op("logical_and", {{"X", "is_less"}, {"Y", "goes_on"}},
            {{"Out", "again"}});
  };
  test();
  file.desc().add_blocks();  // 1: a turn.
  file.desc().add_blocks();  // 2: the last one.
  const int first = file.block().ops_size();
  const auto linear = [&](const std::string& x, const std::string& w,
                          const std::string& b, const std::string& y,
                          bool turned = false) {
    file.Op("matmul_v2", {{"X", x}, {"Y", w}}, {{"Out", y + "_product"}},
            {BoolAttr("trans_y", turned)});
    file.Op("elementwise_add", {{"X", y + "_product"}, {"Y", b}}, {{"Out", y}});
  };
  const auto two = [&](const char* op, const std::string& a,
                       const std::string& b, const std::string& y) {
    file.Op(op, {{"X", a}, {"Y", b}}, {{"Out", y}});
  };
  file.Op("one_hot_v2", {{"X", "last"}}, {{"Out", "one_hot"}},
          {IntAttr("depth", 3)});
  file.Op("matmul_v2", {{"X", "x"}, {"Y", "i2h"}}, {{"Out", "places"}});
  linear("hidden", "h2h", "h2h_b", "state");
  file.Op("unsqueeze2", {{"X", "state"}}, {{"Out", "state_3"}},
          {IntsAttr("axes", {1})});
  two("elementwise_add", "places", "state_3", "sum");
  file.Op("tanh", {{"X", "sum"}}, {{"Out", "turned"}});
  file.Op("matmul_v2", {{"X", "turned"}, {"Y", "score"}}, {{"Out", "e"}});
  file.Op("softmax", {{"X", "e"}}, {{"Out", "alpha"}}, {IntAttr("axis", 1)});
  file.Op("transpose2", {{"X", "alpha"}}, {{"Out", "alpha_t"}},
          {IntsAttr("axis", {0, 2, 1})});
  file.Op("matmul_v2", {{"X", "alpha_t"}, {"Y", "x"}}, {{"Out", "seen_3"}});
  file.Op("squeeze2", {{"X", "seen_3"}}, {{"Out", "seen"}},
          {IntsAttr("axes", {1})});
  file.Op("concat", Vars{{"X", "seen"}, {"X", "one_hot"}}, {{"Out", "in"}},
          {IntAttr("axis", 1)});
  linear("in", "w_ih", "b_ih", "x_gates", true);
  linear("hidden", "w_hh", "b_hh", "h_gates", true);
  for (const std::string from : {"x", "h"})
    file.Op("split", {{"X", from + "_gates"}},
            {{"Out", from + "_r"}, {"Out", from + "_z"}, {"Out", from + "_c"}},
            {IntAttr("num", 3), IntAttr("axis", -1)});
  two("elementwise_add", "x_r", "h_r", "r_sum");
  file.Op("sigmoid", {{"X", "r_sum"}}, {{"Out", "r"}});
  two("elementwise_add", "x_z", "h_z", "z_sum");
  file.Op("sigmoid", {{"X", "z_sum"}}, {{"Out", "z"}});
  two("elementwise_mul", "r", "h_c", "c_reset");
  two("elementwise_add", "x_c", "c_reset", "c_sum");
  file.Op("tanh", {{"X", "c_sum"}}, {{"Out", "c"}});
  two("elementwise_sub", "hidden", "c", "more");
  two("elementwise_mul", "more", "z", "part");
  two("elementwise_add", "part", "c", "hidden_next");
  linear("hidden_next", "word_1", "word_1b", "middle");
  linear("middle", "word_2", "word_2b", "word");
  linear("hidden_next", "box", "box_b", "box_sum");
  file.Op("sigmoid", {{"X", "box_sum"}}, {{"Out", "box_now"}});
  file.Op("arg_max", {{"X", "word"}}, {{"Out", "last_next"}},
          {IntAttr("axis", 1), IntAttr("dtype", 2)});
  file.Op("scale", {{"X", "i"}}, {{"Out", "behind"}}, {FloatAttr("bias", 1)});
  for (const auto& [into, value] :
       {std::pair("words", "word"), {"boxes", "box_now"}, {"ids", "last_next"}})
    file.Op("set_value",
            {{"Input", into},
             {"ValueTensor", value},
             {"StartsTensorList", "i"},
             {"EndsTensorList", "behind"}},
            {{"Out", into}},
            {IntsAttr("axes", {1}), IntsAttr("decrease_axes", {1}),
             IntsAttr("steps", {1})});
  Fill(file, "end_word", 2, 2);
  two("equal", "ids", "end_word", "is_end");
  file.Op("reduce_any", {{"X", "is_end"}}, {{"Out", "any"}},
          {IntsAttr("dim", {-1})});
  file.Op("reduce_all", {{"X", "any"}}, {{"Out", "all"}},
          {BoolAttr("reduce_all", true)});
  file.Op("logical_not", {{"X", "all"}}, {{"Out", "not_all"}});
  file.Op("cast", {{"X", "all"}}, {{"Out", "mask"}}, {IntAttr("out_dtype", 2)});
  const int branch = file.block().ops_size();
  Fill(file, "over_yes", 1, 0);
  MoveIntoBlock(file, branch, 2);
  file.Op("conditional_block", {{"Cond", "all"}}, {{"Out", "over_yes"}},
          {BlockAttr(2)});
  file.Op("assign", {{"X", "is_over"}}, {{"Out", "over_no"}});
  file.Op("select_input",
          Vars{{"X", "over_no"}, {"X", "over_yes"}, {"Mask", "mask"}},
          {{"Out", "is_over"}});
  file.Op("assign", {{"X", "hidden_next"}}, {{"Out", "hidden"}});
  file.Op("assign", {{"X", "last_next"}}, {{"Out", "last"}});
  file.Op("assign", {{"X", "behind"}}, {{"Out", "i"}});
  test();
  MoveIntoBlock(file, first, 1);
  file.Op("while", {{"X", "x"}, {"Condition", "again"}}, {{"Out", "words"}},
          {BlockAttr(1)});
  for (const auto& [from, to] :
       {std::pair("words", "words_cut"), {"boxes", "boxes_cut"}})
    file.Op("slice", {{"Input", from}, {"EndsTensorList", "i"}}, {{"Out", to}},
            {IntsAttr("axes", {1}), IntsAttr("starts", {0}),
             IntsAttr("ends", {-1})});
  file.Op("softmax", {{"X", "words_cut"}}, {{"Out", "words_sure"}},
          {IntAttr("axis", -1)});
  return file;
}

TEST(PaddleSlices, TableRecognizer_EndToEnd) {
  const struct {
    Numbers x, words, boxes;
  } cases[] = {
      {{1, 2, -1, 0.5f, 0, -2},
       {0.938006f, 0.000182293f, 0.0618113f, 0.962355f, 5.52009e-05f,
        0.0375902f, 0.962923f, 5.32365e-05f, 0.0370235f, 0.962582f,
        5.44123e-05f, 0.0373641f, 0.962298f, 5.53983e-05f, 0.0376465f},
       {0.723593f, 0.232473f, 0.767507f, 0.707866f, 0.742239f,
        0.219766f, 0.773585f, 0.731181f, 0.742894f, 0.21939f,
        0.773136f, 0.732247f, 0.742643f, 0.219616f, 0.772548f,
        0.732122f, 0.742427f, 0.219803f, 0.772117f, 0.731987f}},
      {{-3, 1, 2, -2, 0.5f, 3},
       {0.610021f, 0.0209238f, 0.369056f, 0.770317f, 0.00482446f, 0.224859f,
        0.633903f, 0.0174127f, 0.348685f, 0.461675f, 0.0565134f, 0.481812f},
       {0.645744f, 0.29184f, 0.684752f, 0.632264f, 0.680663f, 0.27137f,
        0.661467f, 0.686931f, 0.658577f, 0.289115f, 0.628764f, 0.668256f,
        0.633846f, 0.307733f, 0.605811f, 0.643004f}},
      {{0, 0, 0, 0, 0, 0},
       {0.110397f, 0.398367f, 0.491235f},
       {0.560201f, 0.352212f, 0.648191f, 0.5297f}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(::testing::PrintToString(c.x));
    ProgramFile words = TableHead(), boxes = TableHead();
    EXPECT_THAT(Both(words, "words_sure", {1, 3, 2}, c.x),
                Pointwise(FloatNear(2e-5f), c.words));
    EXPECT_THAT(Both(boxes, "boxes_cut", {1, 3, 2}, c.x),
                Pointwise(FloatNear(2e-5f), c.boxes));
  }
}

}  // namespace
}  // namespace munja::importer::paddle
