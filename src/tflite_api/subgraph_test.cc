// ::tflite::Subgraph: what operators find behind TfLiteContext::impl_, and what
// programs find in an Interpreter.
#include "tensorflow/lite/core/subgraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tensorflow/lite/experimental/resource/cache_buffer.h"
#include "tensorflow/lite/experimental/resource/lookup_interfaces.h"
#include "tensorflow/lite/experimental/resource/resource_variable.h"
#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/model_builder.h"
#include "tflite_api/external_operator.h"
#include "tflite_api/external_testing.h"
#include "tflite_api/testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using testing::ModelBuilder;

namespace resource = ::tflite::resource;

::tflite::Subgraph& Around(TfLiteContext* context) {
  return *reinterpret_cast<::tflite::Subgraph*>(context->impl_);
}

TfLiteStatus ShapeOfInput(TfLiteContext* context, TfLiteNode* node) {
  return context->ResizeTensor(
      context, ::tflite::GetOutput(context, node, 0),
      TfLiteIntArrayCopy(::tflite::GetInput(context, node, 0)->dims));
}

// Adds its input to variable 7, which begins with zeros, and gives the sum.
TfLiteStatus Accumulate(TfLiteContext* context, TfLiteNode* node) {
  ::tflite::Subgraph& around = Around(context);
  const TfLiteTensor* in = ::tflite::GetInput(context, node, 0);
  TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
  TF_LITE_ENSURE(context, around.tensor(node->inputs->data[0]) == in);
  TF_LITE_ENSURE_EQ(context, around.inputs().size(), 0u);
  TF_LITE_ENSURE_EQ(context, around.nodes_size(), 1u);
  TF_LITE_ENSURE_EQ(context, around.GetSubgraphs()->size(), 0u);
  TF_LITE_ENSURE_EQ(context, around.Invoke(), kTfLiteError);
  TF_LITE_ENSURE_OK(context, resource::CreateResourceVariableIfNotAvailable(
                                 &around.resources(), 7));
  resource::ResourceVariable* sum =
      resource::GetResourceVariable(&around.resources(), 7);
  TF_LITE_ENSURE(context, sum != nullptr);
  for (int64_t i = 0; i < ::tflite::NumElements(in); ++i)
    out->data.f[i] = in->data.f[i] +
                     (sum->IsInitialized() ? sum->GetTensor()->data.f[i] : 0);
  return sum->AssignFrom(out);
}

std::shared_ptr<const graph::Graph> TwoAccumulators() {
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId first = model.Tensor({2});
  const graph::ValueId second = model.Tensor({2});
  model.Custom("Accumulate", {x}, {first});
  model.Custom("Accumulate", {first}, {second});
  model.Output(second);
  return model.Take();
}

TEST(SubgraphTest, Resources_AreSharedWithinASession) {
  TfLiteRegistration r{};
  r.prepare = ShapeOfInput;
  r.invoke = Accumulate;
  runtime::SessionOptions options;
  options.resolver = testing::ResolverWith("Accumulate", r);
  const auto graph = TwoAccumulators();
  auto session = runtime::CreateSession(graph, options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  // 1: the first makes 1 of it, the second adds that to 1.
  auto result = testing::RunOn(**session, {1, 10}, {2});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.values, ElementsAre(2, 20));
  // 2 + 1 = 3, and 3 + 3.
  result = testing::RunOn(**session, {1, 10}, {2});
  EXPECT_THAT(result.values, ElementsAre(6, 60));
  auto other = runtime::CreateSession(graph, options);
  ASSERT_TRUE(other.ok());
  EXPECT_THAT(testing::RunOn(**other, {1, 10}, {2}).values, ElementsAre(2, 20));
  auto fork = (*session)->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_THAT(testing::RunOn(**fork, {1, 10}, {2}).values, ElementsAre(2, 20));
}

