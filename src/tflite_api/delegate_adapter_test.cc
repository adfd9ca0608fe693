#include "tflite_api/delegate_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/util.h"
#include "tflite_api/external_testing.h"

namespace munja::compat {
namespace {

using testing::ConvolutionModel;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ModelBuilder;
using ::testing::Pointwise;
using testing::RunOn;

// Takes CONV_2D (1x1, stride 1, no activation) and MEAN over height and width;
// computes them in the plainest way.
class PlainDelegate {
 public:
  explicit PlainDelegate(int64_t flags = kTfLiteDelegateFlagsNone) {
    // Made by plain `new`, it holds anything where nothing is filled in.
    std::memset(static_cast<void*>(&c_), 0x5a, sizeof(c_));
    c_.data_ = this;
    c_.flags = flags;
    c_.Prepare = Prepare;
    c_.CopyFromBufferHandle = CopyFrom;
    c_.CopyToBufferHandle = CopyTo;
    c_.FreeBufferHandle = Free;
  }
  TfLiteDelegate* c() { return &c_; }

  // Recorded calls.
  struct Start {
    std::vector<int> nodes, inputs, outputs;
    int height;  // Height of the first tensor read.
  };
  std::vector<Start> starts, previews;
  int frees = 0, prepares = 0, invokes = 0, copies_from = 0, copies_to = 0,
      freed_handles = 0, delegate_prepares = 0;
  // Behavior to simulate.
  std::string fail_in;
  bool uses_handles = false;
  bool adds_input_handles = false;
  std::map<int, std::vector<float>> buffers;  // By handle.

 private:
  struct Step {
    int code;
    std::vector<int> inputs, outputs;
  };
  struct Kernel {
    PlainDelegate* delegate;
    std::vector<Step> steps;
    std::vector<int> inputs, outputs;
    std::map<int, std::vector<float>> inner;  // By tensor.
  };

  static std::vector<int> ListOf(const TfLiteIntArray* array) {
    return {array->data, array->data + array->size};
  }

  static TfLiteStatus Prepare(TfLiteContext* context,
                              TfLiteDelegate* delegate) {
    auto* self = static_cast<PlainDelegate*>(delegate->data_);
    ++self->delegate_prepares;
    TF_LITE_ENSURE(context, self->fail_in != "delegate");
    std::vector<int> supported;
    TfLiteIntArray* plan;
    TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
    TfLiteNode* node;
    TfLiteRegistration* registration;
    for (const int n : ::tflite::TfLiteIntArrayView(plan)) {
      TF_LITE_ENSURE_STATUS(
          context->GetNodeAndRegistration(context, n, &node, &registration));
      if (registration->builtin_code == kTfLiteBuiltinConv2d ||
          registration->builtin_code == kTfLiteBuiltinMean)
        supported.push_back(n);
    }
    TfLiteIntArray* wanted = ::tflite::ConvertVectorToTfLiteIntArray(supported);
    TfLiteDelegateParams* params = nullptr;
    int count = 0;
    self->previews.clear();
    TF_LITE_ENSURE_STATUS(
        context->PreviewDelegatePartitioning(context, wanted, &params, &count));
    for (int i = 0; i < count; ++i)
      self->previews.push_back({ListOf(params[i].nodes_to_replace),
                                ListOf(params[i].input_tensors),
                                ListOf(params[i].output_tensors), 0});
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, Registration(), wanted, delegate);
    TfLiteIntArrayFree(wanted);
    return status;
  }

  static TfLiteRegistration Registration() {
    TfLiteRegistration r;
    // Delegates fill in what they know, and nothing else.
    std::memset(static_cast<void*>(&r), 0x5a, sizeof(r));
    r.builtin_code = kTfLiteBuiltinDelegate;
    r.custom_name = "Plain";
    r.init = Init;
    r.free = [](TfLiteContext*, void* data) {
      auto* kernel = static_cast<Kernel*>(data);
      ++kernel->delegate->frees;
      delete kernel;
    };
    r.prepare = PrepareKernel;
    r.invoke = Invoke;
    return r;
  }

