// A delegate in a shared library that takes ABS. Options: add=NUMBER is added
// to each result; anything else is refused.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/util.h"

namespace {

struct Delegate {
  TfLiteDelegate c{};
  float add = 0;
};

// The kernel of a partition: pairs of input and output.
struct Kernel {
  std::vector<std::pair<int, int>> steps;
  std::vector<std::vector<float>> results;
  float add;
};

void* Init(TfLiteContext* context, const char* buffer, size_t) {
  const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  auto* kernel = new Kernel;
  kernel->add = static_cast<Delegate*>(params->delegate->data_)->add;
  for (const int n : tflite::TfLiteIntArrayView(params->nodes_to_replace)) {
    TfLiteNode* node;
    TfLiteRegistration* registration;
    if (context->GetNodeAndRegistration(context, n, &node, &registration) !=
        kTfLiteOk) {
      delete kernel;
      return TfLiteKernelInitFailed();
    }
    kernel->steps.emplace_back(node->inputs->data[0], node->outputs->data[0]);
  }
  return kernel;
}

void Free(TfLiteContext*, void* data) { delete static_cast<Kernel*>(data); }

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const auto* kernel = static_cast<const Kernel*>(node->user_data);
  TF_LITE_ENSURE_EQ(context, kernel->steps.size(), 1u);
  const auto [in, out] = kernel->steps[0];
  const TfLiteTensor& from = context->tensors[in];
  TfLiteTensor& to = context->tensors[out];
  for (int64_t i = 0; i < tflite::NumElements(&from); ++i)
    to.data.f[i] = std::fabs(from.data.f[i]) + kernel->add;
  return kTfLiteOk;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  TfLiteIntArray* plan;
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  std::vector<int> mine;
  for (const int n : tflite::TfLiteIntArrayView(plan)) {
    TfLiteNode* node;
    TfLiteRegistration* registration;
    TF_LITE_ENSURE_STATUS(
        context->GetNodeAndRegistration(context, n, &node, &registration));
    if (registration->builtin_code == kTfLiteBuiltinAbs) mine.push_back(n);
  }
  TfLiteRegistration kernel{};
  kernel.custom_name = "Absolute";
  kernel.init = Init;
  kernel.free = Free;
  kernel.invoke = Invoke;
  TfLiteIntArray* nodes = tflite::ConvertVectorToTfLiteIntArray(mine);
  const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
      context, kernel, nodes, delegate);
  TfLiteIntArrayFree(nodes);
  return status;
}

}  // namespace

extern "C" {

TFL_EXTERNAL_DELEGATE_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const* values, size_t count,
    void (*report_error)(const char*)) {
  auto* delegate = new Delegate;
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(keys[i], "add") != 0) {
      if (report_error != nullptr)
        report_error(("there is no option " + std::string(keys[i])).c_str());
      delete delegate;
      return nullptr;
    }
    delegate->add = std::strtof(values[i], nullptr);
  }
  delegate->c.data_ = delegate;
  delegate->c.Prepare = Prepare;
  return &delegate->c;
}

TFL_EXTERNAL_DELEGATE_EXPORT void tflite_plugin_destroy_delegate(
    TfLiteDelegate* delegate) {
  if (delegate != nullptr) delete static_cast<Delegate*>(delegate->data_);
}

}  // extern "C"