TEST(SubgraphTest, ResourceNumber_HasOneKind) {
  resource::ResourceMap resources;
  ASSERT_EQ(resource::CreateResourceVariableIfNotAvailable(&resources, 3),
            kTfLiteOk);
  EXPECT_EQ(resource::CreateResourceVariableIfNotAvailable(&resources, 3),
            kTfLiteOk);
  EXPECT_EQ(resource::CreateHashtableResourceIfNotAvailable(
                &resources, 3, kTfLiteInt64, kTfLiteString),
            kTfLiteError);
  EXPECT_EQ(resource::GetHashtableResource(&resources, 3), nullptr);
  EXPECT_EQ(resource::GetResourceVariable(&resources, 4), nullptr);
  EXPECT_EQ(resource::CreateHashtableResourceIfNotAvailable(
                &resources, 4, kTfLiteFloat32, kTfLiteString),
            kTfLiteError);
  resource::InitializationStatusMap map;
  EXPECT_FALSE(resource::GetInitializationStatus(&map, 2)->IsInitialized());
  resource::GetInitializationStatus(&map, 2)->MarkInitializationIsDone();
  EXPECT_TRUE(resource::GetInitializationStatus(&map, 2)->IsInitialized());
  EXPECT_FALSE(resource::GetInitializationStatus(&map, 1)->IsInitialized());
}

TfLiteTensor Texts(const std::vector<std::string>& texts,
                   const TfLiteIntArray* dims) {
  TfLiteTensor tensor{};
  tensor.type = kTfLiteString;
  tensor.allocation_type = kTfLiteDynamic;
  ::tflite::DynamicBuffer buffer;
  for (const std::string& text : texts)
    buffer.AddString(text.data(), text.size());
  buffer.WriteToTensor(&tensor, TfLiteIntArrayCopy(dims));
  return tensor;
}

// Fills a table in one operator and reads it in another.
TfLiteStatus Import(TfLiteContext* context, TfLiteNode* node) {
  resource::ResourceMap& resources = Around(context).resources();
  TF_LITE_ENSURE_OK(context, resource::CreateHashtableResourceIfNotAvailable(
                                 &resources, 0, kTfLiteString, kTfLiteInt64));
  resource::LookupInterface* table =
      resource::GetHashtableResource(&resources, 0);
  const TfLiteTensor* numbers = ::tflite::GetInput(context, node, 0);
  TfLiteTensor keys = Texts({"one", "two", "one"}, numbers->dims);
  const TfLiteStatus status = table->Import(context, &keys, numbers);
  TfLiteTensorFree(&keys);
  TF_LITE_ENSURE_EQ(context, table->Size(), 2u);
  ::tflite::GetOutput(context, node, 0)->data.i64[0] = 0;
  return status;
}

TfLiteStatus Find(TfLiteContext* context, TfLiteNode* node) {
  resource::LookupInterface* table =
      resource::GetHashtableResource(&Around(context).resources(), 0);
  TF_LITE_ENSURE(context, table != nullptr);
  TfLiteTensor* out = ::tflite::GetOutput(context, node, 0);
  TfLiteTensor keys = Texts({"two", "three", "one"}, out->dims);
  TF_LITE_ENSURE_OK(context, table->CheckKeyAndValueTypes(context, &keys, out));
  const TfLiteStatus status =
      table->Lookup(context, &keys, out, ::tflite::GetInput(context, node, 0));
  TfLiteTensorFree(&keys);
  return status;
}

