#include "tflite_api/external_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tflite_api/external_testing.h"
// Numbers in texts are not read: no need for the library that does it.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include "flatbuffers/flexbuffers.h"
#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using testing::ModelBuilder;
using testing::OneOperator;
using testing::ResolverWith;
using testing::RunOn;

Result<std::unique_ptr<runtime::Session>> CreateWith(
    std::shared_ptr<const graph::Graph> graph,
    std::shared_ptr<const runtime::Resolver> resolver) {
  runtime::SessionOptions options;
  options.resolver = std::move(resolver);
  return runtime::CreateSession(std::move(graph), options);
}

TfLiteStatus SameShape(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, ::tflite::NumInputs(node), 1);
  TF_LITE_ENSURE_EQ(context, ::tflite::NumOutputs(node), 1);
  const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
  TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
  return context->ResizeTensor(context, out, TfLiteIntArrayCopy(in->dims));
}

TfLiteStatus SinEval(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
  TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
  for (int64_t i = 0; i < ::tflite::NumElements(in); ++i)
    out->data.f[i] = std::sin(in->data.f[i]);
  return kTfLiteOk;
}

TEST(ExternalOperatorTest, Sin_Runs) {
  TfLiteRegistration sin{};
  sin.prepare = SameShape;
  sin.invoke = SinEval;
  auto session =
      CreateWith(OneOperator("Sin", {5}, {5}), ResolverWith("Sin", sin));
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto result = RunOn(**session, {-8, 0.5f, 2, 2.2f, 201}, {5});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.values,
              ElementsAre(FloatEq(std::sin(-8.0f)), FloatEq(std::sin(0.5f)),
                          FloatEq(std::sin(2.0f)), FloatEq(std::sin(2.2f)),
                          FloatEq(std::sin(201.0f))));
}

TEST(ExternalOperatorTest, MissingOperator_IsNamed) {
  auto session = CreateWith(OneOperator("Sin", {5}, {5}),
                            std::make_shared<runtime::Resolver>());
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "missing operators: custom Sin (1 node)");
}

// Calls for each object that init made.
struct Life {
  int inits = 0, frees = 0, invokes = 0;
  std::vector<std::vector<int>> prepared;  // Input dimensions.
  std::string options;
};
Life g_life;

TfLiteRegistration Counting() {
  g_life = {};
  TfLiteRegistration r{};
  r.init = [](TfLiteContext*, const char* buffer, size_t length) -> void* {
    ++g_life.inits;
    if (length > 0) g_life.options.assign(buffer, length);
    return new int(0);
  };
  r.free = [](TfLiteContext*, void* data) {
    ++g_life.frees;
    delete static_cast<int*>(data);
  };
  r.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    const TfLiteIntArray* dims = ::tflite::GetInput(context, node, 0)->dims;
    g_life.prepared.emplace_back(dims->data, dims->data + dims->size);
    *static_cast<int*>(node->user_data) = dims->data[0];
    return SameShape(context, node);
  };
  // Wrong unless it was prepared for the shape that it runs with.
  r.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    ++g_life.invokes;
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    const int prepared = *static_cast<int*>(node->user_data);
    TF_LITE_ENSURE_EQ(context, in->dims->data[0], prepared);
    for (int i = 0; i < prepared; ++i)
      out->data.f[i] = in->data.f[i] * static_cast<float>(prepared);
    return kTfLiteOk;
  };
  return r;
}

TEST(ExternalOperatorTest, ChangedShapes_ArePreparedAgain) {
  const TfLiteRegistration counting = Counting();
  {
    auto session = CreateWith(OneOperator("Counting", {kDynamic}, {kDynamic}),
                              ResolverWith("Counting", counting));
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_EQ(g_life.inits, 1);
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(2, 4));
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(2, 4));
    EXPECT_THAT(g_life.prepared, ElementsAre(ElementsAre(2)));
    EXPECT_THAT(RunOn(**session, {1, 2, 3}, {3}).values, ElementsAre(3, 6, 9));
    // Back to a plan that exists: the operator must hear of it.
    EXPECT_THAT(RunOn(**session, {5, 6}, {2}).values, ElementsAre(10, 12));
    EXPECT_THAT(RunOn(**session, {1, 1, 1}, {3}).values, ElementsAre(3, 3, 3));
    EXPECT_THAT(g_life.prepared, ElementsAre(ElementsAre(2), ElementsAre(3),
                                             ElementsAre(2), ElementsAre(3)));
    EXPECT_EQ(g_life.invokes, 5);
    EXPECT_EQ(g_life.inits, 1);
    EXPECT_EQ(g_life.frees, 0);
  }
  EXPECT_EQ(g_life.frees, 1);
}

