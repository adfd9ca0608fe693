// Operators and delegates that see everything through functions alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/c_api_opaque.h"
#include "tflite_api/delegate_adapter.h"
#include "tflite_api/external_testing.h"
#include "tflite_api/operator.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ModelBuilder;
using testing::ResolverWith;
using testing::RunOn;

TfLiteStatus SameShape(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const TfLiteOpaqueTensor* in = TfLiteOpaqueNodeGetInput(context, node, 0);
  TfLiteIntArray* size = TfLiteIntArrayCreate(TfLiteOpaqueTensorNumDims(in));
  for (int i = 0; i < size->size; ++i)
    size->data[i] = TfLiteOpaqueTensorDim(in, i);
  return TfLiteOpaqueContextResizeTensor(
      context, TfLiteOpaqueNodeGetOutput(context, node, 0), size);
}

TEST(OpaqueTest, OpaqueOperator_Runs) {
  float factor = 3;
  std::unique_ptr<TfLiteOperator, void (*)(TfLiteOperator*)> op(
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Times", 1, &factor),
      TfLiteOperatorDelete);
  TfLiteOperatorSetPrepare(op.get(), SameShape);
  TfLiteOperatorSetInvokeWithData(op.get(), [](void* user,
                                               TfLiteOpaqueContext* context,
                                               TfLiteOpaqueNode* node) {
    const TfLiteOpaqueTensor* in = TfLiteOpaqueNodeGetInput(context, node, 0);
    const TfLiteOpaqueTensor* out = TfLiteOpaqueNodeGetOutput(context, node, 0);
    const auto* x = static_cast<const float*>(TfLiteOpaqueTensorData(in));
    auto* y = static_cast<float*>(TfLiteOpaqueTensorData(out));
    const void* options = nullptr;
    int size = 0;
    TfLiteOpaqueNodeGetCustomInitialData(node, &options, &size);
    EXPECT_EQ(size, 1);
    EXPECT_EQ(TfLiteOpaqueTensorType(in), kTfLiteFloat32);
    if (x[0] < 0) {
      TfLiteOpaqueContextReportError(context, "%g is negative", x[0]);
      return kTfLiteError;
    }
    for (size_t i = 0; i < TfLiteOpaqueTensorByteSize(in) / 4; ++i)
      y[i] = x[i] * *static_cast<const float*>(user);
    return kTfLiteOk;
  });
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId y = model.Tensor({2});
  model.Custom("Times", {x}, {y}, {7});
  model.Output(y);
  runtime::SessionOptions options;
  options.resolver = ResolverWith("Times", RegistrationOf(*op));
  auto session = runtime::CreateSession(model.Take(), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(3, 6));
  EXPECT_THAT(RunOn(**session, {-1, 2}, {2}).error,
              HasSubstr("failed to invoke: -1 is negative"));
}

