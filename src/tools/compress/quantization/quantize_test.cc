#include "compress/quantization/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "compress/calibration/check_samples.h"
#include "compress/quantization/emit.h"
#include "compress/quantization/prepare.h"
#include "compress/quantization/tune_bias.h"
#include "compress/testing.h"

namespace munja::compress {
namespace {

using testing::Noise;
using testing::Outputs;
using testing::Pictures;
using testing::RelativeError;
using testing::SmallNetwork;

// Error on images that were not used for calibration.
double ErrorOf(const graph::Graph& model, const QuantizeOptions& options) {
  const auto quantized = Quantize(model, Pictures(8, 24, 1), options);
  EXPECT_TRUE(quantized.ok()) << quantized.status().message();
  if (!quantized.ok()) return 1;
  const auto fresh = Pictures(4, 32, 2);
  return RelativeError(Outputs(model, fresh), Outputs(quantized->graph, fresh));
}

int Count(const graph::Graph& graph, const std::string& op) {
  int n = 0;
  for (const graph::Node& node : graph.main().nodes) n += node.op == op;
  return n;
}

TEST(Quantize, Map_SurvivesEveryMode) {
  const graph::Graph model = SmallNetwork(0, 1);
  const struct {
    Precision mode;
    double most;
  } rows[] = {{Precision::kInt8, 5e-3},
              {Precision::kInt16, 2e-4},
              {Precision::kDynamic, 5e-3},
              {Precision::kWeights, 2e-4}};
  for (const auto& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.mode));
    QuantizeOptions options;
    options.mode = row.mode;
    EXPECT_LE(ErrorOf(model, options), row.most);
  }
}

TEST(Quantize, Classes_SurviveEveryMode) {
  const graph::Graph model = SmallNetwork(20, 2);
  for (const Precision mode : {Precision::kInt8, Precision::kInt16,
                               Precision::kDynamic, Precision::kWeights}) {
    SCOPED_TRACE(static_cast<int>(mode));
    QuantizeOptions options;
    options.mode = mode;
    EXPECT_LE(ErrorOf(model, options), 1e-2);
  }
}

// Decisions are taken at the threshold that reading uses.
TEST(Quantize, Decisions_UseTheThreshold) {
  const graph::Graph model = SmallNetwork(0, 1);
  const auto pictures = Pictures(8, 24, 1);
  QuantizeOptions options;
  options.range.method = RangeMethod::kMinMax;
  options.rounding.error_feedback = false;
  double most = 0;
  for (const float threshold : {0.2f, 0.4f, 0.5f, 0.6f}) {
    options.decision_threshold = threshold;
    const auto quantized = Quantize(model, pictures, options);
    ASSERT_TRUE(quantized.ok()) << quantized.status().message();
    const auto want = Outputs(model, pictures),
               got = Outputs(quantized->graph, pictures);
    ASSERT_EQ(want.size(), got.size());
    double changed = 0, all = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      for (size_t k = 0; k < want[i].size(); ++k, ++all)
        changed += (want[i][k] > threshold) != (got[i][k] > threshold);
    }
    const double share = changed / all;
    EXPECT_NEAR(quantized->report.decisions, share, 1e-9) << threshold;
    most = std::max(most, share);
  }
  EXPECT_GT(most, 0);
}

TEST(Quantize, EveryStep_IsOptional) {
  const graph::Graph model = SmallNetwork(0, 1);
  for (int step = 0; step < 5; ++step) {
    SCOPED_TRACE(step);
    QuantizeOptions options;
    options.equalize = step != 0;
    options.rounding.error_feedback = step != 1;
    options.rounding.correct_bias = step != 2;
    options.tune_bias = step != 3;
    if (step == 4) options.range.method = RangeMethod::kMinMax;
    EXPECT_LE(ErrorOf(model, options), 1e-2);
  }
}

