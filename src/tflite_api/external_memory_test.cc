// Memory of external operators: temporaries, outputs whose shape comes with the
// run, variables, strings, what the context gives besides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tensor/strings.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/string_util.h"
#include "tflite_api/external_testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ModelBuilder;
using testing::OneOperator;
using testing::ResolverWith;
using testing::RunOn;

std::unique_ptr<runtime::Session> CreateWith(
    std::shared_ptr<const graph::Graph> graph, const std::string& name,
    const TfLiteRegistration& registration) {
  runtime::SessionOptions options;
  options.resolver = ResolverWith(name, registration);
  auto session = runtime::CreateSession(std::move(graph), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session.ok() ? std::move(*session) : nullptr;
}

TfLiteStatus ResizeTo(TfLiteContext* context, TfLiteTensor* tensor, int size) {
  TfLiteIntArray* dims = TfLiteIntArrayCreate(1);
  dims->data[0] = size;
  return context->ResizeTensor(context, tensor, dims);
}

// An output may get its memory in prepare already; it is there in every run.
TEST(ExternalMemoryTest, MemoryOfPrepare_IsThereInInvoke) {
  TfLiteRegistration op{};
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    ::tflite::SetTensorToDynamic(out);
    TF_LITE_ENSURE_OK(context, ResizeTo(context, out, 2));
    TF_LITE_ENSURE_OK(context, TfLiteTensorRealloc(2 * sizeof(float), out));
    out->data.f[1] = 100;
    return kTfLiteOk;
  };
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    TF_LITE_ENSURE(context, out->data.f != nullptr);
    out->data.f[0] = ::tflite::GetInput(context, node, 0)->data.f[0];
    out->data.f[1] += 1;
    return kTfLiteOk;
  };
  auto session = CreateWith(OneOperator("Op", {1}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {5}, {1}).values, ElementsAre(5, 101));
  EXPECT_THAT(RunOn(*session, {6}, {1}).values, ElementsAre(6, 102));
}

// Numbers of temporary tensors: one in the arena, one that persists.
struct Temporaries {
  int first = -1;
};

TEST(ExternalMemoryTest, Temporaries_HaveMemory) {
  TfLiteRegistration op{};
  op.init = [](TfLiteContext* context, const char*, size_t) -> void* {
    auto* data = new Temporaries;
    EXPECT_EQ(context->AddTensors(context, 2, &data->first), kTfLiteOk);
    return data;
  };
  op.free = [](TfLiteContext*, void* data) {
    delete static_cast<Temporaries*>(data);
  };
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    const auto* data = static_cast<const Temporaries*>(node->user_data);
    const int size = ::tflite::GetInput(context, node, 0)->dims->data[0];
    TfLiteIntArrayFree(node->temporaries);
    node->temporaries = TfLiteIntArrayCreate(2);
    for (int i = 0; i < 2; ++i) {
      node->temporaries->data[i] = data->first + i;
      TfLiteTensor* t = ::tflite::GetTemporary(context, node, i);
      t->type = kTfLiteFloat32;
      t->allocation_type = i == 0 ? kTfLiteArenaRw : kTfLiteArenaRwPersistent;
      TF_LITE_ENSURE_OK(context, ResizeTo(context, t, size));
    }
    return ResizeTo(context, ::tflite::GetOutput(context, node, 0), size);
  };
  // The sum of all inputs so far.
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* scratch = ::tflite::GetTemporary(context, node, 0);
    TfLiteTensor* kept = ::tflite::GetTemporary(context, node, 1);
    TF_LITE_ENSURE(context, scratch->data.f != nullptr);
    TF_LITE_ENSURE(context, kept->data.f != nullptr);
    for (int i = 0; i < in->dims->data[0]; ++i) {
      scratch->data.f[i] = in->data.f[i];
      kept->data.f[i] += scratch->data.f[i];
      ::tflite::GetOutput(context, node, 0)->data.f[i] = kept->data.f[i];
    }
    return kTfLiteOk;
  };
  auto session =
      CreateWith(OneOperator("Op", {kDynamic}, {kDynamic}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(1, 2));
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(2, 4));
  // Other shapes, another beginning.
  EXPECT_THAT(RunOn(*session, {1, 2, 3}, {3}).values, ElementsAre(1, 2, 3));
}

