// Which steps run by bands, and that runs give the same.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/plan.h"
#include "runtime/program.h"
#include "runtime/resolver.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using graph::ValueId;
using testing::Floats;
using testing::GraphBuilder;
using testing::View;

// Maps of 16 channels and this size are larger than a second-level cache.
constexpr int32_t kSide = 270;
constexpr int32_t kChannels = 16;

struct Convolutions {
  GraphBuilder b;

  ValueId Input(int32_t batch = 1, int32_t side = kSide) {
    return b.Input({batch, side, side, kChannels});
  }
  ValueId Depthwise(ValueId x) {
    std::vector<float> weights(9 * kChannels);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<float>(i % 7) * 0.1f - 0.3f;
    return Node("DEPTHWISE_CONV_2D",
                {x, b.Constant({1, 3, 3, kChannels}, weights)}, x);
  }
  ValueId Mean(ValueId x) {
    const ValueId v =
        b.Add("MEAN", {x, b.Constant({2}, std::vector<int32_t>{1, 2})});
    b.sub().nodes.back().attributes.Set("keep_dims", true);
    b.sub().values[v].shape = {1, 1, 1, kChannels};
    return v;
  }
  ValueId Node(const char* op, std::vector<ValueId> inputs, ValueId like) {
    const ValueId v = b.Add(op, std::move(inputs));
    b.sub().nodes.back().attributes.Set("padding", std::string("SAME"));
    b.sub().values[v].shape = b.sub().values[like].shape;
    return v;
  }
};

std::unique_ptr<Plan> PlanOf(const graph::Graph& graph,
                             const SessionOptions& options,
                             std::shared_ptr<const Program>* program) {
  static ThreadPool pool(2);
  auto compiled = Program::Compile(graph, 0, options, Resolver());
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  *program = *compiled;
  std::vector<Shape> shapes;
  for (const ValueId v : graph.main().inputs)
    shapes.push_back(graph.main().values[v].shape);
  auto plan = Plan::Make(**program, shapes, pool);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::move(*plan);
}

size_t BandedSteps(const graph::Graph& graph,
                   const SessionOptions& options = {}) {
  std::shared_ptr<const Program> program;
  return PlanOf(graph, options, &program)->banded_steps();
}

TEST(PlanChains, InnerMaps_AreNotStored) {
  Convolutions c;
  c.b.Output(c.Depthwise(c.Depthwise(c.Depthwise(c.Input()))));
  std::shared_ptr<const Program> program;
  const auto plan = PlanOf(c.b.graph(), {}, &program);
  EXPECT_EQ(plan->banded_steps(), 3u);
  const size_t map = size_t{kSide} * kSide * kChannels * sizeof(float);
  EXPECT_LT(plan->arena_bytes(), map + map / 2);
  SessionOptions plain;
  plain.run_passes = false;
  const auto whole = PlanOf(c.b.graph(), plain, &program);
  EXPECT_EQ(whole->banded_steps(), 0u);
  EXPECT_GE(whole->arena_bytes(), 2 * map);
}

TEST(PlanChains, IntegerMaps_AreNotStored) {
  for (const ElementType type : {ElementType::kInt8, ElementType::kInt16}) {
    GraphBuilder b;
    const Shape shape{1, 2 * kSide, 2 * kSide, kChannels};
    const auto quantize = [&](ValueId v) {
      b.sub().values[v].quantization = {{1.0f / 64}, {0}, 0};
      return v;
    };
    ValueId x = quantize(b.Input(shape, type));
    for (int i = 0; i < 3; ++i) x = quantize(b.Add("RELU6", {x}, type));
    b.Output(x);
    std::shared_ptr<const Program> program;
    const auto plan = PlanOf(b.graph(), {}, &program);
    EXPECT_EQ(plan->banded_steps(), 3u) << ElementTypeName(type);
    const size_t map =
        static_cast<size_t>(shape.elements()) * ElementSize(type);
    EXPECT_LT(plan->arena_bytes(), map + map / 2) << ElementTypeName(type);
  }
}

TEST(PlanChains, MapReadOutside_EndsTheChain) {
  Convolutions c;
  const ValueId x = c.Depthwise(c.Depthwise(c.Input()));
  const ValueId mean = c.Mean(x);
  ValueId y = c.Node("MUL", {x, mean}, x);
  y = c.Depthwise(y);
  c.b.Output(y);
  // Two before the mean, two behind it.
  EXPECT_EQ(BandedSteps(c.b.graph()), 4u);
  std::shared_ptr<const Program> program;
  EXPECT_EQ(PlanOf(c.b.graph(), {}, &program)->steps(), 5u);
}

TEST(PlanChains, ModelOutputs_AreStored) {
  Convolutions c;
  const ValueId x = c.Depthwise(c.Input());
  c.b.Output(c.Depthwise(x));
  c.b.Output(x);
  EXPECT_EQ(BandedSteps(c.b.graph()), 0u);
}

TEST(PlanChains, SmallMapsAndBatches_AreNotChained) {
  Convolutions small;
  small.b.Output(small.Depthwise(small.Depthwise(small.Input(1, 40))));
  EXPECT_EQ(BandedSteps(small.b.graph()), 0u);
  Convolutions batch;
  batch.b.Output(batch.Depthwise(batch.Depthwise(batch.Input(2))));
  EXPECT_EQ(BandedSteps(batch.b.graph()), 0u);
}

TEST(PlanChains, ReferenceKernels_AreNotChained) {
  Convolutions c;
  c.b.Output(c.Depthwise(c.Depthwise(c.Input())));
  SessionOptions options;
  options.reference_kernels = true;
  EXPECT_EQ(BandedSteps(c.b.graph(), options), 0u);
}

// The first two steps wait for the last one, beyond those that lie between.
TEST(PlanChains, Runs_MatchWholeMaps) {
  Convolutions c;
  const ValueId a = c.Input(), b = c.Input();
  const ValueId x = c.Depthwise(c.Depthwise(a));
  ValueId y = c.Depthwise(b);
  y = c.Node("MUL", {y, c.Mean(y)}, y);
  c.b.Output(c.Node("ADD", {x, c.Depthwise(y)}, x));
  EXPECT_EQ(BandedSteps(c.b.graph()), 4u);  // The last one takes the sum.

  const Shape shape{1, kSide, kSide, kChannels};
  std::vector<float> in(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i * 7919 % 1009) / 500.0f - 1.0f;
  const auto graph = c.b.Take();
  std::vector<float> expected;
  for (const int threads : {0, 1, 2, 4}) {  // 0: whole maps.
    SessionOptions options;
    options.run_passes = threads > 0;
    options.pool = std::make_shared<ThreadPool>(std::max(threads, 1));
    auto session = CreateSession(graph, options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    const std::vector<TensorView> inputs = {View(in, shape), View(in, shape)};
    for (int run = 0; run < 2; ++run) {
      auto outputs = (*session)->Run(inputs);
      ASSERT_TRUE(outputs.ok()) << outputs.status().message();
      const std::vector<float> got = Floats((*outputs)[0]);
      if (expected.empty()) expected = got;
      EXPECT_TRUE(got == expected) << threads;
    }
  }
}

}  // namespace
}  // namespace munja::runtime
