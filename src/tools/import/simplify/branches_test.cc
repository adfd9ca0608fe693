#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/ir/builder.h"
#include "import/reference/executor.h"
#include "import/simplify/simplify.h"

namespace munja::importer {
namespace {

Tensor Wave(Dims shape, double phase) {
  int64_t count = 1;
  for (const int64_t d : shape) count *= d;
  std::vector<float> v(count);
  for (int64_t i = 0; i < count; ++i)
    v[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + phase));
  return Tensor::Floats(std::move(shape), std::move(v));
}

graph::Attributes Window(int64_t kernel, int64_t group, int64_t stride = 1) {
  const int64_t pad = kernel / 2;
  graph::Attributes a;
  a.Set("pads", std::vector<int64_t>{pad, pad, pad, pad});
  a.Set("strides", std::vector<int64_t>{stride, stride});
  a.Set("group", group);
  return a;
}

class Block {
 public:
  Block() : builder_("test") {
    x_ = builder_.AddInput("x", {1, 4, kUnknown, kUnknown}, false);
  }
  ValueId x() const { return x_; }
  ValueId Conv(int64_t kernel, int64_t group, int64_t stride = 1) {
    const double phase = static_cast<double>(kernel);
    const ValueId w =
        builder_.AddConstant("w", Wave({4, 4 / group, kernel, kernel}, phase));
    const ValueId b = builder_.AddConstant("b", Wave({4}, phase));
    return Add("Conv", {x_, w, b}, Window(kernel, group, stride));
  }
  ValueId Times(ValueId v, double phase) {
    return Add("Mul", {v, builder_.AddConstant("f", Wave({4, 1, 1}, phase))});
  }
  ValueId Plus(ValueId v, double phase) {
    return Add("Add",
               {v, builder_.AddConstant("o", Wave({1, 4, 1, 1}, phase))});
  }
  ValueId Sum(ValueId a, ValueId b) { return Add("Add", {a, b}); }
  // The model simplified; its result must be the same.
  Model Simplified(ValueId y) {
    const Model before = builder_.Finish({y});
    Model after = before;
    EXPECT_TRUE(Simplify(&after).ok());
    const Tensor input = Wave({1, 4, 5, 6}, 0.3);
    const auto expected = RunModel(before, std::span<const Tensor>(&input, 1));
    const auto got = RunModel(after, std::span<const Tensor>(&input, 1));
    EXPECT_TRUE(expected.ok() && got.ok());
    if (expected.ok() && got.ok()) {
      EXPECT_EQ((*got)[0].shape, (*expected)[0].shape);
      EXPECT_THAT((*got)[0].floats,
                  ::testing::Pointwise(::testing::FloatNear(1e-4f),
                                       (*expected)[0].floats));
    }
    return after;
  }

 private:
  ValueId Add(const char* op, std::vector<ValueId> inputs,
              graph::Attributes a = {}) {
    const auto y = builder_.Add(op, std::move(inputs), std::move(a),
                                std::string(op) + std::to_string(count_++));
    EXPECT_TRUE(y.ok()) << y.status().message();
    return y.ok() ? *y : ValueId(0);
  }
  ModelBuilder builder_;
  ValueId x_;
  int count_ = 0;
};

TEST(MergeBranches, KernelsOfEverySizeAndIdentity_AreMerged) {
  for (const int64_t group : {1, 2, 4}) {
    SCOPED_TRACE(group);
    Block b;
    const ValueId sum = b.Sum(b.Sum(b.Conv(1, group), b.Conv(3, group)),
                              b.Sum(b.Conv(5, group), b.x()));
    EXPECT_EQ(b.Simplified(sum).nodes.size(), 1u);
  }
}

TEST(MergeBranches, NormalizedBranches_AreMerged) {
  Block b;
  const ValueId convolution = b.Plus(b.Times(b.Conv(3, 4), 1), 2);
  const ValueId identity = b.Plus(b.Times(b.x(), 3), 4);
  const ValueId sum = b.Sum(identity, convolution);
  EXPECT_EQ(b.Simplified(b.Times(sum, 5)).nodes.size(), 1u);
}

TEST(MergeBranches, DifferentStrides_AreKept) {
  Block b;
  EXPECT_EQ(b.Simplified(b.Sum(b.Conv(1, 1, 2), b.Conv(3, 1, 2))).nodes.size(),
            1u);
}

TEST(MergeBranches, ResultReadTwice_IsKept) {
  Block b;
  const ValueId conv = b.Conv(3, 1);
  const ValueId sum = b.Sum(conv, b.Conv(1, 1));
  EXPECT_EQ(b.Simplified(b.Sum(sum, conv)).nodes.size(), 4u);
}

}  // namespace
}  // namespace munja::importer