  static void* Init(TfLiteContext* context, const char* buffer, size_t) {
    const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
    auto* self = static_cast<PlainDelegate*>(params->delegate->data_);
    if (self->fail_in == "init") {
      context->ReportError(context, "the chip is warm");
      return TfLiteKernelInitFailed();
    }
    auto kernel = std::make_unique<Kernel>();
    kernel->delegate = self;
    kernel->inputs = ListOf(params->input_tensors);
    kernel->outputs = ListOf(params->output_tensors);
    for (const int n : ListOf(params->nodes_to_replace)) {
      TfLiteNode* node;
      TfLiteRegistration* registration;
      if (context->GetNodeAndRegistration(context, n, &node, &registration) !=
          kTfLiteOk)
        return TfLiteKernelInitFailed();
      kernel->steps.push_back({registration->builtin_code, ListOf(node->inputs),
                               ListOf(node->outputs)});
      if (registration->builtin_code == kTfLiteBuiltinConv2d) {
        const auto* conv =
            static_cast<const TfLiteConvParams*>(node->builtin_data);
        EXPECT_EQ(conv->padding, kTfLitePaddingValid);
        EXPECT_EQ(conv->stride_width, 1);
        EXPECT_EQ(context->tensors[node->inputs->data[1]].allocation_type,
                  kTfLiteMmapRo);
      }
    }
    const int first = kernel->steps[0].inputs[0];
    self->starts.push_back({ListOf(params->nodes_to_replace), kernel->inputs,
                            kernel->outputs,
                            context->tensors[first].dims->data[1]});
    return kernel.release();
  }

  static TfLiteStatus PrepareKernel(TfLiteContext* context, TfLiteNode* node) {
    auto* kernel = static_cast<Kernel*>(node->user_data);
    PlainDelegate* self = kernel->delegate;
    ++self->prepares;
    TF_LITE_ENSURE(context, self->fail_in != "prepare");
    TF_LITE_ENSURE(context, node->delegate == self->c());
    for (const Step& step : kernel->steps)
      for (const int t : step.outputs) {
        const TfLiteTensor& tensor = context->tensors[t];
        kernel->inner[t].resize(
            static_cast<size_t>(::tflite::NumElements(&tensor)));
      }
    if (self->adds_input_handles) context->tensors[0].buffer_handle = 100;
    return kTfLiteOk;
  }

  const float* Read(TfLiteContext* context, Kernel* kernel, int t) {
    const auto it = kernel->inner.find(t);
    if (it != kernel->inner.end()) return it->second.data();
    const int handle = context->tensors[t].buffer_handle;
    if (adds_input_handles && handle == 100) return buffers[100].data();
    return context->tensors[t].data.f;
  }

  static TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
    auto* kernel = static_cast<Kernel*>(node->user_data);
    PlainDelegate* self = kernel->delegate;
    ++self->invokes;
    TF_LITE_ENSURE(context, self->fail_in != "invoke");
    for (const Step& step : kernel->steps) {
      const TfLiteIntArray* in = context->tensors[step.inputs[0]].dims;
      const float* x = self->Read(context, kernel, step.inputs[0]);
      float* y = kernel->inner[step.outputs[0]].data();
      const int pixels = in->data[0] * in->data[1] * in->data[2];
      const int channels = in->data[3];
      if (step.code == kTfLiteBuiltinConv2d) {
        const float* w = context->tensors[step.inputs[1]].data.f;
        const float* bias = context->tensors[step.inputs[2]].data.f;
        const int outs = context->tensors[step.inputs[1]].dims->data[0];
        for (int p = 0; p < pixels; ++p)
          for (int o = 0; o < outs; ++o) {
            float sum = bias[o];
            for (int c = 0; c < channels; ++c)
              sum += x[p * channels + c] * w[o * channels + c];
            y[p * outs + o] = sum;
          }
      } else {
        for (int c = 0; c < channels; ++c) {
          y[c] = 0;
          for (int p = 0; p < pixels; ++p) y[c] += x[p * channels + c];
          y[c] /= static_cast<float>(pixels);
        }
      }
    }
    for (const int t : kernel->outputs) {
      TfLiteTensor& tensor = context->tensors[t];
      const std::vector<float>& result = kernel->inner[t];
      if (self->uses_handles) {
        tensor.buffer_handle = t;
        tensor.data_is_stale = true;
        self->buffers[t] = result;
      } else {
        std::copy(result.begin(), result.end(), tensor.data.f);
      }
    }
    return kTfLiteOk;
  }

