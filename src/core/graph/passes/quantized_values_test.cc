#include <gtest/gtest.h>

#include <string>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::GraphBuilder;
using testing::Listing;

// Every value that is not an integer list becomes int8 with a scale.
void Quantize(GraphBuilder& b) {
  for (Value& value : b.sub().values) {
    if (value.type != ElementType::kFloat32) continue;
    value.type = ElementType::kInt8;
    value.quantization = {{0.5f}, {3}};
    if (value.constant) {
      const auto count = static_cast<size_t>(value.shape.elements());
      value.constant = MakeConstant(std::vector<uint8_t>(count, 4));
    }
  }
}

// Passes on floats change the scale of intermediate values;
// they leave quantized values alone. Not so fuse_padding, which adds up nothing
// and has its own test.
TEST(QuantizedValuesTest, Fusions_LeaveQuantizedValuesUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 1});
  const ValueId pad =
      b.Add("pad", "PAD", {x, b.Ints("by", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0})});
  ValueId v = b.Conv("conv", pad, 1, 2, {{"padding", std::string("VALID")}});
  v = b.Add("scaled", "MUL", {v, b.Floats("scale", {2}, {2, 3})});
  v = b.Add("shifted", "ADD", {v, b.Floats("shift", {2}, {1, 1})});
  v = b.Add("relu", "RELU6", {v});
  const ValueId branch = b.Conv("branch", x, 1, 2);
  v = b.Add("sum", "ADD", {v, branch});
  v = b.Add("swish", "HARD_SWISH", {v});
  const ValueId gate = b.Add("gate", "LOGISTIC", {v});
  const ValueId product = b.Add("product", "MUL", {v, gate});
  b.Output(b.Add("gated", "ADD", {v, product}));
  Quantize(b);
  const std::string before = Listing(b.sub());
  for (const char* pass :
       {"layout", "fuse_hard_sigmoid", "fold_batch_norm", "fold_bias",
        "fold_input_affine", "fold_gate", "commute_mean", "fuse_activation",
        "fuse_lateral", "fuse_residual", "fuse_arg_max_score",
        "fuse_concatenation", "split_concatenation"}) {
    EXPECT_EQ(testing::After(b, pass), before) << pass;
  }
}

}  // namespace
}  // namespace munja::graph
