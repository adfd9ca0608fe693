#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestTensor Random(const Shape& shape, uint32_t seed) {
  return Floats(shape,
                RandomFloats(static_cast<size_t>(shape.elements()), seed));
}

// 4 channels to 5, with gate and a level brought to height and width.
TestNode NodeOf(const Shape& image, const Shape& level, int32_t height,
                int32_t width) {
  TestNode node;
  node.op = "LATERAL_CONV_2D";
  node.inputs = {
      Random(image, 1),          Random({5, 1, 1, 4}, 2).Constant(),
      Random({5}, 3).Constant(), Random({image[0], 1, 1, 5}, 4),
      Random(level, 5),          Ints({2}, {height, width}).Constant()};
  return node;
}

TestTensor MustRun(const TestNode& node) {
  auto out = RunNode(node);
  EXPECT_TRUE(out.ok()) << node.op << ": " << out.status().message();
  return out->front();
}

// The output of CONV_2D, MUL, RESIZE_NEAREST_NEIGHBOR and ADD.
TestTensor UnfusedLateral(const TestNode& node) {
  const auto& in = node.inputs;
  TestTensor out = MustRun({.op = "CONV_2D", .inputs = {in[0], in[1], in[2]}});
  if (!in[3].is_absent) out = MustRun({.op = "MUL", .inputs = {out, in[3]}});
  TestNode add{.op = "ADD", .attributes = node.attributes};
  if (in[4].is_absent) return out;
  const TestTensor level = in[5].is_absent
                               ? in[4]
                               : MustRun({.op = "RESIZE_NEAREST_NEIGHBOR",
                                          .attributes = node.attributes,
                                          .inputs = {in[4], in[5]}});
  add.inputs = {out, level};
  return MustRun(add);
}

void CheckLateral(const TestNode& node) {
  const TestTensor want = UnfusedLateral(node);
  ExpectOutput<float>(node, want.shape, want.values<float>(), 5e-6);
}

// Pixels 1 and 2, weights 3 and 5, gates 10 and 1, level 100 and 200.
TEST(LateralConv2dTest, SmallCase_MatchesHandComputation) {
  TestNode node;
  node.op = "LATERAL_CONV_2D";
  node.attributes.Set("fused_activation_function", std::string("RELU6"));
  node.inputs = {
      Floats({1, 1, 2, 1}, {1, 2}),    Floats({2, 1, 1, 1}, {3, 5}).Constant(),
      Floats({2}, {-1, 1}).Constant(), Floats({1, 1, 1, 2}, {10, 1}),
      Floats({1, 1, 1, 2}, {-45, -9}), Ints({2}, {1, 2}).Constant()};
  // 10 * (3 - 1) - 45, 5 + 1 - 9; 10 * (6 - 1) - 45, 10 + 1 - 9.
  ExpectOutput<float>(node, {1, 1, 2, 2}, {0, 0, 5, 2});
}

TEST(LateralConv2dTest, AllParts_MatchUnfused) {
  for (const int batch : {1, 2}) {
    for (const int absent : {0, 2, 3, 4}) {
      TestNode node = NodeOf({batch, 6, 8, 4}, {batch, 3, 2, 5}, 6, 8);
      if (absent > 0) node.inputs[absent] = Absent();
      if (absent == 4) node.inputs.resize(4);
      if (absent == 0)
        node.attributes.Set("fused_activation_function", std::string("RELU"));
      if (absent == 4) {  // An activation belongs to ADD.
        const TestTensor want = UnfusedLateral(
            {.op = node.op,
             .inputs = {node.inputs[0], node.inputs[1], node.inputs[2],
                        node.inputs[3], Absent(), Absent()}});
        ExpectOutput<float>(node, want.shape, want.values<float>(), 5e-6);
        continue;
      }
      CheckLateral(node);
    }
  }
}

TEST(LateralConv2dTest, AnySizeAndRule_MatchesUnfused) {
  CheckLateral(NodeOf({1, 5, 7, 4}, {1, 3, 4, 5}, 5, 7));
  CheckLateral(NodeOf({1, 3, 4, 4}, {1, 7, 9, 5}, 3, 4));
  for (const char* rule : {"align_corners", "half_pixel_centers"}) {
    TestNode node = NodeOf({1, 6, 9, 4}, {1, 3, 3, 5}, 6, 9);
    node.attributes.Set(rule, true);
    CheckLateral(node);
  }
  TestNode node = NodeOf({1, 6, 9, 4}, {1, 6, 9, 5}, 6, 9);
  node.inputs[5] = Absent();
  CheckLateral(node);
  node.inputs[3] = Random({1, 1, 1, 5}, 9);
  CheckLateral(node);
}

// As ADD broadcasts.
TEST(LateralConv2dTest, BroadcastGate_MatchesUnfused) {
  CheckLateral(NodeOf({1, 1, 1, 4}, {1, 2, 3, 5}, 4, 6));
  CheckLateral(NodeOf({2, 4, 6, 4}, {1, 1, 3, 5}, 1, 6));
  CheckLateral(NodeOf({1, 4, 1, 4}, {2, 1, 3, 5}, 1, 6));
  CheckLateral(NodeOf({1, 4, 6, 4}, {1, 2, 3, 1}, 4, 6));
}

TEST(LateralConv2dTest, AnyNumberOfThreads_MatchesReference) {
  TestNode node = NodeOf({1, 80, 120, 4}, {1, 40, 60, 5}, 80, 120);
  ExpectTwinsAgree(node, 1e-5);
  node.inputs[3] = Absent();
  ExpectTwinsAgree(node, 1e-5);
}

TEST(LateralConv2dTest, InvalidNodes_AreRefused) {
  const Refusal rows[] = {
      {"want 1x1", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[1].shape = {5, 2, 2, 1};
       }},
      {"not constant", Code::kUnsupported,
       [](TestNode& n) { n.inputs[1].is_constant = false; }},
      {"4 channels", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[0] = Random({1, 6, 8, 3}, 1);
       }},
      {"bias", Code::kMalformed,
       [](TestNode& n) { n.inputs[2] = Random({4}, 1).Constant(); }},
      {"the gate", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[3] = Random({1, 1, 1, 4}, 1);
       }},
      {"broadcast", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[5] = Ints({2}, {5, 8}).Constant();
       }},
      {"not known before the run", Code::kNeedsValues,
       [](TestNode& n) { n.inputs[5].is_constant = false; }},
      {"not NHWC", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[4].shape = {3, 4, 5};
       }},
      {"int32", Code::kUnsupported,
       [](TestNode& n) { n.inputs[3].type = ElementType::kInt32; }},
  };
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.what);
    TestNode node = NodeOf({1, 6, 8, 4}, {1, 3, 4, 5}, 6, 8);
    row.change(node);
    ExpectRefused(node, row.code, row.what);
  }
}

}  // namespace
}  // namespace munja::ops