TEST(Quantize, InputsAndOutputs_AreFloatByDefault) {
  const graph::Graph model = SmallNetwork(0, 1);
  const auto samples = Pictures(4, 24, 1);
  const auto plain = Quantize(model, samples, {});
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  const auto type = [](const graph::Graph& g, graph::ValueId v) {
    return g.main().values[static_cast<size_t>(v)].type;
  };
  EXPECT_EQ(type(plain->graph, plain->graph.main().inputs[0]),
            ElementType::kFloat32);
  EXPECT_EQ(Count(plain->graph, "QUANTIZE"), 1);
  EXPECT_EQ(Count(plain->graph, "DEQUANTIZE"), 1);
  QuantizeOptions options;
  options.integer_io = true;
  const auto bare = Quantize(model, samples, options);
  ASSERT_TRUE(bare.ok()) << bare.status().message();
  EXPECT_EQ(type(bare->graph, bare->graph.main().inputs[0]),
            ElementType::kInt8);
  EXPECT_EQ(Count(bare->graph, "QUANTIZE"), 0);
  EXPECT_EQ(Count(bare->graph, "DEQUANTIZE"), 0);
  const graph::ValueId out = bare->graph.main().outputs[0];
  const Quantization& q =
      bare->graph.main().values[static_cast<size_t>(out)].quantization;
  ASSERT_TRUE(q.is_quantized());
  // Prescribed: a map of probabilities needs every level between 0 and 1.
  EXPECT_EQ(q.scales[0], 1.0f / 256);
  EXPECT_EQ(q.zero_points[0], -128);
  EXPECT_LE(
      RelativeError(Outputs(model, samples), Outputs(bare->graph, samples)),
      5e-3);
}

TEST(Quantize, Gate_NeedsNoClamp) {
  const auto quantized = Quantize(SmallNetwork(0, 1), Pictures(4, 24, 1), {});
  ASSERT_TRUE(quantized.ok()) << quantized.status().message();
  EXPECT_EQ(Count(quantized->graph, "RELU_0_TO_1"), 0);
}

TEST(Quantize, KeptLayers_StayFloat) {
  QuantizeOptions options;
  options.keep = {"stem*", "logit"};
  const auto quantized =
      Quantize(SmallNetwork(0, 1), Pictures(4, 24, 1), options);
  ASSERT_TRUE(quantized.ok()) << quantized.status().message();
  const graph::Subgraph& main = quantized->graph.main();
  for (const graph::Node& node : main.nodes) {
    const graph::Value& out = main.values[static_cast<size_t>(node.outputs[0])];
    if (out.name == "stem" || out.name == "stem_gelu" || out.name == "logit") {
      EXPECT_EQ(out.type, ElementType::kFloat32) << out.name;
    }
    if (out.name == "project") {
      EXPECT_EQ(out.type, ElementType::kInt8);
    }
  }
}

// Layers with weights count, what stands behind one goes with it.
TEST(Quantize, FirstLayers_CanBeInt16) {
  const graph::Graph model = SmallNetwork(0, 1);
  const auto samples = Pictures(4, 24, 1);
  double loss = INFINITY;
  for (const int layers : {0, 2, 100}) {
    SCOPED_TRACE(layers);
    QuantizeOptions options;
    options.wide_layers = layers;
    const auto quantized = Quantize(model, samples, options);
    ASSERT_TRUE(quantized.ok()) << quantized.status().message();
    EXPECT_EQ(quantized->report.layers, 7);
    const graph::Subgraph& main = quantized->graph.main();
    for (const graph::Value& value : main.values) {
      const bool is_first = value.name == "stem" || value.name == "depthwise";
      const bool is_later = value.name == "expand" || value.name == "project";
      if (!is_first && !is_later) continue;
      const bool is_wide = layers >= (is_first ? 2 : 7);
      EXPECT_EQ(value.type, is_wide ? ElementType::kInt16 : ElementType::kInt8)
          << value.name;
    }
    EXPECT_LT(quantized->report.loss, loss);
    loss = quantized->report.loss;
  }
}