TEST(ExternalMemoryTest, Outputs_GetTheirShapeDuringInvoke) {
  TfLiteRegistration op{};
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    ::tflite::SetTensorToDynamic(::tflite::GetOutput(context, node, 0));
    return kTfLiteOk;
  };
  // The positive numbers.
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    std::vector<float> kept;
    for (int i = 0; i < in->dims->data[0]; ++i)
      if (in->data.f[i] > 0) kept.push_back(in->data.f[i]);
    TF_LITE_ENSURE_OK(context,
                      ResizeTo(context, out, static_cast<int>(kept.size())));
    if (!kept.empty())
      std::memcpy(out->data.f, kept.data(), kept.size() * sizeof(float));
    return kTfLiteOk;
  };
  ModelBuilder model;
  const graph::ValueId x = model.Input({4});
  const graph::ValueId y = model.Tensor({kDynamic});
  const graph::ValueId z = model.Tensor({kDynamic});
  model.Custom("Op", {x}, {y});
  model.Builtin("NEG", {y}, {z});
  model.Output(z);
  auto session = CreateWith(model.Take(), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, -2, 3, 0}, {4}).values, ElementsAre(-1, -3));
  EXPECT_THAT(RunOn(*session, {-1, -2, -3, 4}, {4}).values, ElementsAre(-4));
  const auto none = RunOn(*session, {-1, -2, -3, -4}, {4});
  EXPECT_EQ(none.error, "");
  EXPECT_TRUE(none.values.empty());
}

TEST(ExternalMemoryTest, DynamicOutputs_MustBeGivenData) {
  TfLiteRegistration op{};
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    ::tflite::SetTensorToDynamic(::tflite::GetOutput(context, node, 0));
    return kTfLiteOk;
  };
  op.invoke = [](TfLiteContext*, TfLiteNode*) { return kTfLiteOk; };
  auto session = CreateWith(OneOperator("Op", {2}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).error,
              HasSubstr("gave output 0 no data"));
}

TEST(ExternalMemoryTest, Variables_KeepTheirContent) {
  TfLiteRegistration op{};
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    TF_LITE_ENSURE(context, ::tflite::GetVariableInput(context, node, 1));
    TF_LITE_ENSURE(context,
                   !::tflite::GetOptionalInputTensor(context, node, 2));
    return ResizeTo(context, ::tflite::GetOutput(context, node, 0), 2);
  };
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    TfLiteTensor* state = ::tflite::GetVariableInput(context, node, 1);
    for (int i = 0; i < 2; ++i) {
      state->data.f[i] += ::tflite::GetInput(context, node, 0)->data.f[i];
      ::tflite::GetOutput(context, node, 0)->data.f[i] = state->data.f[i];
    }
    return kTfLiteOk;
  };
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId state = model.Variable({2});
  const graph::ValueId y = model.Tensor({2});
  model.Custom("Op", {x, state, graph::kNoValue}, {y});
  model.Output(y);
  auto session = CreateWith(model.Take(), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(1, 2));
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(2, 4));
  session->ResetVariables();
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(1, 2));
}