TEST(SubgraphTest, Table_IsFilledOnceAndReportsMissingKeys) {
  TfLiteRegistration import{}, find{};
  import.invoke = Import;
  find.invoke = Find;
  runtime::SessionOptions options;
  auto resolver = std::make_shared<runtime::Resolver>();
  resolver->Add("Import", true, WrapRegistration(import));
  resolver->Add("Find", true, WrapRegistration(find));
  options.resolver = resolver;
  ModelBuilder model;
  const graph::ValueId x = model.Input({3}, ElementType::kInt64);
  const graph::ValueId nothing = model.Tensor({1}, ElementType::kInt64);
  const graph::ValueId found = model.Tensor({3}, ElementType::kInt64);
  model.Custom("Import", {x}, {nothing});
  model.Custom("Find", {nothing}, {found});
  model.Output(found);
  auto session = runtime::CreateSession(model.Take(), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (const int64_t factor : {1, 100}) {  // The second filling is none.
    std::vector<int64_t> numbers = {1 * factor, 2 * factor, 3 * factor};
    TensorView input;
    input.type = ElementType::kInt64;
    input.shape = {3};
    input.data = numbers.data();
    input.bytes = sizeof(int64_t) * numbers.size();
    const auto outputs = (*session)->Run({&input, 1});
    ASSERT_TRUE(outputs.ok()) << outputs.status().message();
    const auto* const values = (*outputs)[0].as<int64_t>();
    EXPECT_THAT(std::vector<int64_t>(values, values + 3), ElementsAre(2, 0, 1));
  }
}

TEST(SubgraphTest, Cache_CountsItsParts) {
  resource::CacheBuffer cache;
  EXPECT_FALSE(cache.IsInitialized());
  TfLiteIntArray* shape = TfLiteIntArrayCreate(3);
  shape->data[0] = 1;
  shape->data[1] = 2;
  shape->data[2] = 5;
  ASSERT_EQ(cache.Initialize(*shape), kTfLiteOk);
  EXPECT_EQ(cache.GetSize(), 40u);
  EXPECT_EQ(cache.GetBuffer()[9], 0);
  cache.SetNumEntries(1, 4);
  cache.SetNumEntries(2, 9);  // There is no such part.
  EXPECT_EQ(cache.GetNumEntries(0), 0u);
  EXPECT_EQ(cache.GetNumEntries(1), 4u);
  EXPECT_EQ(cache.GetNumEntries(2), 0u);
  shape->data[1] = -1;
  EXPECT_EQ(cache.Initialize(*shape), kTfLiteError);
  TfLiteIntArrayFree(shape);
}

class InterpreterSubgraphTest : public ::testing::Test {
 protected:
  void Make(std::vector<uint8_t> bytes) {
    bytes_ = std::move(bytes);
    model_ = testing::Load(bytes_, &reports_);
    interpreter_ = std::make_unique<::tflite::Interpreter>(
        TfLiteInterpreterCreate(model_.get(), options_.get()));
    ASSERT_NE(interpreter_->c_interpreter(), nullptr) << reports_.text;
  }

  testing::Reports reports_;
  testing::Options options_ = testing::MakeOptions(&reports_);
  std::vector<uint8_t> bytes_;
  testing::Model model_;
  std::unique_ptr<::tflite::Interpreter> interpreter_;
};

TEST_F(InterpreterSubgraphTest, Subgraph_ShowsNodesAndRuns) {
  Make(testing::DoubleModel({2}));
  ASSERT_EQ(interpreter_->subgraphs_size(), 1u);
  EXPECT_EQ(interpreter_->subgraph(1), nullptr);
  EXPECT_EQ(interpreter_->subgraph(-1), nullptr);
  ::tflite::Subgraph& main = interpreter_->primary_subgraph();
  EXPECT_TRUE(main.IsPrimarySubgraph());
  EXPECT_EQ(main.inputs(), interpreter_->inputs());
  EXPECT_EQ(main.outputs(), interpreter_->outputs());
  ASSERT_EQ(interpreter_->nodes_size(), 1u);
  EXPECT_THAT(interpreter_->execution_plan(), ElementsAre(0));
  const auto* node = interpreter_->node_and_registration(0);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->second.builtin_code, kTfLiteBuiltinAdd);
  EXPECT_EQ(node->first.outputs->data[0], main.outputs()[0]);
  EXPECT_EQ(interpreter_->node_and_registration(1), nullptr);
  EXPECT_EQ(interpreter_->node_and_registration(1, 0), nullptr);
  TfLiteContext* context = main.context();
  TfLiteNode* seen = nullptr;
  TfLiteRegistration* op = nullptr;
  ASSERT_EQ(context->GetNodeAndRegistration(context, 0, &seen, &op), kTfLiteOk);
  EXPECT_EQ(op->builtin_code, kTfLiteBuiltinAdd);
  // The tensors are those of the interpreter.
  ASSERT_EQ(main.ResizeInputTensor(main.inputs()[0], {3}), kTfLiteOk);
  ASSERT_EQ(main.AllocateTensors(), kTfLiteOk) << reports_.text;
  TfLiteTensor* input = main.tensor(main.inputs()[0]);
  EXPECT_EQ(input, interpreter_->input_tensor(0));
  for (int i = 0; i < 3; ++i) input->data.f[i] = static_cast<float>(i) + 1;
  ASSERT_EQ(main.Invoke(), kTfLiteOk);
  EXPECT_EQ(interpreter_->typed_output_tensor<float>(0)[2], 6);
  EXPECT_EQ(context->ReplaceNodeSubsetsWithDelegateKernels(
                context, TfLiteRegistration{}, nullptr, nullptr),
            kTfLiteError);
  EXPECT_EQ(context->AddTensors(context, 1, nullptr), kTfLiteError);
}

