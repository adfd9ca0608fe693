// A delegate in a library of its own, written against the TensorFlow Lite C
// API: it adds float tensors of one shape.
//
//   munja run model.tflite --delegate ./delegate.so ...
#include <array>
#include <map>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace {
using tflite::TfLiteIntArrayView;

// What runs in place of the nodes of one partition.
struct Kernel {
  std::vector<std::array<int, 3>> sums;     // Tensors: a + b -> c.
  std::map<int, std::vector<float>> inner;  // Those that nobody else sees.
};

bool IsMine(const TfLiteTensor* tensors, int code, const TfLiteNode& node) {
  if (code != kTfLiteBuiltinAdd) return false;
  const TfLiteTensor& out = tensors[node.outputs->data[0]];
  for (const int i : TfLiteIntArrayView(node.inputs))
    if (tensors[i].type != kTfLiteFloat32 ||
        !TfLiteIntArrayEqual(tensors[i].dims, out.dims))
      return false;
  const auto* params = static_cast<const TfLiteAddParams*>(node.builtin_data);
  return params->activation == kTfLiteActNone;
}

void* Init(TfLiteContext* context, const char* buffer, size_t) {
  const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  auto* kernel = new Kernel;
  for (const int n : TfLiteIntArrayView(params->nodes_to_replace)) {
    TfLiteNode* node;
    TfLiteRegistration* op;
    context->GetNodeAndRegistration(context, n, &node, &op);
    const int c = node->outputs->data[0];
    kernel->sums.push_back({node->inputs->data[0], node->inputs->data[1], c});
    kernel->inner[c];
  }
  for (const int i : TfLiteIntArrayView(params->output_tensors))
    kernel->inner.erase(i);
  return kernel;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  auto* kernel = static_cast<Kernel*>(node->user_data);
  const auto data = [&](int tensor) {
    const auto it = kernel->inner.find(tensor);
    return it == kernel->inner.end() ? context->tensors[tensor].data.f
                                     : it->second.data();
  };
  for (const auto& [a, b, c] : kernel->sums) {
    const size_t count = tflite::NumElements(&context->tensors[c]);
    if (kernel->inner.count(c) > 0) kernel->inner[c].resize(count);
    for (size_t i = 0; i < count; ++i) data(c)[i] = data(a)[i] + data(b)[i];
  }
  return kTfLiteOk;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  TfLiteIntArray* plan;
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  std::vector<int> mine = {0};  // As a TfLiteIntArray: the size comes first.
  for (const int n : TfLiteIntArrayView(plan)) {
    TfLiteNode* node;
    TfLiteRegistration* op;
    context->GetNodeAndRegistration(context, n, &node, &op);
    if (IsMine(context->tensors, op->builtin_code, *node)) mine.push_back(n);
  }
  mine[0] = static_cast<int>(mine.size()) - 1;
  TfLiteRegistration kernel = {};
  kernel.custom_name = "Adder";
  kernel.builtin_code = kTfLiteBuiltinDelegate;
  kernel.init = Init;
  kernel.free = [](TfLiteContext*, void* k) { delete static_cast<Kernel*>(k); };
  kernel.prepare = [](TfLiteContext*, TfLiteNode*) { return kTfLiteOk; };
  kernel.invoke = Invoke;
  return context->ReplaceNodeSubsetsWithDelegateKernels(
      context, kernel, reinterpret_cast<TfLiteIntArray*>(mine.data()),
      delegate);
}

}  // namespace

extern "C" TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const*, const char* const*, size_t option_count,
    void (*report)(const char*)) {
  if (option_count > 0) return report("there are no options"), nullptr;
  auto* delegate = new TfLiteDelegate(TfLiteDelegateCreate());
  delegate->Prepare = Prepare;
  return delegate;
}

extern "C" void tflite_plugin_destroy_delegate(TfLiteDelegate* d) { delete d; }