TEST(Quantize, MaxLoss_IsMet) {
  const graph::Graph model = SmallNetwork(0, 1);
  const auto samples = Pictures(4, 24, 1);
  const auto all = Quantize(model, samples, {});
  ASSERT_TRUE(all.ok()) << all.status().message();
  ASSERT_GT(all->report.loss, 0);
  QuantizeOptions options;
  options.max_loss = all->report.loss * 0.8;
  const auto some = Quantize(model, samples, options);
  ASSERT_TRUE(some.ok()) << some.status().message();
  EXPECT_LE(some->report.loss, options.max_loss);
  EXPECT_LT(some->report.integer_nodes, all->report.integer_nodes);
  EXPECT_GT(some->report.integer_nodes, 0);
  ASSERT_FALSE(some->report.sensitivity.empty());
  EXPECT_TRUE(some->report.sensitivity[0].is_kept);
  // The layers that it says it kept are float, and no others.
  const graph::Subgraph& main = some->graph.main();
  size_t kept = 0, seen = 0;
  for (const Sensitivity& row : some->report.sensitivity) {
    kept += row.is_kept;
    const auto value = std::ranges::find(main.values, row.name,
                                         [](const auto& v) { return v.name; });
    if (value == main.values.end()) continue;  // One with what follows it.
    ++seen;
    EXPECT_EQ(value->type,
              row.is_kept ? ElementType::kFloat32 : ElementType::kInt8)
        << row.name;
  }
  EXPECT_GE(seen, 4u);
  EXPECT_EQ(some->report.sensitivity.size(), 7u);
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, 7u);
}

// Whatever the clock says meanwhile, and however many threads there are.
TEST(Quantize, SameInput_SameModel) {
  const graph::Graph model = SmallNetwork(0, 1);
  const auto samples = Pictures(4, 24, 1);
  QuantizeOptions options;
  const auto all = Quantize(model, samples, options);
  ASSERT_TRUE(all.ok()) << all.status().message();
  options.max_loss = all->report.loss * 0.8;
  const auto first = Quantize(model, samples, options);
  ASSERT_TRUE(first.ok()) << first.status().message();
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    options.pool = std::make_shared<ThreadPool>(threads);
    const auto again = Quantize(model, samples, options);
    ASSERT_TRUE(again.ok()) << again.status().message();
    const graph::Subgraph& a = first->graph.main();
    const graph::Subgraph& b = again->graph.main();
    ASSERT_EQ(a.values.size(), b.values.size());
    for (size_t v = 0; v < a.values.size(); ++v) {
      SCOPED_TRACE(a.values[v].name);
      EXPECT_EQ(a.values[v].name, b.values[v].name);
      EXPECT_EQ(a.values[v].type, b.values[v].type);
      EXPECT_EQ(a.values[v].quantization, b.values[v].quantization);
      ASSERT_EQ(a.values[v].constant.has_value(),
                b.values[v].constant.has_value());
      if (!a.values[v].constant) continue;
      EXPECT_TRUE(std::ranges::equal(a.values[v].constant->bytes,
                                     b.values[v].constant->bytes));
    }
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    for (size_t n = 0; n < a.nodes.size(); ++n)
      EXPECT_EQ(a.nodes[n].op, b.nodes[n].op);
  }
}

TEST(Quantize, TunedBias_KeepsTheMeans) {
  QuantizeOptions options;
  options.equalize = options.tune_bias = false;
  options.rounding = {false, false};
  const graph::Graph model = SmallNetwork(0, 3);
  const double before = ErrorOf(model, options);
  options.tune_bias = true;
  EXPECT_LE(ErrorOf(model, options), before * 1.2);
}

// The last layer is tuned last, when all before it are as they will be: its
// mean is off by a step of its integers at most, however many there are of
// them.
TEST(Quantize, TunedBias_OfTheLastLayer) {
  graph::Graph model = SmallNetwork(0, 3);
  graph::Subgraph& main = model.main();
  main.nodes.pop_back();  // Without the LOGISTIC.
  main.outputs = {main.nodes.back().outputs[0]};
  const auto pictures = Pictures(4, 24, 1);
  const auto mean = [&](const graph::Graph& graph, float* largest) {
    double sum = 0;
    size_t count = 0;
    for (const auto& values : Outputs(graph, pictures)) {
      count += values.size();
      for (const float x : values) {
        sum += x;
        *largest = std::max(*largest, std::abs(x));
      }
    }
    return sum / static_cast<double>(count);
  };
  float largest = 0;
  const double wanted = mean(model, &largest);
  ASSERT_GT(largest, 0);
  const struct {
    Precision mode;
    double step;
  } rows[] = {{Precision::kInt8, 2 * largest / 255.0},
              {Precision::kInt16, largest / 32767.0}};
  for (const auto& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.mode));
    QuantizeOptions options;
    options.mode = row.mode;
    options.range.method = RangeMethod::kMinMax;
    options.equalize = false;
    options.rounding = {false, false};
    float ignored = 0;
    options.tune_bias = false;
    const auto plain = Quantize(model, pictures, options);
    ASSERT_TRUE(plain.ok()) << plain.status().message();
    options.tune_bias = true;
    const auto tuned = Quantize(model, pictures, options);
    ASSERT_TRUE(tuned.ok()) << tuned.status().message();
    const double off = std::abs(mean(tuned->graph, &ignored) - wanted);
    EXPECT_LE(off, row.step);
    EXPECT_LT(off, std::abs(mean(plain->graph, &ignored) - wanted));
  }
}