TEST(ExternalOperatorTest, Forks_HaveTheirOwnState) {
  const TfLiteRegistration counting = Counting();
  {
    auto session = CreateWith(OneOperator("Counting", {kDynamic}, {kDynamic}),
                              ResolverWith("Counting", counting));
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(2, 4));
    auto fork = (*session)->Fork(nullptr);
    ASSERT_TRUE(fork.ok()) << fork.status().message();
    EXPECT_EQ(g_life.inits, 2);
    EXPECT_THAT(RunOn(**fork, {1, 2, 3}, {3}).values, ElementsAre(3, 6, 9));
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(2, 4));
  }
  EXPECT_EQ(g_life.frees, 2);
}

TEST(ExternalOperatorTest, EveryNode_IsInitialized) {
  const TfLiteRegistration counting = Counting();
  ModelBuilder model;
  graph::ValueId v = model.Input({2});
  for (int i = 0; i < 3; ++i) {
    const graph::ValueId next = model.Tensor({2});
    model.Custom("Counting", {v}, {next});
    v = next;
  }
  model.Output(v);
  {
    auto session = CreateWith(model.Take(), ResolverWith("Counting", counting));
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_EQ(g_life.inits, 3);
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(8, 16));
  }
  EXPECT_EQ(g_life.frees, 3);
}

TEST(ExternalOperatorTest, Options_AreFlexBuffers) {
  TfLiteRegistration scale{};
  scale.init = [](TfLiteContext*, const char* buffer, size_t length) -> void* {
    const auto map =
        flexbuffers::GetRoot(reinterpret_cast<const uint8_t*>(buffer), length)
            .AsMap();
    return new float(map["factor"].AsFloat() +
                     static_cast<float>(map["more"].AsInt32()));
  };
  scale.free = [](TfLiteContext*, void* data) {
    delete static_cast<float*>(data);
  };
  scale.prepare = SameShape;
  scale.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    TF_LITE_ENSURE(context, node->custom_initial_data != nullptr);
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    for (int64_t i = 0; i < ::tflite::NumElements(in); ++i)
      out->data.f[i] = in->data.f[i] * *static_cast<float*>(node->user_data);
    return kTfLiteOk;
  };
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Float("factor", 1.5f);
    builder.Int("more", 1);
  });
  builder.Finish();
  auto session = CreateWith(OneOperator("Scale", {2}, {2}, builder.GetBuffer()),
                            ResolverWith("Scale", scale));
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {2, 4}, {2}).values, ElementsAre(5, 10));
}

TEST(ExternalOperatorTest, BuiltinOperator_IsReplaced) {
  TfLiteRegistration leaky{};
  leaky.init = [](TfLiteContext*, const char* buffer, size_t length) -> void* {
    EXPECT_EQ(length, 0u);
    return new float(
        reinterpret_cast<const TfLiteLeakyReluParams*>(buffer)->alpha);
  };
  leaky.free = [](TfLiteContext*, void* data) {
    delete static_cast<float*>(data);
  };
  leaky.prepare = SameShape;
  leaky.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    const auto* params =
        static_cast<const TfLiteLeakyReluParams*>(node->builtin_data);
    const float alpha = *static_cast<float*>(node->user_data);
    TF_LITE_ENSURE_EQ(context, params->alpha, alpha);
    ::tflite::GetOutput(context, node, 0)->data.f[0] =
        100 + alpha * ::tflite::GetInput(context, node, 0)->data.f[0];
    return kTfLiteOk;
  };
  auto resolver = std::make_shared<runtime::Resolver>();
  resolver->Add("LEAKY_RELU", false, WrapRegistration(leaky));
  ModelBuilder model;
  const graph::ValueId x = model.Input({1});
  const graph::ValueId y = model.Tensor({1});
  model.Builtin("LEAKY_RELU", {x}, {y}).attributes.Set("alpha", 0.5);
  model.Output(y);
  auto session = CreateWith(model.Take(), resolver);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {-4}, {1}).values, ElementsAre(98));
}