TEST(ExternalMemoryTest, Strings_GoInAndOut) {
  TfLiteRegistration op{};
  // Each string twice.
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
    TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
    ::tflite::DynamicBuffer buffer;
    for (int i = 0; i < ::tflite::GetStringCount(in); ++i) {
      const ::tflite::StringRef s = ::tflite::GetString(in, i);
      const std::string twice =
          std::string(s.str, s.len) + std::string(s.str, s.len);
      buffer.AddString(twice.data(), twice.size());
    }
    buffer.WriteToTensorAsVector(out);
    return kTfLiteOk;
  };
  ModelBuilder model;
  const graph::ValueId x = model.Input({2}, ElementType::kString);
  const graph::ValueId y = model.Tensor({2}, ElementType::kString);
  model.Custom("Op", {x}, {y});
  model.Output(y);
  auto session = CreateWith(model.Take(), "Op", op);
  ASSERT_NE(session, nullptr);
  const std::vector<std::string_view> strings = {"ab", "문자"};
  std::vector<uint8_t> bytes(StringBytes(strings));
  WriteStrings(strings, bytes.data());
  TensorView input;
  input.type = ElementType::kString;
  input.shape = Shape{2};
  input.data = bytes.data();
  input.bytes = bytes.size();
  for (int run = 0; run < 2; ++run) {
    auto outputs = session->Run({&input, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    EXPECT_EQ((*outputs)[0].shape, Shape{2});
    EXPECT_EQ(StringAt((*outputs)[0], 0), "abab");
    EXPECT_EQ(StringAt((*outputs)[0], 1), "문자문자");
  }
}

TEST(ExternalMemoryTest, MicroMemory_IsAvailable) {
  TfLiteRegistration op{};
  op.init = [](TfLiteContext* context, const char*, size_t) -> void* {
    auto* index = static_cast<int*>(
        context->AllocatePersistentBuffer(context, sizeof(int)));
    *index = -1;
    return index;
  };
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    TF_LITE_ENSURE_OK(context, context->RequestScratchBufferInArena(
                                   context, 2 * sizeof(float),
                                   static_cast<int*>(node->user_data)));
    const int size[] = {2};
    return context->ResizeTensorExplicit(
        context, context->GetTensor(context, node->outputs->data[0]), 1, size);
  };
  op.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    auto* scratch = static_cast<float*>(context->GetScratchBuffer(
        context, *static_cast<int*>(node->user_data)));
    TF_LITE_ENSURE(context, scratch != nullptr);
    const TfLiteEvalTensor* in =
        context->GetEvalTensor(context, node->inputs->data[0]);
    const TfLiteEvalTensor* out =
        context->GetEvalTensor(context, node->outputs->data[0]);
    for (int i = 0; i < 2; ++i) scratch[1 - i] = in->data.f[i];
    std::memcpy(out->data.f, scratch, 2 * sizeof(float));
    return kTfLiteOk;
  };
  auto session = CreateWith(OneOperator("Op", {2}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).values, ElementsAre(2, 1));
}

TEST(ExternalMemoryTest, WrongShapes_AreRefused) {
  TfLiteRegistration op{};
  op.invoke = [](TfLiteContext*, TfLiteNode*) { return kTfLiteOk; };
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    return ResizeTo(context, ::tflite::GetOutput(context, node, 0), -3);
  };
  auto session = CreateWith(OneOperator("Op", {2}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).error,
              HasSubstr("Attempting to resize a tensor to a size that is not"));
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    TfLiteIntArray* dims = TfLiteIntArrayCreate(9);
    for (int i = 0; i < 9; ++i) dims->data[i] = 1;
    return context->ResizeTensor(context, ::tflite::GetOutput(context, node, 0),
                                 dims);
  };
  session = CreateWith(OneOperator("Op", {2}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).error,
              HasSubstr("has 9 dimensions, at most 8 are supported"));
  op.prepare = [](TfLiteContext*, TfLiteNode*) { return kTfLiteOk; };
  session = CreateWith(OneOperator("Op", {kDynamic}, {kDynamic}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).error,
              HasSubstr("gave output 0 no shape"));
  op.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    ::tflite::GetOutput(context, node, 0)->type = kTfLiteInt32;
    return kTfLiteOk;
  };
  session = CreateWith(OneOperator("Op", {2}, {2}), "Op", op);
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(RunOn(*session, {1, 2}, {2}).error,
              HasSubstr("made output 0 INT32, but the model says float32"));
}

}  // namespace
}  // namespace munja::compat