// Shows the interpreter of a model without the schema's accessors.
TEST(SubgraphTest, ShownModel_Runs) {
  const std::vector<uint8_t> bytes = testing::DoubleModel({1});
  const auto* data = reinterpret_cast<const char*>(bytes.data());
  auto model = ::tflite::FlatBufferModel::BuildFromBuffer(data, bytes.size());
  ASSERT_NE(model, nullptr);
  const ::tflite::Model* shown = model->GetModel();
  const ::tflite::ops::builtin::BuiltinOpResolver resolver;
  std::unique_ptr<::tflite::Interpreter> interpreter;
  ASSERT_EQ(::tflite::InterpreterBuilder(shown, resolver)(&interpreter),
            kTfLiteOk);
  ASSERT_EQ(interpreter->AllocateTensors(), kTfLiteOk);
  interpreter->typed_input_tensor<float>(0)[0] = 3;
  ASSERT_EQ(interpreter->Invoke(), kTfLiteOk);
  EXPECT_EQ(interpreter->typed_output_tensor<float>(0)[0], 6);
  interpreter.reset();
  model.reset();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(::tflite::InterpreterBuilder(shown, resolver)(&interpreter),
            kTfLiteError);
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

// The external context that the operator found when it ran.
TfLiteExternalContext* g_found = nullptr;

TEST_F(InterpreterSubgraphTest, ExternalContexts_ReachOperators) {
  TfLiteRegistration add{};
  add.prepare = ShapeOfInput;
  add.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    g_found = context->GetExternalContext(context, kTfLiteEdgeTpuContext);
    ::tflite::GetOutput(context, node, 0)->data.f[0] = 1;
    return kTfLiteOk;
  };
  TfLiteInterpreterOptionsAddBuiltinOp(options_.get(), kTfLiteBuiltinAdd, &add,
                                       1, 9);
  Make(testing::DoubleModel({1}));
  ASSERT_EQ(interpreter_->AllocateTensors(), kTfLiteOk) << reports_.text;
  interpreter_->input_tensor(0)->data.f[0] = 0;
  ::tflite::ExternalCpuBackendContext cpu;
  TfLiteExternalContext mine{kTfLiteEdgeTpuContext, nullptr};
  interpreter_->SetExternalContext(kTfLiteEdgeTpuContext, &mine);
  interpreter_->SetExternalContext(kTfLiteCpuBackendContext, &cpu);
  ASSERT_EQ(interpreter_->Invoke(), kTfLiteOk) << reports_.text;
  EXPECT_EQ(g_found, &mine);
  TfLiteContext* context = interpreter_->primary_subgraph().context();
  EXPECT_EQ(context->GetExternalContext(context, kTfLiteCpuBackendContext),
            &cpu);
  EXPECT_EQ(context->GetExternalContext(context, kTfLiteEigenContext), nullptr);
}

}  // namespace
}  // namespace munja::compat