TEST(ExternalOperatorTest, Passes_LeaveExternalNodesAlone) {
  // A convolution that would take the activation after it into itself.
  static int convolutions = 0;
  convolutions = 0;
  TfLiteRegistration conv{};
  conv.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    const auto* params =
        static_cast<const TfLiteConvParams*>(node->builtin_data);
    TF_LITE_ENSURE_EQ(context, params->activation, kTfLiteActNone);
    return context->ResizeTensor(
        context, ::tflite::GetOutput(context, node, 0),
        TfLiteIntArrayCopy(::tflite::GetInput(context, node, 0)->dims));
  };
  conv.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    ++convolutions;
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    for (int64_t i = 0; i < ::tflite::NumElements(in); ++i)
      out->data.f[i] = in->data.f[i] - 2;
    return kTfLiteOk;
  };
  auto resolver = std::make_shared<runtime::Resolver>();
  resolver->Add("CONV_2D", false, WrapRegistration(conv));
  ModelBuilder model;
  const graph::ValueId x = model.Input({1, 2, 1, 1});
  const graph::ValueId y = model.Tensor({1, 2, 1, 1});
  const graph::ValueId z = model.Tensor({1, 2, 1, 1});
  graph::Node& node =
      model.Builtin("CONV_2D",
                    {x, model.Constant({1, 1, 1, 1}, std::vector<float>{1}),
                     model.Constant({1}, std::vector<float>{0})},
                    {y});
  node.attributes.Set("padding", std::string("SAME"));
  node.attributes.Set("stride_w", int64_t{1});
  node.attributes.Set("stride_h", int64_t{1});
  model.Builtin("HARD_SWISH", {y}, {z});
  model.Output(z);
  auto session = CreateWith(model.Take(), resolver);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto result = RunOn(**session, {-5, 6}, {1, 2, 1, 1});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.values, ElementsAre(0, 4));
  EXPECT_EQ(convolutions, 1);
}

// The functions of the registration fail, one after the other.
int g_failing_phase = 0;

TEST(ExternalOperatorTest, Failures_ContainTheReport) {
  TfLiteRegistration failing{};
  failing.init = [](TfLiteContext* context, const char*, size_t) -> void* {
    if (g_failing_phase != 0) return nullptr;
    context->ReportError(context, "no %s in the %s", "coffee", "machine");
    return TfLiteKernelInitFailed();
  };
  failing.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    TF_LITE_ENSURE(context, g_failing_phase != 1);
    return SameShape(context, node);
  };
  failing.invoke = [](TfLiteContext* context, TfLiteNode*) {
    TF_LITE_KERNEL_LOG(context, "ran out of %d things", 3);
    return kTfLiteError;
  };
  const auto resolver = ResolverWith("Failing", failing);
  g_failing_phase = 0;
  auto session = CreateWith(OneOperator("Failing", {1}, {1}), resolver);
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(std::string(session.status().message()),
              HasSubstr("custom operator 'Failing' failed to initialize: no "
                        "coffee in the machine"));
  g_failing_phase = 1;
  session = CreateWith(OneOperator("Failing", {1}, {1}), resolver);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const std::string error = RunOn(**session, {1}, {1}).error;
  EXPECT_THAT(error, HasSubstr("custom operator 'Failing' failed to prepare"));
  EXPECT_THAT(error, HasSubstr("g_failing_phase != 1 was not true."));
  g_failing_phase = 2;
  EXPECT_THAT(RunOn(**session, {1}, {1}).error,
              HasSubstr("custom operator 'Failing' failed to invoke: ran out "
                        "of 3 things"));
}

TEST(ExternalOperatorTest, OperatorWithoutInvoke_IsUnresolved) {
  auto session = CreateWith(OneOperator("Stub", {1}, {1}),
                            ResolverWith("Stub", TfLiteRegistration{}));
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(std::string(session.status().message()),
              HasSubstr("Encountered unresolved custom op: Stub"));
}

TEST(ExternalOperatorTest, FunctionsForDelegates_AreForbidden) {
  TfLiteRegistration curious{};
  curious.prepare = [](TfLiteContext* context, TfLiteNode*) {
    TfLiteIntArray* plan = nullptr;
    return context->GetExecutionPlan(context, &plan);
  };
  curious.invoke = SinEval;
  auto session = CreateWith(OneOperator("Curious", {1}, {1}),
                            ResolverWith("Curious", curious));
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(
      RunOn(**session, {1}, {1}).error,
      HasSubstr("The function is forbidden if not calling in delegate."));
}

}  // namespace
}  // namespace munja::compat
