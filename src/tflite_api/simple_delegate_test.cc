// A delegate written as classes.
#include "tensorflow/lite/delegates/utils/simple_delegate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tflite_api/delegate_adapter.h"
#include "tflite_api/external_testing.h"

namespace munja::compat {
namespace {

using ::testing::ElementsAre;
using testing::ModelBuilder;
using testing::RunOn;

// Runs NEG, each result more by one hundred.
class NegKernel : public ::tflite::SimpleDelegateKernelInterface {
 public:
  TfLiteStatus Init(TfLiteContext* context,
                    const TfLiteDelegateParams* params) override {
    TF_LITE_ENSURE_EQ(context, params->nodes_to_replace->size, 1);
    in_ = params->input_tensors->data[0];
    out_ = params->output_tensors->data[0];
    return kTfLiteOk;
  }
  TfLiteStatus Prepare(TfLiteContext*, TfLiteNode*) override {
    return kTfLiteOk;
  }
  TfLiteStatus Eval(TfLiteContext* context, TfLiteNode*) override {
    const TfLiteTensor& in = context->tensors[in_];
    for (size_t i = 0; i < in.bytes / sizeof(float); ++i)
      context->tensors[out_].data.f[i] = 100 - in.data.f[i];
    return kTfLiteOk;
  }

 private:
  int in_ = 0, out_ = 0;
};

class NegDelegate : public ::tflite::SimpleDelegateInterface {
 public:
  explicit NegDelegate(int max_partitions) : max_(max_partitions) {}
  bool IsNodeSupportedByDelegate(const TfLiteRegistration* registration,
                                 const TfLiteNode*,
                                 TfLiteContext*) const override {
    return registration->builtin_code == kTfLiteBuiltinNeg;
  }
  TfLiteStatus Initialize(TfLiteContext*) override { return kTfLiteOk; }
  const char* Name() const override { return "NegDelegate"; }
  std::unique_ptr<::tflite::SimpleDelegateKernelInterface>
  CreateDelegateKernelInterface() override {
    return std::make_unique<NegKernel>();
  }
  Options DelegateOptions() const override { return {max_, 0}; }

 private:
  int max_;
};

// Two NEG with an ABS between them, which cannot run together.
std::vector<float> RunWith(int max_partitions) {
  auto delegate = ::tflite::TfLiteDelegateFactory::Create(
      std::make_unique<NegDelegate>(max_partitions));
  ModelBuilder model;
  const graph::ValueId x = model.Input({2});
  const graph::ValueId a = model.Tensor({2});
  const graph::ValueId b = model.Tensor({2});
  const graph::ValueId c = model.Tensor({2});
  model.Builtin("NEG", {x}, {a});
  model.Builtin("ABS", {a}, {b});
  model.Builtin("NEG", {b}, {c});
  model.Output(c);
  runtime::SessionOptions options;
  auto wrapped = WrapDelegate(delegate.get(), "neg");
  EXPECT_TRUE(wrapped.ok());
  options.delegates.push_back(std::move(*wrapped));
  auto session = runtime::CreateSession(model.Take(), options);
  EXPECT_TRUE(session.ok());
  return session.ok() ? RunOn(**session, {1, 2}, {2}).values
                      : std::vector<float>();
}

TEST(SimpleDelegateTest, Delegate_TakesSupportedNodes) {
  EXPECT_THAT(RunWith(0), ElementsAre(1, 2));
}

TEST(SimpleDelegateTest, Partitions_AreLimited) {
  EXPECT_THAT(RunWith(1), ElementsAre(-99, -98));
}

}  // namespace
}  // namespace munja::compat