  static TfLiteStatus CopyFrom(TfLiteContext*, TfLiteDelegate* delegate,
                               TfLiteBufferHandle handle,
                               TfLiteTensor* tensor) {
    auto* self = static_cast<PlainDelegate*>(delegate->data_);
    ++self->copies_from;
    const std::vector<float>& data = self->buffers[handle];
    std::copy(data.begin(), data.end(), tensor->data.f);
    return kTfLiteOk;
  }
  static TfLiteStatus CopyTo(TfLiteContext*, TfLiteDelegate* delegate,
                             TfLiteBufferHandle handle, TfLiteTensor* tensor) {
    auto* self = static_cast<PlainDelegate*>(delegate->data_);
    ++self->copies_to;
    self->buffers[handle].assign(
        tensor->data.f, tensor->data.f + tensor->bytes / sizeof(float));
    return kTfLiteOk;
  }
  static void Free(TfLiteContext*, TfLiteDelegate* delegate,
                   TfLiteBufferHandle* handle) {
    auto* self = static_cast<PlainDelegate*>(delegate->data_);
    ++self->freed_handles;
    self->buffers.erase(*handle);
  }

  TfLiteDelegate c_;
};

std::vector<float> Image(int pixels) {
  std::vector<float> image;
  for (int i = 0; i < pixels; ++i)
    image.push_back(static_cast<float>(i) * 0.75f - 3);
  return image;
}

