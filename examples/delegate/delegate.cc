// A delegate in a library of its own, written against the TensorFlow Lite C
// API. It runs ADD, MUL and LOGISTIC on float tensors, in plain loops.
//
//   munja run model.tflite --device ./delegate.so
//     --device-option operators=ADD,MUL ...
//
// Options: operators=NAME[,NAME...], the operators to take (default: all);
// fail_in=delegate|prepare|eval, where to fail, to see that the CPU takes over.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/context_util.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace {
using tflite::TfLiteIntArrayView;

struct Operator {
  const char* name;
  int code;
  float (*compute)(float a, float b);
};
constexpr Operator kOperators[] = {
    {"ADD", kTfLiteBuiltinAdd, [](float a, float b) { return a + b; }},
    {"MUL", kTfLiteBuiltinMul, [](float a, float b) { return a * b; }},
    {"LOGISTIC", kTfLiteBuiltinLogistic,
     [](float a, float) { return 1 / (1 + std::exp(-a)); }},
};

// The delegate and its options; data_ of its TfLiteDelegate.
struct Options {
  std::vector<const Operator*> operators;
  std::string fail_in;
};

const Options& OptionsOf(const TfLiteDelegate* delegate) {
  return *static_cast<const Options*>(delegate->data_);
}

// The kernel that runs in place of the nodes of one partition.
struct Kernel {
  struct Step {
    const Operator* op;
    int a, b, out;  // Tensors; a unary operator has b = a.
  };
  std::string fail_in;
  std::vector<Step> steps;
  std::map<int, std::vector<float>> inner;  // Tensors inside the partition.
};

bool HasNoActivation(const TfLiteNode& node, int code) {
  if (code == kTfLiteBuiltinAdd)
    return static_cast<const TfLiteAddParams*>(node.builtin_data)->activation ==
           kTfLiteActNone;
  if (code == kTfLiteBuiltinMul)
    return static_cast<const TfLiteMulParams*>(node.builtin_data)->activation ==
           kTfLiteActNone;
  return true;
}

// Elementwise: the first input has the shape of the output, the second one its
// last dimensions.
bool HasOurShapes(const TfLiteTensor* tensors, const TfLiteNode& node) {
  const TfLiteTensor& out = tensors[node.outputs->data[0]];
  for (const int i : TfLiteIntArrayView(node.inputs)) {
    const TfLiteIntArray& dims = *tensors[i].dims;
    const int missing = out.dims->size - dims.size;
    if (tensors[i].type != kTfLiteFloat32 || missing < 0) return false;
    if (missing > 0 && i == node.inputs->data[0]) return false;
    for (int d = 0; d < dims.size; ++d)
      if (dims.data[d] != out.dims->data[missing + d]) return false;
  }
  return true;
}

// The operator of a node that this delegate can run; null: none.
const Operator* Find(const Options& options, const TfLiteTensor* tensors,
                     int code, const TfLiteNode& node) {
  for (const Operator* op : options.operators)
    if (op->code == code && HasNoActivation(node, code) &&
        HasOurShapes(tensors, node))
      return op;
  return nullptr;
}

void* Init(TfLiteContext* context, const char* buffer, size_t) {
  const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  const Options& options = OptionsOf(params->delegate);
  auto* kernel = new Kernel;
  kernel->fail_in = options.fail_in;
  for (const int n : TfLiteIntArrayView(params->nodes_to_replace)) {
    TfLiteNode* node;
    TfLiteRegistration* op;
    context->GetNodeAndRegistration(context, n, &node, &op);
    const TfLiteIntArray& in = *node->inputs;
    const int out = node->outputs->data[0];
    kernel->steps.push_back(
        {Find(options, context->tensors, op->builtin_code, *node), in.data[0],
         in.data[in.size - 1], out});
    kernel->inner[out];
  }
  for (const int i : TfLiteIntArrayView(params->output_tensors))
    kernel->inner.erase(i);
  return kernel;
}

TfLiteStatus Fail(TfLiteContext* context, const char* phase) {
  TF_LITE_KERNEL_LOG(context, "told to fail in %s", phase);
  return kTfLiteError;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  auto* kernel = static_cast<Kernel*>(node->user_data);
  if (kernel->fail_in == "eval") return Fail(context, "eval");
  const auto data = [&](int tensor) {
    const auto it = kernel->inner.find(tensor);
    return it == kernel->inner.end() ? context->tensors[tensor].data.f
                                     : it->second.data();
  };
  for (const auto& [op, a, b, out] : kernel->steps) {
    const size_t count = tflite::NumElements(&context->tensors[out]);
    const size_t period = tflite::NumElements(&context->tensors[b]);
    if (kernel->inner.count(out) > 0) kernel->inner[out].resize(count);
    for (size_t i = 0; i < count; ++i)
      data(out)[i] = op->compute(data(a)[i], data(b)[i % period]);
  }
  return kTfLiteOk;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  const Options& options = OptionsOf(delegate);
  if (options.fail_in == "delegate") return Fail(context, "delegate");
  TfLiteIntArray* plan;
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  std::vector<int> mine = {0};  // As a TfLiteIntArray: the size comes first.
  for (const int n : TfLiteIntArrayView(plan)) {
    TfLiteNode* node;
    TfLiteRegistration* op;
    context->GetNodeAndRegistration(context, n, &node, &op);
    if (Find(options, context->tensors, op->builtin_code, *node) != nullptr)
      mine.push_back(n);
  }
  mine[0] = static_cast<int>(mine.size()) - 1;
  TfLiteRegistration kernel = {};
  kernel.custom_name = "Elementwise";
  kernel.builtin_code = kTfLiteBuiltinDelegate;
  kernel.init = Init;
  kernel.free = [](TfLiteContext*, void* k) { delete static_cast<Kernel*>(k); };
  kernel.prepare = [](TfLiteContext* c, TfLiteNode* node) {
    return static_cast<Kernel*>(node->user_data)->fail_in == "prepare"
               ? Fail(c, "prepare")
               : kTfLiteOk;
  };
  kernel.invoke = Invoke;
  return context->ReplaceNodeSubsetsWithDelegateKernels(
      context, kernel, reinterpret_cast<TfLiteIntArray*>(mine.data()),
      delegate);
}

// Whether it is an option, with a value that is understood.
bool Read(std::string_view key, std::string_view value, Options* options) {
  if (key == "fail_in") {
    options->fail_in = value;
    return value == "delegate" || value == "prepare" || value == "eval";
  }
  if (key != "operators") return false;
  options->operators.clear();
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(',', at), value.size());
    const size_t before = options->operators.size();
    for (const Operator& op : kOperators)
      if (op.name == value.substr(at, end - at))
        options->operators.push_back(&op);
    if (options->operators.size() == before) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

extern "C" TfLiteDelegate* tflite_plugin_create_delegate(
    const char* const* keys, const char* const* values, size_t option_count,
    void (*report)(const char*)) {
  auto* options = new Options;
  for (const Operator& op : kOperators) options->operators.push_back(&op);
  for (size_t i = 0; i < option_count; ++i)
    if (!Read(keys[i], values[i], options)) {
      report((std::string("there is no option ") + keys[i] + "=" + values[i])
                 .c_str());
      delete options;
      return nullptr;
    }
  auto* delegate = new TfLiteDelegate(TfLiteDelegateCreate());
  delegate->data_ = options;
  delegate->Prepare = Prepare;
  return delegate;
}

extern "C" void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) {
  delete &OptionsOf(delegate);
  delete delegate;
}
