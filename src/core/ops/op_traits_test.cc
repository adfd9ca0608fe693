#include "graph/op_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/elementwise/activation.h"
#include "ops/expect.h"
#include "ops/support/window.h"

namespace munja::ops {
namespace {

struct Row {
  std::string_view op, stem;
};
constexpr Row kOps[] = {
#define OP(name, stem, first, last) {#name, #stem},
#include "ops/ops.def"
#undef OP
};

// Operators of which passes, plans and the quantizer know nothing, on purpose:
// their shapes are found by running them, they have no effects, read elements,
// are no activations and stay in float.
constexpr std::string_view kNoFacts[] = {
    "ADD_N",
    "ARG_MAX",
    "ARG_MIN",
    "BATCH_MATMUL",
    "BATCH_TO_SPACE_ND",
    "ARG_MAX_WITH_SCORE",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "BITCAST",
    "BROADCAST_ARGS",
    "BUCKETIZE",
    "COMPLEX_ABS",
    "CONV_3D",
    "CONV_3D_TRANSPOSE",
    "DENSIFY",
    "DILATE",
    "DYNAMIC_UPDATE_SLICE",
    "EMBEDDING_LOOKUP",
    "EMBEDDING_LOOKUP_SPARSE",
    "HASHTABLE_LOOKUP",
    "IMAG",
    "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LSH_PROJECTION",
    "LSTM",
    "MATRIX_DIAG",
    "MATRIX_SET_DIAG",
    "MIRROR_PAD",
    "MunjaDeformConv",
    "MunjaGridSample",
    "MunjaRecurrent",
    "MunjaRoiAlign",
    "MunjaScatter",
    "MunjaSelectBoxes",
    "MunjaUnique",
    "NON_MAX_SUPPRESSION_V4",
    "NON_MAX_SUPPRESSION_V5",
    "ONE_HOT",
    "RANGE",
    "REAL",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_WINDOW",
    "REVERSE_SEQUENCE",
    "RFFT2D",
    "RNN",
    "SCATTER_ND",
    "SEGMENT_SUM",
    "SELECT",
    "SELECT_V2",
    "SKIP_GRAM",
    "SPACE_TO_BATCH_ND",
    "SPARSE_TO_DENSE",
    "STABLEHLO_COMPOSITE",
    "SVDF",
    "TFLite_Detection_PostProcess",
    "TOPK_V2",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "UNIQUE",
    "UNSORTED_SEGMENT_MAX",
    "UNSORTED_SEGMENT_MIN",
    "UNSORTED_SEGMENT_PROD",
    "UNSORTED_SEGMENT_SUM",
    "WHERE",
};

bool HasNoFacts(std::string_view op) {
  return std::find(std::begin(kNoFacts), std::end(kNoFacts), op) !=
         std::end(kNoFacts);
}

TEST(OpTraitsTest, EachOperator_HasARowOrIsListedWithoutOne) {
  for (const Row& row : kOps)
    EXPECT_NE(!graph::TraitsOf(row.op).op.empty(), HasNoFacts(row.op))
        << row.op
        << " needs a row in src/core/graph/op_traits.cc or, when there is "
        << "nothing to say, its name in kNoFacts; not both";
}

TEST(OpTraitsTest, ListWithoutTraits_HasOnlyOperators) {
  for (const std::string_view op : kNoFacts)
    EXPECT_TRUE(std::any_of(std::begin(kOps), std::end(kOps),
                            [&](const Row& row) { return row.op == op; }))
        << op;
}

// One to six elements, all of them 1.
TestTensor Ones(ElementType type, Shape shape) {
  const auto n = static_cast<size_t>(shape.elements());
  switch (type) {
    case ElementType::kFloat32:
      return Floats(shape, std::vector<float>(n, 1.0f));
    case ElementType::kInt8:
      return Int8s(shape, std::vector<int8_t>(n, 1), 1.0f, 0);
    case ElementType::kBool:
      return MakeTensor(type, shape, std::vector<uint8_t>(n, 1));
    default:
      return Ints(shape, std::vector<int32_t>(n, 1));
  }
}

// Every operator of these rules, with each type that it takes.
TEST(OpTraitsTest, Shapes_MatchTheTable) {
  constexpr ElementType kTypes[] = {ElementType::kFloat32, ElementType::kInt32,
                                    ElementType::kInt8, ElementType::kBool};
  for (const Row& row : kOps) {
    const graph::ShapeRule rule = graph::TraitsOf(row.op).shape;
    if (rule != graph::ShapeRule::kSame && rule != graph::ShapeRule::kBroadcast)
      continue;
    const bool is_broadcast = rule == graph::ShapeRule::kBroadcast;
    int runs = 0;
    for (const ElementType in : kTypes) {
      for (const ElementType out : kTypes) {
        for (const bool is_second : {false, true}) {
          TestNode node{.op = std::string(row.op)};
          node.attributes = Options({{"min", -1.0},
                                     {"max", 1.0},
                                     {"num_bits", int64_t{8}},
                                     {"beta", 1.0}});
          node.inputs = {Ones(in, {2, 1, 3})};
          // One that enlarges the other and one that does not; an axis.
          if (is_broadcast)
            node.inputs.push_back(Ones(in, is_second ? Shape{3} : Shape{4, 1}));
          else if (is_second)
            node.inputs.push_back(Ints({1}, {1}).Constant());
          node.outputs = {{out, {{1.0f}, {0}}}};
          const auto result = RunNode(node, {});
          if (!result.ok()) continue;
          ++runs;
          EXPECT_EQ((*result)[0].shape, is_broadcast && !is_second
                                            ? Shape({2, 4, 3})
                                            : Shape({2, 1, 3}))
              << row.op;
        }
      }
    }
    EXPECT_GT(runs, 0) << row.op;
  }
}

TEST(OpTraitsTest, EachActivation_CanBeFused) {
  for (const Row& row : kOps) {
    if (row.stem != "activation") continue;
    graph::Node node;
    node.op = row.op;
    graph::Attributes fused;
    const Status status = graph::SetFusedActivation(node, fused);
    ASSERT_TRUE(status.ok()) << status.message();
    const auto activation = ParseActivation(fused);
    ASSERT_TRUE(activation.ok()) << activation.status().message();
    EXPECT_NE(activation->kind, kernels::ActivationKind::kNone) << row.op;
  }
}

TEST(OpTraitsTest, OperatorsNamedAfterActivations_AreFused) {
  int found = 0;
  for (const kernels::ActivationRow& activation : kernels::ActivationRows()) {
    if (std::none_of(std::begin(kOps), std::end(kOps),
                     [&](const Row& row) { return row.op == activation.name; }))
      continue;
    ++found;
    graph::Node node;
    node.op = activation.name;
    EXPECT_NE(graph::TraitsOf(node).activation.fusion, graph::Fusion::kNone)
        << node.op;
    EXPECT_EQ(graph::FindClamp(node).has_value(),
              activation.rule == kernels::ActivationRow::kClamp)
        << node.op;
  }
  EXPECT_GE(found, 11);  // All but NONE and GELU_TANH, which is a GELU.
}

TEST(OpTraitsTest, Clamps_MatchTheTable) {
  for (const Row& row : kOps) {
    graph::Node node;
    node.op = row.op;
    const auto clamp = graph::FindClamp(node);
    if (!clamp) continue;
    graph::Attributes fused;
    ASSERT_TRUE(graph::SetFusedActivation(node, fused).ok());
    const auto activation = ParseActivation(fused);
    ASSERT_TRUE(activation.ok()) << activation.status().message();
    for (const float x : {-9.0f, -1.0f, -0.5f, 0.0f, 0.5f, 1.0f, 5.0f, 9.0f})
      EXPECT_EQ(kernels::reference::Activate(*activation, x),
                static_cast<float>(std::clamp(static_cast<double>(x),
                                              clamp->low, clamp->high)))
          << row.op << " of " << x;
  }
}

}  // namespace
}  // namespace munja::ops