// Options are copied out of the model's file: there is none to map.
TEST(OpaqueTest, OptionsOfANode_LieInNoFile) {
  std::unique_ptr<TfLiteOperator, void (*)(TfLiteOperator*)> op(
      TfLiteOperatorCreate(kTfLiteBuiltinCustom, "Same", 1, nullptr),
      TfLiteOperatorDelete);
  TfLiteOperatorSetPrepare(op.get(), SameShape);
  TfLiteOperatorSetInvoke(
      op.get(), [](TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
        int file = 7;
        int64_t offset = 7, size = 7;
        EXPECT_EQ(TfLiteOpaqueContextGetNodeInitDataMmapInfo(
                      context, node, &file, &offset, &size),
                  kTfLiteError);
        auto* y = static_cast<float*>(TfLiteOpaqueTensorData(
            TfLiteOpaqueNodeGetOutput(context, node, 0)));
        y[0] = static_cast<float>(file);
        y[1] = static_cast<float>(offset);
        y[2] = static_cast<float>(size);
        return kTfLiteOk;
      });
  ModelBuilder model;
  const graph::ValueId x = model.Input({3});
  const graph::ValueId y = model.Tensor({3});
  model.Custom("Same", {x}, {y}, {7});
  model.Output(y);
  runtime::SessionOptions options;
  options.resolver = ResolverWith("Same", RegistrationOf(*op));
  auto session = runtime::CreateSession(model.Take(), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT(RunOn(**session, {1, 2, 3}, {3}).values, ElementsAre(-1, -1, -1));
}

// Takes NEG; each kernel remembers the tensors of its partition.
struct Kernel {
  std::vector<int> inputs, outputs;
};
int g_kernels = 0;

void* Init(TfLiteOpaqueContext* context, const char* buffer, size_t) {
  const auto* params =
      reinterpret_cast<const TfLiteOpaqueDelegateParams*>(buffer);
  EXPECT_EQ(*static_cast<const int*>(params->delegate_data), 42);
  EXPECT_EQ(params->nodes_to_replace->size, 1);
  TfLiteOpaqueNode* node = nullptr;
  TfLiteOperator* op = nullptr;
  EXPECT_EQ(TfLiteOpaqueContextGetNodeAndRegistration(
                context, params->nodes_to_replace->data[0], &node, &op),
            kTfLiteOk);
  EXPECT_EQ(TfLiteOperatorGetBuiltInCode(op), kTfLiteBuiltinNeg);
  EXPECT_EQ(TfLiteOpaqueNodeGetInputTensorIndex(node, 0),
            params->input_tensors->data[0]);
  ++g_kernels;
  return new Kernel{{params->input_tensors->data[0]},
                    {params->output_tensors->data[0]}};
}

void Free(TfLiteOpaqueContext*, void* data) {
  --g_kernels;
  delete static_cast<Kernel*>(data);
}

TfLiteStatus Invoke(TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
  const auto* kernel =
      static_cast<const Kernel*>(TfLiteOpaqueNodeGetUserData(node));
  const TfLiteOpaqueTensor* in =
      TfLiteOpaqueContextGetOpaqueTensor(context, kernel->inputs[0]);
  const TfLiteOpaqueTensor* out =
      TfLiteOpaqueContextGetOpaqueTensor(context, kernel->outputs[0]);
  const auto* x = static_cast<const float*>(TfLiteOpaqueTensorData(in));
  auto* y = static_cast<float*>(TfLiteOpaqueTensorData(out));
  for (size_t i = 0; i < TfLiteOpaqueTensorByteSize(in) / 4; ++i)
    y[i] = 100 - x[i];
  return kTfLiteOk;
}

TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                     TfLiteOpaqueDelegate* delegate, void*) {
  TfLiteIntArray* plan = nullptr;
  if (TfLiteOpaqueContextGetExecutionPlan(context, &plan) != kTfLiteOk)
    return kTfLiteError;
  EXPECT_EQ(TfLiteOpaqueContextGetNumNodes(context), 2u);
  TfLiteIntArray* mine = TfLiteIntArrayCreate(plan->size);
  mine->size = 0;
  for (int i = 0; i < plan->size; ++i) {
    TfLiteOpaqueNode* node = nullptr;
    TfLiteOperator* op = nullptr;
    TfLiteOpaqueContextGetNodeAndRegistration(context, plan->data[i], &node,
                                              &op);
    if (TfLiteOperatorGetBuiltInCode(op) == kTfLiteBuiltinNeg)
      mine->data[mine->size++] = plan->data[i];
  }
  TfLiteOperator* kernel =
      TfLiteOperatorCreate(kTfLiteBuiltinDelegate, "Opaque", 1, nullptr);
  TfLiteOperatorSetInit(kernel, Init);
  TfLiteOperatorSetFree(kernel, Free);
  TfLiteOperatorSetInvoke(kernel, Invoke);
  const TfLiteStatus status =
      TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(context, kernel,
                                                               mine, delegate);
  TfLiteIntArrayFree(mine);
  return status;
}

TEST(OpaqueTest, OpaqueDelegate_Runs) {
  int data = 42;
  TfLiteOpaqueDelegateBuilder builder{};
  builder.data = &data;
  builder.Prepare = Prepare;
  std::unique_ptr<TfLiteDelegate, void (*)(TfLiteDelegate*)> delegate(
      TfLiteOpaqueDelegateCreate(&builder), TfLiteOpaqueDelegateDelete);
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId y = model.Tensor({2});
  const graph::ValueId z = model.Tensor({2});
  model.Builtin("NEG", {x}, {y});
  model.Builtin("ABS", {y}, {z});
  model.Output(z);
  {
    runtime::SessionOptions options;
    auto wrapped = WrapDelegate(delegate.get(), "opaque");
    ASSERT_TRUE(wrapped.ok());
    options.delegates.push_back(std::move(*wrapped));
    auto session = runtime::CreateSession(model.Take(), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_EQ(g_kernels, 1);
    EXPECT_THAT(RunOn(**session, {1, 2}, {2}).values, ElementsAre(99, 98));
  }
  EXPECT_EQ(g_kernels, 0);
}

}  // namespace
}  // namespace munja::compat