// The most common failure of OCR models: ranges of noise fit no image.
TEST(Quantize, NoiseCalibration_IsReported) {
  EXPECT_GT(CheckSamples(Pictures(4, 24, 1)).neighbor_correlation, 0.8);
  const SampleCheck check = CheckSamples(Noise(4, 24, 1));
  EXPECT_LT(check.neighbor_correlation, 0.1);
  const Status status = RefuseNoise(check);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("neighboring pixels correlate by"),
            std::string_view::npos);
  EXPECT_TRUE(RefuseNoise(CheckSamples(Pictures(4, 24, 1))).ok());
}

TEST(Quantize, BlankCalibration_IsReported) {
  auto samples = Pictures(4, 24, 1);
  for (Sample& sample : samples)
    for (float& x : sample[0].values) x = 0.5f;
  const Status status = RefuseNoise(CheckSamples(samples));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("blank"), std::string_view::npos);
}

TEST(Quantize, OtherModels_AreRefused) {
  const graph::Graph model = SmallNetwork(0, 1);
  EXPECT_EQ(Quantize(model, {}, {}).status().code(), Code::kInvalidArgument);
  // A sample of the wrong size.
  auto samples = Pictures(1, 24, 1);
  samples[0][0].values.pop_back();
  EXPECT_EQ(Quantize(model, samples, {}).status().code(),
            Code::kInvalidArgument);
  // Twice.
  const auto once = Quantize(model, Pictures(1, 24, 1), {});
  ASSERT_TRUE(once.ok());
  EXPECT_EQ(Quantize(once->graph, Pictures(1, 24, 1), {}).status().code(),
            Code::kUnsupported);
  // Values that are not finite, with the tensor's name.
  samples = Pictures(1, 24, 1);
  samples[0][0].values[7] = std::numeric_limits<float>::infinity();
  const auto infinite = Quantize(model, samples, {});
  ASSERT_FALSE(infinite.ok());
  EXPECT_EQ(infinite.status().code(), Code::kMalformed);
  EXPECT_NE(infinite.status().message().find("pictures"),
            std::string_view::npos);
}

// Numbers so small that a part of the largest one is 0 in float.
TEST(Quantize, TinyConstants_HaveAScale) {
  testing::NetworkBuilder b(1);
  const Shape image = {1, kDynamic, kDynamic, 3};
  const graph::ValueId x = b.Tensor("pictures", image);
  b.main().inputs = {x};
  const graph::ValueId tiny =
      b.Constant<float>({3}, ElementType::kFloat32, {1e-42f, 0, -1e-43f});
  b.Add("ADD", {x, tiny}, "sum", image)
      .attributes.Set("fused_activation_function", std::string("NONE"));
  b.Conv(b.Last(), 3, 4, 3, "conv");
  b.main().outputs = {b.Last()};
  const graph::Graph model = b.Take();
  for (const Precision mode : {Precision::kInt8, Precision::kInt16}) {
    SCOPED_TRACE(static_cast<int>(mode));
    QuantizeOptions options;
    options.mode = mode;
    const auto quantized = Quantize(model, Pictures(1, 24, 1), options);
    ASSERT_TRUE(quantized.ok()) << quantized.status().message();
    int scales = 0;
    for (const graph::Value& value : quantized->graph.main().values)
      for (const float scale : value.quantization.scales) {
        EXPECT_GT(scale, 0) << value.name;
        ++scales;
      }
    EXPECT_GE(scales, 4);
    EXPECT_LE(ErrorOf(model, options), 5e-3);
  }
}

}  // namespace
}  // namespace munja::compress