std::unique_ptr<runtime::Session> CreateWith(
    std::shared_ptr<const graph::Graph> graph, PlainDelegate* delegate) {
  runtime::SessionOptions options;
  if (delegate != nullptr) {
    auto wrapped = WrapDelegate(delegate->c(), "plain");
    EXPECT_TRUE(wrapped.ok());
    options.delegates.push_back(std::move(*wrapped));
  }
  auto session = runtime::CreateSession(std::move(graph), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session.ok() ? std::move(*session) : nullptr;
}

// The same model on the CPU.
std::vector<float> Expected(std::shared_ptr<const graph::Graph> graph,
                            const std::vector<float>& data, Shape shape) {
  auto session = CreateWith(std::move(graph), nullptr);
  return RunOn(*session, data, shape).values;
}

std::string ReasonsOf(const runtime::Session& session) {
  std::string text;
  for (const runtime::NodeOwner& owner : session.Owners())
    text += owner.op + " " + owner.owner + " " + owner.reason + "\n";
  return text;
}

TEST(DelegateAdapterTest, Nodes_AreTakenInPartitions) {
  PlainDelegate delegate;
  const auto model = ConvolutionModel();
  {
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    ASSERT_EQ(delegate.starts.size(), 2u);
    // Tensors: image 0; weights, bias, output of the first convolution 1..3
    // (in the order in which the model has them), constants included.
    EXPECT_THAT(delegate.starts[0].nodes, ElementsAre(0));
    EXPECT_EQ(delegate.starts[0].inputs.size(), 3u);
    EXPECT_EQ(delegate.starts[0].outputs.size(), 1u);
    EXPECT_THAT(delegate.starts[1].nodes, ElementsAre(2, 3));
    EXPECT_EQ(delegate.starts[1].inputs.size(), 4u);
    EXPECT_EQ(delegate.starts[1].outputs.size(), 1u);
    ASSERT_EQ(delegate.previews.size(), 2u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(delegate.previews[i].nodes, delegate.starts[i].nodes);
      EXPECT_EQ(delegate.previews[i].inputs, delegate.starts[i].inputs);
      EXPECT_EQ(delegate.previews[i].outputs, delegate.starts[i].outputs);
    }
    const auto result = RunOn(*session, Image(16), {1, 4, 4, 1});
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(
        result.values,
        Pointwise(FloatNear(1e-5f), Expected(model, Image(16), {1, 4, 4, 1})));
    EXPECT_EQ(delegate.invokes, 2);
    EXPECT_EQ(delegate.starts.size(), 2u);
    EXPECT_THAT(ReasonsOf(*session),
                HasSubstr("FLOOR cpu plain: it did not claim the node"));
  }
  EXPECT_EQ(delegate.frees, 2);
}

TEST(DelegateAdapterTest, Forks_AskTheDelegateAgain) {
  PlainDelegate delegate;
  const auto model = ConvolutionModel();
  {
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    auto fork = (*session).Fork(nullptr);
    ASSERT_TRUE(fork.ok()) << fork.status().message();
    EXPECT_EQ(delegate.delegate_prepares, 2);
    EXPECT_EQ(delegate.starts.size(), 4u);
    const auto expected = Expected(model, Image(16), {1, 4, 4, 1});
    EXPECT_THAT(RunOn(*session, Image(16), {1, 4, 4, 1}).values,
                Pointwise(FloatNear(1e-5f), expected));
    EXPECT_THAT(RunOn(**fork, Image(16), {1, 4, 4, 1}).values,
                Pointwise(FloatNear(1e-5f), expected));
  }
  EXPECT_EQ(delegate.frees, 4);
}

TEST(DelegateAdapterTest, FailingDelegate_FallsBackToTheCpu) {
  const auto model = ConvolutionModel();
  const auto expected = Expected(model, Image(16), {1, 4, 4, 1});
  const std::pair<const char*, const char*> cases[] = {
      {"delegate", "self->fail_in != \"delegate\" was not true"},
      {"init", "the chip is warm"},
      {"prepare", "delegate kernel 'Plain' failed to prepare"},
      {"invoke", "delegate kernel 'Plain' failed to invoke"}};
  for (const auto& [phase, reason] : cases) {
    SCOPED_TRACE(phase);
    PlainDelegate delegate;
    delegate.fail_in = phase;
    {
      auto session = CreateWith(model, &delegate);
      ASSERT_NE(session, nullptr);
      for (int run = 0; run < 2; ++run) {
        const auto result = RunOn(*session, Image(16), {1, 4, 4, 1});
        EXPECT_EQ(result.error, "");
        EXPECT_THAT(result.values, Pointwise(FloatNear(1e-5f), expected));
      }
      EXPECT_THAT(ReasonsOf(*session), HasSubstr(reason));
    }
    EXPECT_EQ(delegate.frees, static_cast<int>(delegate.starts.size()));
  }
}

TEST(DelegateAdapterTest, Buffers_AreCopiedBackAndFreed) {
  PlainDelegate delegate;
  delegate.uses_handles = true;
  const auto model = ConvolutionModel();
  {
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    EXPECT_THAT(
        RunOn(*session, Image(16), {1, 4, 4, 1}).values,
        Pointwise(FloatNear(1e-5f), Expected(model, Image(16), {1, 4, 4, 1})));
    EXPECT_EQ(delegate.copies_from, 2);
    EXPECT_EQ(delegate.copies_to, 0);
  }
  EXPECT_EQ(delegate.freed_handles, 2);
  EXPECT_THAT(delegate.buffers, IsEmpty());
}

TEST(DelegateAdapterTest, Inputs_AreCopiedToTheirBuffers) {
  PlainDelegate delegate;
  delegate.adds_input_handles = true;
  const auto model = ConvolutionModel();
  {
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    EXPECT_THAT(
        RunOn(*session, Image(16), {1, 4, 4, 1}).values,
        Pointwise(FloatNear(1e-5f), Expected(model, Image(16), {1, 4, 4, 1})));
    EXPECT_EQ(delegate.copies_to, 1);
  }
}

// ConvolutionModel for images of any height.
std::shared_ptr<const graph::Graph> AnyHeight() {
  auto graph = std::make_shared<graph::Graph>(*ConvolutionModel());
  for (graph::Value& value : graph->subgraphs[0].values)
    if (!value.constant && value.shape.rank() == 4) value.shape[1] = kDynamic;
  return graph;
}

TEST(DelegateAdapterTest, StaticDelegates_RestartForOtherShapes) {
  PlainDelegate delegate;
  const auto model = AnyHeight();
  {
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(delegate.starts.size(), 2u);
    EXPECT_EQ(delegate.starts[0].height, 1);
    for (const int height : {3, 3, 5, 3}) {
      const Shape shape{1, height, 4, 1};
      const auto result = RunOn(*session, Image(height * 4), shape);
      EXPECT_EQ(result.error, "");
      EXPECT_THAT(result.values,
                  Pointwise(FloatNear(1e-4f),
                            Expected(model, Image(height * 4), shape)));
    }
    // Twice for each change of height, none for the run with the same.
    ASSERT_EQ(delegate.starts.size(), 8u);
    EXPECT_EQ(delegate.starts[2].height, 3);
    EXPECT_EQ(delegate.starts[4].height, 5);
    EXPECT_EQ(delegate.starts[6].height, 3);
    EXPECT_EQ(delegate.invokes, 8);
    EXPECT_EQ(delegate.frees, 6);
  }
  EXPECT_EQ(delegate.frees, 8);
}

TEST(DelegateAdapterTest, DynamicDelegates_ArePreparedAgain) {
  PlainDelegate delegate(kTfLiteDelegateFlagsAllowDynamicTensors |
                         kTfLiteDelegateFlagsRequirePropagatedShapes);
  const auto model = AnyHeight();
  auto session = CreateWith(model, &delegate);
  ASSERT_NE(session, nullptr);
  for (const int height : {3, 5, 3}) {
    const Shape shape{1, height, 4, 1};
    const auto result = RunOn(*session, Image(height * 4), shape);
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(
        result.values,
        Pointwise(FloatNear(1e-4f), Expected(model, Image(height * 4), shape)));
  }
  EXPECT_EQ(delegate.starts.size(), 2u);
  EXPECT_EQ(delegate.prepares, 6);
  EXPECT_EQ(delegate.invokes, 6);
}

TEST(DelegateAdapterTest, DynamicGraphs_NeedADelegateThatAllowsThem) {
  ModelBuilder builder;
  const graph::ValueId x = builder.Input({1, 2, 2, 1});
  const graph::ValueId size = builder.Input({4}, ElementType::kInt32);
  const graph::ValueId y =
      builder.Tensor({kDynamic, kDynamic, kDynamic, kDynamic});
  const graph::ValueId z = builder.Tensor({1, 1});
  builder.Builtin("RESHAPE", {x, size}, {y});
  builder.Builtin("MEAN",
                  {y, builder.Constant({2}, std::vector<int32_t>{1, 2})}, {z});
  builder.Output(z);
  const auto model = builder.Take();
  const std::vector<float> data = {1, 2, 3, 6};
  const std::vector<int32_t> target = {1, 4, 1, 1};
  TensorView inputs[2] = {testing::View(data, {1, 2, 2, 1}), TensorView()};
  inputs[1].type = ElementType::kInt32;
  inputs[1].shape = Shape{4};
  inputs[1].data = const_cast<int32_t*>(target.data());
  inputs[1].bytes = sizeof(int32_t) * target.size();
  for (const bool allows : {false, true}) {
    PlainDelegate delegate(allows
                               ? kTfLiteDelegateFlagsAllowDynamicTensors |
                                     kTfLiteDelegateFlagsRequirePropagatedShapes
                               : kTfLiteDelegateFlagsNone);
    auto session = CreateWith(model, &delegate);
    ASSERT_NE(session, nullptr);
    auto outputs = session->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    EXPECT_THAT(testing::Floats((*outputs)[0]), ElementsAre(3));
    EXPECT_EQ(delegate.delegate_prepares, allows ? 1 : 0);
    EXPECT_EQ(delegate.invokes, allows ? 1 : 0);
    if (!allows) {
      EXPECT_THAT(
          ReasonsOf(*session),
          HasSubstr("delegate that only supports static-sized tensors"));
    }
  }
}

TEST(DelegateAdapterTest, InvalidDelegate_IsRefused) {
  EXPECT_EQ(WrapDelegate(nullptr).status().message(), "Null delegate.");
  TfLiteDelegate empty{};
  EXPECT_EQ(WrapDelegate(&empty).status().message(),
            "the delegate has no Prepare");
}

}  // namespace
}  // namespace munja::compat
